"""Entry point of `debate`, `debate-cli` and `python -m debate_cli`."""

from __future__ import annotations

import gc

gc.disable()  # what is imported stays, and a tenth of the start-up went into looking through it; `work` enables it again

from debate_cli.cli.app import main  # noqa: E402 - only now

if __name__ == "__main__":
    main()
