"""Pure computation: no file, clock, environment or screen."""
