"""Entry point of `debate`, `debate-cli` and `python -m debate_cli`.

Prevents Python from importing files of the working folder.
"""

import os
import sys

PACKAGE_PARENT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
"""Folder that contains the package: `site-packages`, or the root of a checkout."""


def remove_working_folder(paths: list[str], working_folder: str, python_path: str = "") -> list[str]:
    """Return `paths` (usually `sys.path`) without the working folder.

    The working folder is kept if it contains this package, or if `python_path` (PYTHONPATH) lists its absolute path.
    """
    trusted = {os.path.realpath(path) for path in python_path.split(os.pathsep) if os.path.isabs(path)}
    unsafe = {os.path.realpath(working_folder)} - {PACKAGE_PARENT} - trusted
    return [path for path in paths if os.path.realpath(os.path.join(working_folder, path)) not in unsafe]


def main() -> None:
    """Run the command line, with the working folder removed from `sys.path`."""
    try:
        sys.path[:] = remove_working_folder(sys.path, os.getcwd(), os.environ.get("PYTHONPATH", ""))
    except FileNotFoundError:  # the working folder was deleted, so there is nothing in it to import
        pass
    try:
        _run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)  # ExitCode.INTERRUPTED, whose import may have been interrupted


def _run_command_line() -> None:
    try:
        from debate_cli.cli.app import main as run_command_line
    except ModuleNotFoundError as error:
        from debate_cli.errors import describe_missing_module

        sys.exit(f"debate: {describe_missing_module(error)}")
    run_command_line()


if __name__ == "__main__":
    main()
