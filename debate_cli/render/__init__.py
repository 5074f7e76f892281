"""A debate or an event as something to read."""
