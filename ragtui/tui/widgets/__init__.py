"""The widgets of the interface, all on the line API."""
