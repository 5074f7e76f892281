"""Brief -> Assessment: the only place where an opinion is made."""
