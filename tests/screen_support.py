"""A terminal's screen in memory: enough of one to see what drawing and redrawing leave on it."""

from __future__ import annotations

import re
from io import StringIO

_TOKEN = re.compile(r"\x1b\[\??[0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]")


class Screen(StringIO):
    """Rows without an end that never scroll away; what is written is obeyed as a terminal would."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[list[str]] = [[]]
        self.row = 0
        self.column = 0
        self.cursor_shown = True

    def write(self, text: str, /) -> int:
        """Obey `text`."""
        for token in _TOKEN.findall(text):
            self._obey(token)
        return len(text)

    def isatty(self) -> bool:
        """It is a terminal."""
        return True

    def lines(self) -> list[str]:
        """What stands on it, without blanks at the end."""
        found = ["".join(cells).rstrip() for cells in self.cells]
        while found and not found[-1]:
            found.pop()
        return found

    def _obey(self, token: str) -> None:
        if token == "\r":
            self.column = 0
        elif token == "\n":
            self.row, self.column = self.row + 1, 0
            if self.row == len(self.cells):
                self.cells.append([])
        elif token.startswith("\x1b"):
            self._sequence(token[2:-1], token[-1])
        else:
            self._put(token)

    def _sequence(self, parameter: str, final: str) -> None:
        match final:
            case "A":
                self.row = max(0, self.row - int(parameter or 1))
            case "J":
                del self.cells[self.row + 1 :]
                del self.cells[self.row][self.column :]
            case "K":
                del self.cells[self.row][0 if parameter == "2" else self.column :]
            case "h" | "l" if parameter == "?25":
                self.cursor_shown = final == "h"
            case _:
                pass

    def _put(self, sign: str) -> None:
        line = self.cells[self.row]
        line += [" "] * (self.column + 1 - len(line))
        line[self.column] = sign
        self.column += 1
