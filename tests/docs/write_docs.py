"""Regenerate the generated parts of docs/: the reference and the outputs of commands (`make docs-reference`)."""

import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from played_pages import DOCS, PLAYED, played
from reference_files import files_reference
from reference_pages import cli_reference, config_reference
from reference_python import python_reference, scores_reference

REFERENCE: Mapping[str, str] = {
    "reference/config.md": config_reference(),
    "reference/cli.md": cli_reference(),
    "reference/python.md": python_reference(),
    "reference/scores.md": scores_reference(),
    "reference/files.md": files_reference(),
}


def main() -> None:
    """Write changed pages and print their names."""
    made = {**REFERENCE, **{page: played(page) for page in PLAYED}}
    for page, text in made.items():
        place = DOCS / page
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
            print(f"written: docs/{page}")


if __name__ == "__main__":
    main()
