"""Pure functions from a comparison to lines of spans; none needs an app."""
