"""Experiments on several machines, through a job queue on PostgreSQL. Needs the extra `[cluster]`.

`database` connects. `documents` transfers configurations. `exchange` fills the queue and copies results back. `lease`
writes journals. `limits` shares budget and rates. `queued_cells` takes cells. `worker` is the loop of `debate worker`.
"""
