from collections.abc import Sequence

from grandalf.graphs import Vertex, graph_core

class SugiyamaLayout:
    xspace: float
    yspace: float
    def __init__(self, g: graph_core) -> None: ...
    def init_all(self, roots: Sequence[Vertex] | None = ...) -> None: ...
    def draw(self, iterations: float = ..., /) -> None: ...
