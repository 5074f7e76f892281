"""Where the boxes of a graph go: layers from left to right after Sugiyama, worked out by grandalf, parts below each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(slots=True)
class _View:
    """A box as the library wants it, which lays out from top to bottom: our height is its width."""

    w: float
    h: float
    xy: tuple[float, float] = (0.0, 0.0)


def layout_layers(
    sizes: Mapping[K, tuple[float, float]], edges: Sequence[tuple[K, K]], gaps: tuple[float, float]
) -> dict[K, tuple[float, float]]:
    """The middle of each box; the parts that no edge connects stand below each other in the order of `sizes`, from 0.

    `sizes` are width and height; `edges` point to the right and name boxes that have a size; `gaps` are the least ones
    between layers and between boxes. The same input is always laid out in the same way.
    """
    from grandalf.graphs import Edge, Graph, Vertex
    from grandalf.layouts import SugiyamaLayout

    vertices = {key: Vertex(key) for key in sizes}
    for key, vertex in vertices.items():
        width, height = sizes[key]
        vertex.view = _View(height, width)
    graph = Graph(list(vertices.values()), [Edge(vertices[source], vertices[target]) for source, target in edges])
    for part in graph.C:
        layout = SugiyamaLayout(part)
        layout.yspace, layout.xspace = gaps
        layout.init_all()
        layout.draw()
    parts = {vertex: number for number, part in enumerate(graph.C) for vertex in part.sV}
    return _stack_parts({key: (parts[vertex], vertex.view) for key, vertex in vertices.items()}, gaps[1])


def _stack_parts(found: Mapping[K, tuple[int, _View]], gap: float) -> dict[K, tuple[float, float]]:
    """The boxes of each part moved to the left edge, and below those of the part before."""
    views: dict[int, list[_View]] = defaultdict(list)
    for part, view in found.values():
        views[part].append(view)
    shifts: dict[int, tuple[float, float]] = {}
    below = 0.0
    for part, of in views.items():
        left = min(view.xy[1] - view.h / 2 for view in of)
        top = min(view.xy[0] - view.w / 2 for view in of)
        shifts[part] = (-left, below - top)
        below += max(view.xy[0] + view.w / 2 for view in of) - top + gap
    return {key: (view.xy[1] + shifts[part][0], view.xy[0] + shifts[part][1]) for key, (part, view) in found.items()}
