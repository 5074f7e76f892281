"""`mock/scripted`: replies from a YAML or JSON file.

The file maps purposes to replies (the purposes are listed at `llm.port.Request.purpose`):

    opening: {arguments: [...]}         an object is sent as JSON
    closing: I rest my case.            a string is sent as it is
    judge.structured: [nonsense, {...}] a list is served in order, its last item again and again
    opening@Con: {arguments: [...]}     used instead of `opening` where the rules given to the model, or its last message,
                                        hold the words after the `@`; the longest such words win

Sides that are asked at once ask in no fixed order: give each its own `purpose@WORDS` instead of a list for both.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from debate_cli.domain.config import ModelSpec
from debate_cli.errors import ConfigError, PermanentError
from debate_cli.llm.model import Request

_MAX_BYTES = 1024 * 1024


class Script:
    """The replies of one file, and how many of each list were served."""

    def __init__(self, replies: dict[str, Any], path: Path) -> None:
        self._replies = replies
        self._path = path
        self._served: Counter[str] = Counter()

    @classmethod
    def load(cls, spec: ModelSpec, folder: Path) -> Script:
        """Read the script that `spec` names, relative to `folder`; ConfigError when that cannot be done."""
        if spec.script is None:
            raise ConfigError(f"the model {spec.model} needs `script`: name a YAML or JSON file with its replies")
        path = folder / spec.script
        try:
            content: Any = yaml.safe_load(_text_of(path))
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise ConfigError(
                f"{path}: the script of {spec.model} cannot be read ({why}); create it, or correct its name"
            ) from error
        except (yaml.YAMLError, RecursionError) as error:
            raise ConfigError(
                f"{path}{_place(error)}: the script of {spec.model} is neither YAML nor JSON; look here for a missing quote, "
                "bracket or colon, and for wrong indentation"
            ) from error
        if not isinstance(content, dict):
            raise ConfigError(
                f"{path}: the script of {spec.model} must map purposes (opening, ...) to replies; begin it with `opening:`"
            )
        return cls(content, path)  # pyright: ignore[reportUnknownArgumentType] - checked key by key when used

    def reply(self, request: Request) -> str:
        """The text that stands for `request`; PermanentError when the script has none."""
        key = self._key(request)
        value = self._replies.get(key)
        if isinstance(value, list) and value:
            value = value[min(self._served[key], len(value) - 1)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            self._served[key] += 1
        if value is None or value == []:
            raise PermanentError(f"{self._path} has no reply for `{request.purpose}`: add one under that key.")
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

    def _key(self, request: Request) -> str:
        """The most specific key of the script that fits: `purpose@WORDS`, else the purpose itself."""
        heard = request.system + "\n" + (request.messages[-1].content if request.messages else "")
        lead = f"{request.purpose}@"
        special = [str(key) for key in self._replies if str(key).startswith(lead) and str(key)[len(lead) :] in heard]
        return max(special, key=len, default=request.purpose)


def _text_of(path: Path) -> str:
    """The script's text; raises OSError, and ValueError with a reason."""
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it is larger than {_MAX_BYTES // 1024} KiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not valid UTF-8") from None


def _place(error: Exception) -> str:
    """`:line:column`, from 1, of what cannot be read; nothing where the parser names no place."""
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return f":{mark.line + 1}:{mark.column + 1}" if mark is not None else ""
