"""Files: configuration, journal, transcript, upgrades."""
