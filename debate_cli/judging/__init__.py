"""Brief -> Assessment: the only place where opinions are made."""
