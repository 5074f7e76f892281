"""Entry point of `debate`, `debate-cli` and `python -m debate_cli`."""

from __future__ import annotations

import gc

gc.disable()  # what is imported stays: looking through it for garbage takes a tenth of the start-up; `load` ends this

from debate_cli.cli.app import main  # noqa: E402 - only now

if __name__ == "__main__":
    main()
