"""The index of many debates: a table with links, one script that nobody else's words reach."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from render_support import HOSTILE, START, debate, opened, unscored

from debate_cli.app.gates import GateResult
from debate_cli.app.score import CheckedFile, DebateFacts, ScoredFile, UnusableFile, collect_debate_facts
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import DebateOpened
from debate_cli.render.html.index import render_index
from debate_cli.systems.scoring import score

ATTACK = '"><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}'


def scored(told: Debate, path: str = "a.json") -> ScoredFile:
    """A file with its verdicts."""
    return ScoredFile(path, told.id, told.topic, told.status, score(told))


HOSTILE_PAGE = render_index(
    [
        CheckedFile(
            ScoredFile(ATTACK, ATTACK + HOSTILE, ATTACK, ATTACK, score(debate())),
            (GateResult("g", ATTACK),),
            "javascript:alert(1)",
            held=DebateFacts(START, (ATTACK,), (ATTACK + HOSTILE,), None),
        )
    ],
    [UnusableFile(ATTACK, ATTACK)],
    title=ATTACK,
)
FILES = (
    CheckedFile(scored(debate()), (GateResult("--fail-under", None),), "a.html", held=collect_debate_facts(debate())),
    CheckedFile(scored(unscored()), (GateResult("--fail-under", "--fail-under: undetermined"),)),
)


class Seen(HTMLParser):
    """Elements in their order, and every address."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.events: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note them."""
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src"}]
        self.events += [name for name, _ in attrs if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("element", ["style", "script"])
def test_the_policy_names_what_stands_in_the_page(element: str) -> None:
    """The hash is that of the one style sheet, and of the one script."""
    source = render_index(FILES)
    (text,) = re.findall(rf"<{element}>(.*?)</{element}>", source, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"{element}-src 'sha256-{digest}'" in source
    assert "default-src 'none'" in source


def test_no_text_reaches_the_script() -> None:
    """It is the same, whatever is shown."""
    scripts = {
        re.findall(r"<script>.*?</script>", source, re.DOTALL)[-1] for source in (HOSTILE_PAGE, render_index(FILES))
    }
    assert len(scripts) == 1


def test_no_text_makes_an_element() -> None:
    """One script, no image, no event, and no template is evaluated."""
    seen = Seen(HOSTILE_PAGE)
    assert (seen.tags.count("script"), seen.tags.count("img"), seen.events) == (1, 0, [])
    assert "{{ 7*7 }}" in HOSTILE_PAGE
    assert not any(sign in HOSTILE_PAGE for sign in ("\x1b", "\x07", "\u202e"))


@pytest.mark.parametrize(
    ("report", "address"),
    [
        ("a.html", "./a.html"),
        ("javascript:alert(1)", "./javascript%3Aalert%281%29"),
        ("two words?#.html", "./two%20words%3F%23.html"),
        ("/tmp/a.html", "/tmp/a.html"),
        ("//evil.example/a", "/evil.example/a"),
    ],
)
def test_a_link_leads_to_a_file(report: str, address: str) -> None:
    """Whatever the file is called."""
    assert Seen(render_index([CheckedFile(scored(debate()), report=report)])).addresses == [address]


def test_a_debate_without_a_page_has_no_link() -> None:
    """Its topic stands there all the same."""
    source = render_index([CheckedFile(scored(debate()))])
    assert Seen(source).addresses == []
    assert debate().topic in source


def test_each_column_can_be_sorted() -> None:
    """Every head is a button, and every cell of a row has what it is sorted by."""
    source = render_index(FILES)
    table = source[source.index('<table class="sortable">') :]
    heads = table[: table.index("</thead>")].count("<button")
    rows = table[table.index("<tbody>") : table.index("</tbody>")].split("<tr>")[1:]
    assert heads == 11
    assert [row.count("data-sort=") for row in rows] == [heads, heads]


def test_it_tells_when_by_whom_and_for_how_much() -> None:
    """The start to the minute, the debaters' models and the judges', the cost."""
    source = render_index([CheckedFile(scored(debate()), held=DebateFacts(START, ("a/b", "c/d"), ("e/f",), 0.25))])
    assert f'data-sort="{START.isoformat()}"' in source
    assert START.strftime("%Y-%m-%d") in source
    assert ("<div>a/b</div><div>c/d</div>" in source, "judged by e/f" in source) == (True, True)
    assert 'data-sort="0.25" class="num">$0.2500</td>' in source


def test_the_time_is_that_of_utc() -> None:
    """Of a debate that was written down with another offset."""
    begun = DebateOpened.model_validate({**dict(opened()), "at": "2026-03-01T01:30:00+02:00"})
    source = render_index([CheckedFile(scored(debate()), held=collect_debate_facts(fold([begun])))])
    assert "2026-02-28 <small>23:30 UTC</small>" in source


def test_an_unknown_cost_is_sorted_last() -> None:
    """It has no number to be sorted by, and is said to be unknown."""
    assert 'data-sort="" class="num">unknown</td>' in HOSTILE_PAGE


def test_what_nothing_is_known_of_has_no_column() -> None:
    """Date, models and cost stand there only where a file tells of them."""
    source = render_index([CheckedFile(scored(debate()))])
    assert not any(f">{head}</button>" in source for head in ("date", "models", "cost"))


def test_each_cell_but_the_first_names_its_column() -> None:
    """In a narrow window, where a row is a card, the names stand above the cells."""
    source = render_index(FILES)
    heads = re.findall(r'<button type="button">(.*?)</button>', source)
    body = source[source.index('<table class="sortable">') :]
    rows = body[body.index("<tbody>") : body.index("</tbody>")].split("<tr>")[1:]
    assert [re.findall(r'data-head="(.*?)"', row) for row in rows] == [heads[1:], heads[1:]]


def test_gates_have_a_column_where_any_is_asked_for() -> None:
    """What was met, and what was not and why."""
    assert "✓ --fail-under" in render_index(FILES)
    assert "✗ --fail-under: undetermined" in render_index(FILES)
    assert ">gates</button>" not in render_index([CheckedFile(scored(debate()))])


def test_a_file_without_a_verdict_is_told() -> None:
    """A system that was filtered away leaves a row."""
    assert "not judged" in render_index([CheckedFile(ScoredFile("a", "a", "t", "complete", ()))])
