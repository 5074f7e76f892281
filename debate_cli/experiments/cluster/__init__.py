"""Experiments on several machines: a job queue on PostgreSQL. Needs the extra `[cluster]`.

`database` connects, `documents` carries configurations, `enqueue` fills the queue and brings back results, `lease` writes
journals, `limits` shares budget and rates, `queued_cells` takes cells, `worker` is the loop of `debate worker`.
"""
