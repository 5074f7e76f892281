"""Experiments on several machines, through a job queue on PostgreSQL. Needs the extra `[cluster]`."""
