"""Worst-case inputs of about a mebibyte per target, which took quadratic time or worse before.

`python tests/fuzz_worst.py [TARGET [WORD...]]` runs them one after the other, prints each name, and ends with a stack trace if
one takes longer than LIMIT_S. Without a target it runs all.
"""

import faulthandler
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

MIB = 1024 * 1024 if os.environ.get("SOAK") else 1024 * 12
"""Size of an input. A mebibyte in `make soak`, less in CI."""
SHRINK = 1 if os.environ.get("SOAK") else 80
"""Divisor of all other sizes and counts. Quadratic time is found in `make soak`, worse in CI."""
LIMIT_S = 120
"""Seconds per input. Quadratic time would take hours."""
GOOD = '{"reason": "sound", "score": 7}'
Case = tuple[str, str | bytes]


def fill(unit: str, before: str = "", after: str = "", size: int = MIB) -> str:
    """`unit` repeated between `before` and `after`, `size` characters in all (see SHRINK)."""
    wanted = size if size == MIB else size // SHRINK
    return before + unit * ((wanted - len(before) - len(after)) // len(unit)) + after


def numbered(pattern: str, count: int, before: str = "", after: str = "", between: str = "") -> str:
    """`pattern` repeated `count` times (see SHRINK), with `#` replaced by the number."""
    return before + between.join(pattern.replace("#", str(number)) for number in range(count // SHRINK)) + after


def configs() -> Iterator[Case]:
    """YAML."""
    topic, sides = "topic: x\n", "topic: x\ndebaters: [{name: a, side: for, model: p}, {name: b, side: against}]\n"
    yield "flow depth", fill("[")
    yield "block depth", fill("- ")
    yield "one key", fill("a: 1\n")
    yield "unknown keys", numbered("topi#: 1\n", 9000)
    yield "words for debaters", fill("- x\n", topic + "debaters:\n", size=70_000)
    yield "unknown keys in debaters", fill("- {nam: n, sid: s}\n", topic + "debaters:\n", size=60_000)
    yield "unknown systems", fill("x,", topic + "judging: {systems: [", "]}", size=40_000)
    yield "unknown phases", numbered("open#", 19_000, topic + "format: {phases: [", "]}", ",")
    yield "one name for all", fill("- {name: n, side: s}\n", topic + "debaters:\n", size=80_000)
    yield (
        "unknown models",
        numbered("- {name: n#, side: s, model: zz#}\n", 2000, topic + "debaters:\n", "models: {zy: {}}"),
    )
    yield (
        "long names alike",
        f"{sides.replace('model: p', 'model: ' + 'p' * 400_000)}models: {{? {'p' * 400_001} : {{}}}}",
    )
    yield "personas", numbered("q#", 19_000, sides + "judging: {systems: [{kind: panel, personas: [", "]}]}", ",")
    yield "prompts", numbered("p#: x", 9000, sides + "models: {p: {model: mock/x}}\nprompts: {", "}", ",")
    yield "aliases", fill("*a,", "a: &a 1\nb: [", "]")
    yield "laughs", numbered("a#: [*a, *a]\n", 30).replace("*a", "&a [1]", 1)
    yield "tags", fill("- !!python/object:os.system x\n")
    yield "variables", fill("${A}", 'topic: "', '"')
    yield "variables without an end", fill("${A:-", 'topic: "', '"')
    yield "a long key", fill("a", 'topic: "bearer ', '!"')
    yield "schemes", fill("a.", 'topic: "', '"')
    yield "digits", fill("9", "seed: ")
    yield "control characters in names", "format: {kind: " + json.dumps("\x1b[31m" * 100_000) + "}"
    persona = json.dumps("\x1b[31mq" * 9999)
    yield "control characters in a persona", f"{sides}judging: {{systems: [{{kind: panel, personas: [{persona}]}}]}}"


def replies() -> Iterator[Case]:
    """Replies of a model."""
    for unit in ("{", '{"a":', "{}", '{"}', "[", "}", "<think>", "<think></think>", "{'x ", "```"):
        yield f"repeated {unit}", fill(unit)
    if os.environ.get("SOAK"):
        yield from refused_repairs()
    yield "forms", fill(GOOD)
    yield "forms that differ", fill(GOOD + GOOD.replace("7", "8"))
    yield "broken forms", fill(GOOD.replace("}", ",}"))
    yield "NaN", fill('{"a": NaN}')
    yield "wrappers", '{"a": ' * 900 + GOOD.replace("sound", "sound" * 200_000) + "}" * 900
    yield "a key twice at the end", numbered('"k#": 1, ', 70_000, "{", '"k0": 1}')
    yield "marks upon a letter", '{"' + "a" + "\u0301\u0323" * (MIB // 4) + '": 1}'
    yield "ligatures", '{"' + "\ufdfa" * (MIB // 3) + '": 1}'
    for size in (MIB, 49_000):
        yield f"digits, {size}", fill("9", '{"score": ', "}", size)
        yield f"comments, {size}", fill("/", "{", "}", size)
        yield f"hashes, {size}", fill("#", '{"a": ', "}", size)
        yield f"quotes, {size}", fill('"x" ', '{"a": ', "}", size)
        yield f"words in quotes, {size}", fill('"b" ', '{"a": "', '"}', size)
        yield f"backslashes, {size}", fill('\\"', '{"', "}", size)
        yield f"role markers, {size}", fill("<|a|>", '{"', "}", size)
        yield f"a set, {size}", fill('"a",', "{", "}", size)


def refused_repairs() -> Iterator[Case]:
    """Replies that take MAX_REPAIR_READS at any size. `fuzz/test_findings.py` has one of them in CI."""
    yield "braces and double quotes", fill('{"')
    yield "braces and single quotes", fill("{'")
    for size in (MIB, 49_000):
        yield f"parentheses, {size}", fill("(", '{"a": ', "}", size)
        yield f"open objects, {size}", fill('{"b" ', '{"a" ', "}", size)
        yield f"open texts, {size}", fill('"b ', '{"a": [', "]}", size)


def transcripts() -> Iterator[Case]:
    """Documents, most of them a debate with one part repeated."""
    document, assessment, turn = _parts()
    yield "depth", "[" * 10 * MIB
    yield "depth in a transcript", '{"schema_version": 1, "x": ' + '{"a": ' * (2 * MIB)
    yield "closed depth", '{"x": ' * 100_000 + "1" + "}" * 100_000
    for depth in range(930, 1010, 16):
        yield f"depth {depth}", json.dumps(document)[:-1] + ', "x": ' + "[" * depth + "]" * depth + "}"
    yield "a version of digits", fill("9", '{"schema_version": ', "}")
    yield "a large version", '{"schema_version": ' + "9" * 4000 + "}"
    yield "digits in a turn", fill("9", '{"schema_version": 1, "turns": ', "}")
    yield "keys twice", fill('"a": 1, ', '{"schema_version": 1, ', '"b": 1}')
    yield "numbers for turns", json.dumps({**document, "turns": [1] * (300_000 // SHRINK)})
    yield (
        "numbers for marks",
        json.dumps({**document, "assessments": [{**assessment, "marks": [1] * (300_000 // SHRINK)}]}),
    )
    yield "one turn", json.dumps({**document, "turns": [turn] * 300})
    run = {"id": "r2", "started_at": document["started_at"], "judging": {"systems": ["structured"]}, "replaces": True}
    yield "runs", json.dumps({**document, "runs": [run] * (9000 // SHRINK)})
    yield "a revision", json.dumps({**document, "assessments": [{**assessment, "revision": 10**30}]})
    yield "a topic of marks", json.dumps({**document, "topic": "a" + "\u0301\u0323" * (MIB // 12)})
    yield "line breaks", "\n" * MIB


def journals() -> Iterator[Case]:
    """Events."""
    from fuzz_seeds import seeds

    first, *others = seeds("journal")[0].decode().splitlines()
    at = json.loads(first)["at"]
    run = {"type": "judging_opened", "at": at, "run": "r2", "judging": {"systems": ["structured"]}, "replaces": True}
    yield "depth", first + "\n" + "[" * 10 * MIB + "\n" + others[0]
    yield "depth at the end", first + "\n" + '{"a": ' * MIB
    yield "line breaks", "\n" * MIB
    yield "runs", "\n".join([first, *[json.dumps(run)] * (8000 // SHRINK)])
    yield "resumed", "\n".join([first, *[json.dumps({"type": "resumed", "at": at})] * (20_000 // SHRINK)])
    yield "one event", "\n".join([first, *[others[0]] * 300])
    yield "nothing", b"\x00" * MIB


def sources() -> Iterator[Case]:
    """Pages whose markup never ends, and Markdown."""
    for unit in ("<!--x>", "<![CDATA[>", "<?", "</a ", "<sup>", "<table><tr><th>", "<sup>1", "<a>"):
        yield f"repeated {unit}", fill(unit)
    yield "nested superscripts", fill("<sup>", after="a") + fill("</sup>")
    yield "footnotes", fill("[1]", "word<sup>", "</sup>")
    yield "brackets in a footnote", fill("[", "word<sup>", "]</sup>")
    yield "a heading of tags", fill("a<b>", "<h1>")
    yield "a heading of spaces", fill(" ", "# a", "b\ntext\n")


def _parts() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A transcript, and one of its assessments and turns."""
    from fuzz_seeds import seeds

    document = json.loads(seeds("transcript")[0])
    return document, document["assessments"][0], document["turns"][0]


CASES: dict[str, Callable[[], Iterator[Case]]] = {
    "config": configs,
    "transcript": transcripts,
    "journal": journals,
    "reply": replies,
    "source": sources,
}


def main() -> None:
    """Run the cases of all targets, or of the one named on the command line; further words select cases by name."""
    from fuzz_targets import TARGETS

    named, words = sys.argv[1:2], sys.argv[2:]
    for name in named or CASES:
        for case, data in CASES[name]():
            if all(word in case for word in words):
                print(f"{name}: {case}", flush=True)
                faulthandler.dump_traceback_later(LIMIT_S, exit=True)
                TARGETS[name](data if isinstance(data, bytes) else data.encode())
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
