"""What is drawn on a terminal once it is known whole: tables and boxes, with Rich."""
