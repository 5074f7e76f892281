"""Takes part in debates through files: answers every prompt in a folder by filling in its form.

    python answer_files.py transcripts/files

It reads and writes files only. Replace `write_text` and `choose` by a program that has something to say.
"""

import re
import sys
import time
from pathlib import Path

FORM = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = re.compile(r"(?:one|any|at least \d+) of: (.+)")
RANGE = re.compile(r"number from (-?[\d.]+) to (-?[\d.]+)")


def write_text(field: str, prompt: str) -> str:
    """The words for one field of a form."""
    motion = prompt.partition("# ")[2].partition("\n")[0]
    return f"This is the {field.strip(' -:')} of {motion}, written by a script that measures 12 of 40 cases."


def choose(limits: str) -> str:
    """The value of a field that is not free text: a choice, a number, yes or no."""
    if options := OPTIONS.search(limits):
        return options[1].split(", ")[0]
    if bounds := RANGE.search(limits):
        low, high = float(bounds[1]), float(bounds[2])
        return f"{(low + high) / 2:g}" if "whole" not in limits else str(round((low + high) / 2))
    return "no" if "yes or no" in limits else "1"


def fill_in(prompt: str) -> str:
    """The form at the end of a prompt, filled in."""
    filled: list[str] = []
    for line in FORM.findall(prompt)[-1].splitlines():
        if line.startswith("#"):
            continue
        head, _, limits = line.partition("  # ")
        indent = " " * (len(head) - len(head.lstrip(" -")) + 2)
        if head.endswith("|"):
            filled += [head, indent + write_text(head[:-2], prompt)]
        elif head.endswith(":") and limits:
            filled.append(f"{head} {choose(limits)}")
        elif head.endswith("[]") and "at least" in limits:
            filled.append(f"{head[:-2]}[{choose(limits)}]")
        else:
            filled.append(line)
    return "\n".join(line for line in filled if line.strip())


def answer_all(folder: Path) -> int:
    """Answer every prompt below `folder` that has no reply. Returns how many were answered."""
    answered = 0
    for prompt in sorted(folder.glob("**/*.prompt.md")):
        reply = prompt.with_name(prompt.name.replace(".prompt.md", ".reply.md"))
        if not reply.exists():
            whole = reply.with_suffix(".tmp")
            whole.write_text(fill_in(prompt.read_text()))
            time.sleep(0.02)  # a rename that is later than the last change shows that the file is whole
            whole.rename(reply)
            answered += 1
    return answered


if __name__ == "__main__":
    while True:
        answer_all(Path(sys.argv[1]))
        time.sleep(0.2)
