"""The cells of an experiment: which debates there are, and what changes their keys."""

from pathlib import Path
from typing import Any

import pytest
from experiments_support import BASE, PAIR, write_experiment

from debate_cli.experiments.cells import Cell, CellPlan
from debate_cli.experiments.definition import load_experiment


def plan(folder: Path, base: dict[str, Any] | None = None, **changes: Any) -> CellPlan:
    """The plan of an experiment with `changes`."""
    return CellPlan(load_experiment(write_experiment(folder, base, **changes), {}))


def keys(folder: Path, base: dict[str, Any] | None = None, **changes: Any) -> set[str]:
    """The keys of its cells."""
    return {cell.key for cell in plan(folder, base, **changes).cells()}


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({}, 2 * 3 * 2),
        ({"sides": "first"}, 2 * 3),
        ({"sides": "random"}, 2 * 3),
        ({"repeat": 3}, 2 * 3 * 2 * 3),
        ({"pairing": {"versus": "ann"}}, 2 * 2 * 2),
        ({"pairing": "self"}, 2 * 3),
        ({"pairing": [["ann", "bob"], ["cid", "bob"]]}, 2 * 2 * 2),
        ({"axes": {"format.arguments": [1, 2], "seed": [1, 2, 3]}}, 2 * 3 * 2 * 6),
    ],
    ids=["both", "first", "random", "repeat", "versus", "self", "list", "axes"],
)
def test_every_combination_is_one_cell(tmp_path: Path, changes: dict[str, Any], count: int) -> None:
    """Each combination of motion, pair, side, repeat and axes is a cell with its own key and debate."""
    cells = list(plan(tmp_path, **changes).cells())
    assert [len(cells), len({cell.key for cell in cells}), len({cell.debate for cell in cells})] == [count] * 3


def test_both_sides_swap_the_players(tmp_path: Path) -> None:
    """Each pair debates each motion once in each order."""
    cells = list(plan(tmp_path).cells())
    orders = [(cell.motion, cell.first, cell.second) for cell in cells]
    assert sorted(orders) == sorted((motion, second, first) for motion, first, second in orders)


@pytest.mark.parametrize(
    ("base", "changes"),
    [
        ({}, {"judges": [{"name": "jo", "model": "mock/jo"}, {"name": "max", "model": "mock/max"}]}),
        ({}, {"judges": None}),
        ({}, {"limits": {"concurrency": 9, "max_cost_usd": 3}}),
        ({"limits": {"max_attempts": 2}}, {}),
        ({"models": {"default": {"model": "mock/default", "price": {"input": 1, "output": 1}}}}, {}),
        ({"models": {"default": {"model": "mock/default"}, "other": {"model": "mock/other"}}}, {}),
    ],
    ids=["another judge", "judges of the base", "limits", "limits of the base", "price", "unused model"],
)
def test_what_does_not_change_a_debate_keeps_its_key(
    tmp_path: Path, base: dict[str, Any], changes: dict[str, Any]
) -> None:
    """The experiment's judges, limits and prices do not change the keys of cells; the judges of the base do."""
    expected = keys(tmp_path, {**BASE, "judging": {"systems": ["structured"]}})
    found = keys(tmp_path, {**BASE, "judging": {"systems": ["structured"]}, **base}, **changes)
    assert (found == expected) is ("judges" not in changes or changes["judges"] is not None)


@pytest.mark.parametrize(
    "base",
    [{"seed": 8}, {"background": "Snow."}, {"format": {"arguments": 2}}, {"providers": {"x": {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "api_key_env": None}}}],
    ids=["seed", "background", "format", "server"],
)  # fmt: skip
def test_what_changes_a_debate_changes_every_key(tmp_path: Path, base: dict[str, Any]) -> None:
    """A change of seed, background, format or server changes the key of every cell."""
    assert keys(tmp_path).isdisjoint(keys(tmp_path, {**BASE, **base}))


def test_a_changed_player_changes_its_own_cells_only(tmp_path: Path) -> None:
    """A changed player changes only the keys of cells with this player."""
    before = {cell.key: cell for cell in plan(tmp_path).cells()}
    players = [{"name": "ann", "model": "mock/ann"}, {"name": "bob", "model": "mock/bob"}]
    after = keys(tmp_path, players=[*players, {"name": "cid", "model": "mock/cid", "system": "Be brief."}])
    assert {key for key, cell in before.items() if "cid" not in (cell.first, cell.second)} == before.keys() & after


def test_a_judge_does_not_judge_its_own_model(tmp_path: Path) -> None:
    """A judge skips the debates in which its own model speaks, unless `self_judging` is set. A note says so either way."""
    judges = [{"name": "jo", "model": "mock/jo"}, {"name": "own", "model": "mock/ann"}]

    def by_own(cell: Cell, found: CellPlan) -> bool:
        return "own" in {judge.name for judge in found.inputs_of(cell).judges.values()}

    found = plan(tmp_path, judges=judges)
    assert all(by_own(cell, found) is ("ann" not in (cell.first, cell.second)) for cell in found.cells())
    (note,) = found.describe_self_judging()
    assert note.startswith("the judge own does not judge ann against bob, ann against cid, because")
    allowed = plan(tmp_path, judges=judges, self_judging=True)
    assert all(by_own(cell, allowed) for cell in allowed.cells())
    (note,) = allowed.describe_self_judging()
    assert note.startswith("the judge own judges ann against bob, ann against cid, although")


def test_the_same_file_gives_the_same_random_sides(tmp_path: Path) -> None:
    """Random sides depend on seed, motion and pair, so a further motion changes none."""
    before = keys(tmp_path, sides="random")
    assert before < keys(tmp_path, sides="random", motions=["Should cities ban cars?", "Is Latin worth teaching?", "Is tea better?"])  # fmt: skip


def test_random_sides_are_drawn_for_each_repeat(tmp_path: Path) -> None:
    """Among ten repeats both orders occur, and the first repeats stay as they are if the file asks for more."""
    cells = list(plan(tmp_path, sides="random", repeat=10, pairing=[["ann", "bob"]], players=PAIR).cells())
    orders = {motion: {cell.first for cell in cells if cell.motion == motion} for motion in {c.motion for c in cells}}
    assert list(orders.values()) == [{"ann", "bob"}] * 2
    assert keys(tmp_path, sides="random", repeat=3, pairing=[["ann", "bob"]], players=PAIR) < {c.key for c in cells}


def test_the_content_of_named_files_is_part_of_the_key(tmp_path: Path) -> None:
    """A changed source or background changes the keys; reading the same content again does not."""
    (tmp_path / "source.txt").write_text("Cars need much room in cities.")
    (tmp_path / "background.txt").write_text("A city of a million people.")
    base = {**BASE, "background": {"file": "background.txt"}, "evidence": {"sources": ["source.txt"]}}
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}

    def found() -> set[str]:
        return {cell.key for cell in CellPlan(load_experiment(write_experiment(tmp_path, base), env)).cells()}

    before = found()
    assert found() == before
    for name in ("source.txt", "background.txt"):
        path = tmp_path / name
        path.write_text(path.read_text() + " More words.")
        after = found()
        assert not after & before, name
        before = after
