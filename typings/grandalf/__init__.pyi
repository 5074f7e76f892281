# The part of grandalf that the argument map is laid out with.
