"""The files that take the place of shipped prompts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from debate_cli.domain.config_checks import Problem
from debate_cli.domain.did_you_mean import format_suggestion_or_list
from debate_cli.llm.template import Prompts, prompt_names

_MAX_FILES = 100
"""More than there are prompts."""
_MAX_BYTES = 256 * 1024


def read_prompt_files(files: Mapping[str, str], folder: Path) -> tuple[dict[str, str], list[Problem]]:
    """Text per prompt, and what is wrong: with a file (it lies beside the configuration, or deeper), or with a placeholder in it."""
    texts: dict[str, str] = {}
    problems: list[Problem] = []
    if len(files) > _MAX_FILES:
        return texts, [Problem(("prompts",), f"names more than {_MAX_FILES} files; there are not so many prompts")]
    shipped = prompt_names()
    for name, file in files.items():
        if name not in shipped:
            said = format_suggestion_or_list(name, sorted(shipped))
            problems.append(Problem(("prompts", name), f"there is no prompt of this name{said}", is_key_error=True))
            continue
        try:
            texts[name] = _read_prompt(folder, file)
        except ValueError as error:
            problems.append(Problem(("prompts", name), str(error)))
    problems += [Problem(("prompts", name), message) for name, message in Prompts(texts).find_problems()]
    return texts, problems


def _read_prompt(folder: Path, file: str) -> str:
    """The file's text; ValueError with a sentence where there is none."""
    try:
        path = (folder / file).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError("a prompt lies beside the configuration or beneath it; move the file there")
        with path.open("rb") as opened:
            data = opened.read(_MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ValueError("there is no such file beside the configuration; create it, or correct the name") from error
    except OSError as error:
        raise ValueError(f"the file cannot be read ({error.strerror}); make it readable") from error
    if len(data) > _MAX_BYTES:
        raise ValueError(f"the file is larger than {_MAX_BYTES // 1024} KiB; make it smaller")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError("the file is not valid UTF-8; save it as UTF-8") from error
