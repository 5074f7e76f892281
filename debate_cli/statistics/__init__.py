"""Statistics of many debates: ratings, agreement, intervals. Needs the extra `[experiments]`.

Functions here import numpy, scipy and evalica when they are called. Callers first call `require_extra`, whose error
names the install command.
"""

from importlib.util import find_spec

from debate_cli.errors import ConfigError

NEEDED = ("numpy", "scipy", "pandas", "evalica")


def require_extra() -> None:
    """Check, without an import, that the packages of the extra are installed.

    Raises:
        ConfigError: a package is missing. The message names the command that installs it.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"statistics need the packages {', '.join(missing)}: install them with "
            "`python3 -m pip install 'debate-cli[experiments]'` (from a checkout: `python3 -m pip install '.[experiments]'`)"
        )
