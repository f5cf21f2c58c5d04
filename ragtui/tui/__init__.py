"""The terminal interface: the only room that knows Textual."""
