"""A terminal screen in memory that obeys the control sequences of the live view."""

import re
from io import StringIO

_TOKEN = re.compile(r"\x1b\[\??[0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]")


class Screen(StringIO):
    """An unlimited number of rows that never scroll away."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[list[str]] = [[]]
        self.row = 0
        self.column = 0
        self.cursor_shown = True

    def write(self, text: str, /) -> int:
        """Apply `text` to the screen."""
        for token in _TOKEN.findall(text):
            self._apply(token)
        return len(text)

    def isatty(self) -> bool:
        """Report a terminal."""
        return True

    def lines(self) -> list[str]:
        """The visible lines, without trailing blanks."""
        return "\n".join("".join(cells).rstrip() for cells in self.cells).rstrip("\n").split("\n")

    def count(self, text: str) -> int:
        """The number of lines that contain `text`."""
        return sum(text in line for line in self.lines())

    def _apply(self, token: str) -> None:
        if token == "\r":
            self.column = 0
        elif token == "\n":
            self.row, self.column = self.row + 1, 0
            if self.row == len(self.cells):
                self.cells.append([])
        elif token.startswith("\x1b"):
            self._apply_sequence(token[2:-1], token[-1])
        else:
            line = self.cells[self.row]
            line += [" "] * (self.column + 1 - len(line))
            line[self.column] = token
            self.column += 1

    def _apply_sequence(self, parameter: str, final: str) -> None:
        match final:
            case "A":
                self.row = max(0, self.row - int(parameter or 1))
            case "C":
                self.column += int(parameter or 1)
            case "D":
                self.column = max(0, self.column - int(parameter or 1))
            case "H":
                self.row = self.column = 0
            case "J":
                del self.cells[self.row + 1 :]
                del self.cells[self.row][self.column :]
            case "K":
                del self.cells[self.row][0 if parameter == "2" else self.column :]
            case "h" | "l" if parameter == "?25":
                self.cursor_shown = final == "h"
            case _:
                pass
