"""A debate on a terminal while it is held: who speaks, what is streamed, what judges said, how far it has come."""
