"""Readers of public data sets with people's (or models') judgments, in the folders of their repositories.

Each reader gets the texts of all files by their relative path and yields the debates with their labels. The shapes are
described in docs/studies/README.md.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple, cast

from debate_cli.errors import ConfigError
from debate_cli.importing.speeches import FoundDebate, Omissions, Speech, UnreadableDebateError
from debate_cli.storage.yaml_positions import parse_yaml

DRAW = "draw"
Texts = Mapping[PurePosixPath, Callable[[], str]]
"""Relative path -> a function that reads the file."""


class HumanLabel(NamedTuple):
    """One rater's judgment of a debate."""

    winner: str
    """Name of a speaker as the reader writes it, or `draw`."""
    rater: str
    probability: float | None = None
    """The rater's probability that the winner is right, 0 to 1."""


class DatasetDebate(NamedTuple):
    """A debate of a data set."""

    name: str
    """Id in the data set."""
    file: PurePosixPath
    """The file with its speeches."""
    found: FoundDebate | UnreadableDebateError
    labels: tuple[HumanLabel, ...] = ()


def read_debatrix(texts: Texts) -> Iterator[DatasetDebate]:
    """Read PanelBench of Debatrix: `motion/ID.yml`, `speech/ID.yml`, and `gold/*.csv` beside these folders."""
    for path in sorted(texts):
        if path.parent.name == "speech" and path.suffix in {".yml", ".yaml"}:
            try:
                found, labels = _read_debatrix_debate(path, texts)
                yield DatasetDebate(path.stem, path, found, labels)
            except UnreadableDebateError as error:
                yield DatasetDebate(path.stem, path, error)


def _read_debatrix_debate(path: PurePosixPath, texts: Texts) -> tuple[FoundDebate, tuple[HumanLabel, ...]]:
    folder = path.parent.parent
    motion = _parse_yaml(texts, folder / "motion" / path.name)
    if not isinstance(motion, dict):
        raise UnreadableDebateError(f"has no motion in {folder / 'motion' / path.name}; extract the whole archive")
    fields = cast("dict[str, Any]", motion)
    sides = {
        _plain_name(person.get("name")): side
        for key, side in (("pro_side", "for"), ("con_side", "against"))
        for person in _list_of_objects(fields.get(key))
    }
    speeches = [
        Speech(_plain_name(item.get("debater_name") or item.get("speaker_name")), _text(item.get("content")))
        for item in _list_of_objects(_parse_yaml(texts, path))
    ]
    found = FoundDebate(
        tuple(speech for speech in speeches if speech.text),
        _text(fields.get("motion")) or None,
        _text(fields.get("info_slide")),
        sides=sides if len(sides) == 2 else {},  # noqa: PLR2004 - of more than two, each has its own side
    )
    number = int("".join(re.findall(r"\d", path.stem)) or -1)
    return found, tuple(
        _debatrix_labels(number, list(dict.fromkeys(speech.speaker for speech in speeches)), sides, folder, texts)
    )


def _debatrix_labels(
    number: int, names: list[str], sides: Mapping[str, str], folder: PurePosixPath, texts: Texts
) -> Iterator[HumanLabel]:
    """The label of `gold/final.csv` (0: pro won, 1: con won) or of `gold/gold.csv` (abbreviations of the winning teams)."""
    by_side = {side: name for name, side in sides.items()}
    for row in _csv_rows(texts, folder / "gold" / "final.csv"):
        if row.get("dart_id") == str(number) and len(by_side) == 2:  # noqa: PLR2004 - two sides
            share = _parse_share(row.get("label") or "0.5", folder / "gold" / "final.csv")
            yield HumanLabel(DRAW if share == 0.5 else by_side["against" if share > 0.5 else "for"], "voters")  # noqa: PLR2004
    for row in _csv_rows(texts, folder / "gold" / "gold.csv"):
        teams = [name for name in names for mark in (row.get("label") or "").split(",") if f"({mark})" in name]
        if row.get("bp_id") == str(number) and len(teams) == 1:
            yield HumanLabel(teams[0], "adjudicators")


def read_nyu(texts: Texts) -> Iterator[DatasetDebate]:
    """Read NYU's debates about reading comprehension: files of JSON lines with `question`, `answers` and `turns`.

    The motion is that the first answer is right. The judge's last probabilities become the label; remarks of the judge
    are left out, and so are consultancies, which have only one debater.
    """
    for path in sorted(path for path in texts if path.suffix == ".jsonl"):
        try:
            lines = texts[path]().split("\n")
        except UnreadableDebateError as error:
            yield DatasetDebate(path.stem, path, error)
            continue
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                name, found, labels = _read_nyu_line(line)
                if len({speech.speaker for speech in found.speeches}) > 1:
                    yield DatasetDebate(name, path, found, labels)
            except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
                fault = UnreadableDebateError(
                    f"line {number} is not a debate of this data set ({error!r}); correct or remove it"
                )
                yield DatasetDebate(f"{path.stem}-{number}", path, fault)


def _read_nyu_line(line: str) -> tuple[str, FoundDebate, tuple[HumanLabel, ...]]:
    data = cast("dict[str, Any]", json.loads(line))
    first, second = data["answers"]
    names = ("Debater A", "Debater B")
    omitted = Omissions()
    speeches: list[Speech] = []
    belief: list[float] | None = None
    for turn in data["turns"]:
        if turn["role"] == "Debater":
            speeches.append(Speech(names[turn["index"]], turn["text"].strip()))
            continue
        belief = turn.get("probabilities") or belief
        omitted.add("remark by the judge", bool(turn["text"].strip()))
    found = FoundDebate(
        tuple(speech for speech in speeches if speech.text),
        f"{data['question'].strip()} The answer is “{first.strip()}”, not “{second.strip()}”.",
        sides=dict(zip(names, ("for", "against"), strict=True)),
        dropped=(*omitted.describe(), "the story"),
    )
    labels: tuple[HumanLabel, ...] = ()
    if belief is not None and len(belief) == len(names):
        best = max(belief)
        winner = DRAW if belief[0] == belief[1] else names[belief.index(best)]
        labels = (HumanLabel(winner, str(data.get("judge") or "judge"), float(best)),)
    return f"{data.get('roomName') or data['storyTitle']}-{data['debateId']}", found, labels


_LECHMAZUR_TURN = re.compile(r"^## Turn \d+: (PRO|CON) (.+)$", re.MULTILINE)
_LECHMAZUR_FIELD = re.compile(r"^- ([a-z_]+): (.*)$", re.MULTILINE)
_REPORT_DEBATE = re.compile(r"^- debate_id: `([^`]+)`$", re.MULTILINE)
_REPORT_ROW = re.compile(r"^\| ([^|]+?) \| [^|]+ \| ([+−-]?\d+(?:\.\d+)?) \|", re.MULTILINE)


def read_lechmazur(texts: Texts) -> Iterator[DatasetDebate]:
    """Read lechmazur's debates of models: `transcripts/*.md`; reports on two models each contain the judges' margins."""
    labels: dict[str, list[HumanLabel]] = {}
    for path in sorted(texts):
        if path.name.startswith("matchup-judgment-"):
            _collect_report_labels(texts[path](), labels)
    for path in sorted(texts):
        if path.suffix != ".md" or not path.name.startswith("prop_"):
            continue
        try:
            found = _read_lechmazur_debate(texts[path]())
            yield DatasetDebate(path.stem, path, found, tuple(dict.fromkeys(labels.get(path.stem, ()))))
        except UnreadableDebateError as error:
            yield DatasetDebate(path.stem, path, error)


def _read_lechmazur_debate(text: str) -> FoundDebate:
    head, *pieces = _LECHMAZUR_TURN.split(text)
    fields = dict(_LECHMAZUR_FIELD.findall(head))
    if "proposition" not in fields or not pieces:
        raise UnreadableDebateError("has no proposition or no turns; name a transcript of this data set")
    speeches = tuple(
        Speech(side, _LECHMAZUR_FIELD.sub("", body).strip(), phase.strip())
        for side, phase, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    )
    return FoundDebate(
        tuple(speech for speech in speeches if speech.text),
        fields["proposition"].strip(),
        sides={"PRO": "for", "CON": "against"},
        dropped=("fields of the turns",),
    )


def _collect_report_labels(report: str, labels: dict[str, list[HumanLabel]]) -> None:
    """Add each judge's margin in `report`, on the debates of two models, to `labels` (debate -> labels).

    A margin above 0 means that PRO wins, below 0 that CON wins.
    """
    for name, body in zip(*[iter(_REPORT_DEBATE.split(report)[1:])] * 2, strict=True):
        for judge, margin in _REPORT_ROW.findall(body.partition("\n### ")[0]):
            value = float(margin.replace("−", "-"))
            winner = DRAW if value == 0 else "PRO" if value > 0 else "CON"
            labels.setdefault(name, []).append(HumanLabel(winner, f"model {judge}"))


def read_ukp(texts: Texts) -> Iterator[DatasetDebate]:
    """Read UKPConvArg1Strict: a tab-separated file per topic and stance.

    Each row has two arguments and names the more convincing one.
    """
    for path in sorted(path for path in texts if path.suffix == ".csv"):
        topic, _, stance = path.stem.replace("-", " ").partition("_")
        motion = f"Argument A is more convincing than argument B ({topic.strip()}: {stance.strip() or 'one stance'})"
        try:
            lines = texts[path]().split("\n")
        except UnreadableDebateError as error:
            yield DatasetDebate(path.stem, path, error)
            continue
        for number, line in enumerate(lines, 1):
            cells = line.split("\t")
            if line.startswith("#id\trank"):  # the ranking of single arguments, in another folder of the repository
                break
            if not line.strip() or line.startswith("#"):
                continue
            name = cells[0]
            if len(cells) != 4 or cells[1] not in {"a1", "a2"}:  # noqa: PLR2004 - id, label, two arguments
                yield DatasetDebate(
                    name,
                    path,
                    UnreadableDebateError(f"line {number} does not consist of an id, a label and two arguments"),
                )
                continue
            sides = {"Argument A": "for", "Argument B": "against"}
            speeches = tuple(
                Speech(speaker, words.replace("<br/>", "\n").strip())
                for speaker, words in zip(sides, cells[2:], strict=True)
            )
            winner = "Argument A" if cells[1] == "a1" else "Argument B"
            yield DatasetDebate(name, path, FoundDebate(speeches, motion, sides=sides), (HumanLabel(winner, "crowd"),))


DATASETS: dict[str, Callable[[Texts], Iterator[DatasetDebate]]] = {
    "debatrix": read_debatrix,
    "nyu": read_nyu,
    "lechmazur": read_lechmazur,
    "ukp": read_ukp,
}
"""Name of a data set -> its reader."""


def _parse_yaml(texts: Texts, path: PurePosixPath) -> object:
    read = texts.get(path)
    if read is None:
        return None
    try:
        return parse_yaml(read()).data
    except ConfigError as error:
        raise UnreadableDebateError(f"{path} is not valid YAML; extract the archive again") from error


def _csv_rows(texts: Texts, path: PurePosixPath) -> Iterator[Mapping[str, str]]:
    read = texts.get(path)
    if read is None:
        return
    try:
        yield from csv.DictReader(io.StringIO(read()))
    except csv.Error as error:
        raise UnreadableDebateError(
            f"cannot get a label, because {path} is not valid CSV; extract the archive again"
        ) from error


def _parse_share(text: str, path: PurePosixPath) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UnreadableDebateError(
            f"has the label {text!r} in {path}, which is not a number; extract the archive again"
        ) from error


def _list_of_objects(value: object) -> list[dict[str, Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _plain_name(name: object) -> str:
    return " ".join(_text(name).replace("_", " ").split())
