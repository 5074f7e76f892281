"""Readers of public data sets: debates that were judged by people or models.

docs/studies/README.md describes the files.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from debate_cli.csv_file import parse_csv
from debate_cli.errors import ConfigError
from debate_cli.importing.speeches import FoundDebate, Speech, UnreadableDebateError, format_counts
from debate_cli.yaml_positions import parse_yaml

DRAW = "draw"
_WRONG_SHAPE = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)
Texts = Mapping[PurePosixPath, Callable[[], str]]
"""Maps the relative path of each file to a function that returns the file's text. Readers call it several times."""


class HumanLabel(NamedTuple):
    """One rater's judgement of a debate."""

    winner: str
    """A speaker's name in the data set, or `draw`."""
    rater: str
    probability: float | None = None
    """The rater's probability that `winner` has won, 0 to 1. None if the rater gave no probability."""


class DatasetDebate(NamedTuple):
    """A debate of a data set."""

    name: str
    """Id of the debate in the data set."""
    file: PurePosixPath
    """Path of the file with the debate's speeches."""
    content: FoundDebate | UnreadableDebateError
    labels: tuple[HumanLabel, ...] = ()


def _read_debatrix(path: PurePosixPath, texts: Texts) -> Iterator[DatasetDebate]:
    folder = path.parent.parent
    motion = _parse_yaml(texts, folder / "motion" / path.name)
    if not motion:
        raise UnreadableDebateError(
            f"the debate has no motion in {folder / 'motion' / path.name}; extract the whole archive"
        )
    sides = {
        _plain_name(person["name"]): side
        for key, side in (("pro_side", "for"), ("con_side", "against"))
        for person in motion.get(key) or ()
    }
    if len(sides) != 2:  # noqa: PLR2004 - of more than two speakers, each has its own side
        sides = {}
    speeches = tuple(
        Speech(_plain_name(item.get("debater_name") or item["speaker_name"]), (item.get("content") or "").strip())
        for item in _parse_yaml(texts, path)
    )
    labels = _debatrix_labels(path, dict.fromkeys(speech.speaker for speech in speeches), sides, texts)
    found = FoundDebate(
        tuple(speech for speech in speeches if speech.text),
        (motion.get("motion") or "").strip() or None,
        (motion.get("info_slide") or "").strip(),
        sides=sides,
    )
    yield DatasetDebate(path.stem, path, found, tuple(labels))


def _debatrix_labels(
    path: PurePosixPath, names: Iterable[str], sides: Mapping[str, str], texts: Texts
) -> Iterator[HumanLabel]:
    gold, number = path.parent.parent / "gold", str(int("".join(re.findall(r"\d", path.stem)) or -1))
    by_side = {side: name for name, side in sides.items()}
    for row in _csv_rows(texts, gold / "final.csv"):
        if row.get("dart_id") == number and by_side:
            share = float(row.get("label") or "0.5")
            _check_shares([share])
            yield HumanLabel(DRAW if share == 0.5 else by_side["against" if share > 0.5 else "for"], "voters")  # noqa: PLR2004
    for row in _csv_rows(texts, gold / "gold.csv"):
        teams = [name for name in names for mark in (row.get("label") or "").split(",") if f"({mark})" in name]
        if row.get("bp_id") == number and len(teams) == 1:
            yield HumanLabel(teams[0], "adjudicators")


def _read_nyu(path: PurePosixPath, texts: Texts) -> Iterator[DatasetDebate]:
    """Read the debates of the data set `nyu`. Consultancies are left out, because they have only one debater."""
    for number, line in enumerate(texts[path]().split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            debate = _read_nyu_debate(path, data)
            if len({turn["index"] for turn in data["turns"] if turn["role"] == "Debater"}) > 1:
                yield debate
        except _WRONG_SHAPE as error:
            fault = f"line {number} is not a debate of this data set ({error!r}); correct or remove it"
            yield DatasetDebate(f"{path.stem}-{number}", path, UnreadableDebateError(fault))


def _read_nyu_debate(path: PurePosixPath, data: Any) -> DatasetDebate:
    first, second = data["answers"]
    names = ("Debater A", "Debater B")
    said = [Speech(names[turn["index"]], turn["text"].strip()) for turn in data["turns"] if turn["role"] == "Debater"]
    judged = [turn for turn in data["turns"] if turn["role"] != "Debater"]
    remarks = Counter({"judge remark": sum(bool(turn["text"].strip()) for turn in judged)})
    found = FoundDebate(
        tuple(speech for speech in said if speech.text),
        f"{data['question'].strip()} The answer is “{first.strip()}”, not “{second.strip()}”.",
        sides=dict(zip(names, ("for", "against"), strict=True)),
        dropped=(*format_counts(remarks), "the story"),
    )
    labels: tuple[HumanLabel, ...] = ()
    for turn in judged:
        belief: list[float] | None = turn.get("probabilities")
        if belief and len(belief) == len(names):
            _check_shares(belief)
            winner = DRAW if belief[0] == belief[1] else names[belief.index(max(belief))]
            labels = (HumanLabel(winner, str(data.get("judge") or "judge"), float(max(belief))),)
    return DatasetDebate(f"{data.get('roomName') or data['storyTitle']}-{data['debateId']}", path, found, labels)


_LECHMAZUR_TURN = re.compile(r"^## Turn \d+: (PRO|CON) (.+)$", re.MULTILINE)
_LECHMAZUR_FIELD = re.compile(r"^- ([a-z_]+): (.*)$", re.MULTILINE)
_REPORT_DEBATE = re.compile(r"^- debate_id: `([^`]+)`$", re.MULTILINE)
_REPORT_ROW = re.compile(r"^\| ([^|]+?) \| [^|]+ \| ([+−-]?\d+(?:\.\d+)?) \|", re.MULTILINE)


def _read_lechmazur(path: PurePosixPath, texts: Texts) -> Iterator[DatasetDebate]:
    head, *pieces = _LECHMAZUR_TURN.split(texts[path]())
    fields = dict(_LECHMAZUR_FIELD.findall(head))
    if "proposition" not in fields or not pieces:
        raise UnreadableDebateError("the file lacks a proposition or turns; choose a transcript of this data set")
    speeches = (
        Speech(side, _LECHMAZUR_FIELD.sub("", body).strip(), phase.strip())
        for side, phase, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    )
    found = FoundDebate(
        tuple(speech for speech in speeches if speech.text),
        fields["proposition"].strip(),
        sides={"PRO": "for", "CON": "against"},
        dropped=("fields of the turns",),
    )
    reports = [report for report in sorted(texts) if report.name.startswith("matchup-judgement-")]
    labels = [label for report in reports for label in _report_labels(texts[report]()).get(path.stem, ())]
    newest = {label.rater: label for label in labels}
    yield DatasetDebate(path.stem, path, found, tuple(newest.values()))


@lru_cache(maxsize=4096)
def _report_labels(report: str) -> Mapping[str, Sequence[HumanLabel]]:
    parts = _REPORT_DEBATE.split(report)[1:]
    found: dict[str, list[HumanLabel]] = {}
    for debate, body in zip(parts[::2], parts[1::2], strict=True):
        for judge, margin in _REPORT_ROW.findall(body.partition("\n### ")[0]):
            value = float(margin.replace("−", "-"))
            winner = DRAW if value == 0 else "PRO" if value > 0 else "CON"
            found.setdefault(debate, []).append(HumanLabel(winner, f"model {judge}"))
    return found


def _read_ukp(path: PurePosixPath, texts: Texts) -> Iterator[DatasetDebate]:
    topic, _, stance = path.stem.replace("-", " ").partition("_")
    motion = f"Argument A is more convincing than argument B ({topic.strip()}: {stance.strip() or 'one stance'})"
    sides = {"Argument A": "for", "Argument B": "against"}
    for number, line in enumerate(texts[path]().split("\n"), 1):
        if line.startswith("#id\trank"):  # the ranking of single arguments, in another folder of the repository
            return
        name, *cells = line.split("\t")
        if not line.strip() or line.startswith("#"):
            continue
        if len(cells) != 3 or cells[0] not in {"a1", "a2"}:  # noqa: PLR2004 - label, two arguments
            fault = f"line {number} does not consist of an id, a label and two arguments; correct or remove it"
            yield DatasetDebate(name, path, UnreadableDebateError(fault))
            continue
        words = [cell.replace("<br/>", "\n").strip() for cell in cells[1:]]
        winner = "Argument A" if cells[0] == "a1" else "Argument B"
        found = FoundDebate(tuple(map(Speech, sides, words)), motion, sides=sides)
        yield DatasetDebate(name, path, found, (HumanLabel(winner, "crowd"),))


DATASETS: dict[str, tuple[re.Pattern[str], Callable[[PurePosixPath, Texts], Iterator[DatasetDebate]]]] = {
    "debatrix": (re.compile(r"(?:.*/)?speech/[^/]*\.ya?ml"), _read_debatrix),
    "nyu": (re.compile(r".*\.jsonl"), _read_nyu),
    "lechmazur": (re.compile(r"(?:.*/)?prop_[^/]*\.md"), _read_lechmazur),
    "ukp": (re.compile(r".*\.csv"), _read_ukp),
}
"""Maps each data set to two values: a pattern for the paths of its files, and the function that reads such a file."""


def read_debates(dataset: str, texts: Texts) -> Iterator[DatasetDebate]:
    """Yield the debates in the files of a data set. For an unreadable file, yield a debate with an error."""
    pattern, read = DATASETS[dataset]
    for path in sorted(path for path in texts if pattern.fullmatch(str(path))):
        try:
            yield from read(path, texts)
        except UnreadableDebateError as error:
            yield DatasetDebate(path.stem, path, error)
        except (*_WRONG_SHAPE, ConfigError) as error:
            fault = f"the debate, its motion or its labels are not as expected ({error}); extract the archive again"
            yield DatasetDebate(path.stem, path, UnreadableDebateError(fault))


def _parse_yaml(texts: Texts, path: PurePosixPath) -> Any:
    return parse_yaml(texts[path]()).data if path in texts else None


def _csv_rows(texts: Texts, path: PurePosixPath) -> list[Mapping[str, str]]:
    return [row for _, row in parse_csv(texts[path]()).rows] if path in texts else []


def _check_shares(shares: Iterable[float]) -> None:
    for share in shares:
        if not 0 <= share <= 1:  # nan is in no range
            raise ValueError(f"{share} is not from 0 to 1")


def _plain_name(name: str) -> str:
    return " ".join(name.replace("_", " ").split())
