from collections.abc import Iterable, Sequence
from typing import Any

class Vertex:
    view: Any
    def __init__(self, data: object = ...) -> None: ...

class Edge:
    def __init__(self, x: Vertex, y: Vertex) -> None: ...

class graph_core:  # noqa: N801 - its own name
    sV: Iterable[Vertex]  # noqa: N815 - the same

class Graph:
    C: Sequence[graph_core]
    def __init__(self, vertices: Iterable[Vertex], edges: Iterable[Edge], /) -> None: ...
