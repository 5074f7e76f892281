"""Statistics of many debates: ratings, agreement, intervals. Pure functions of numbers; needs the extra `[experiments]`.

Modules here import numpy, scipy and evalica where they use them. `require_extra` names the install command when they
are missing, so a use case calls it before it starts.
"""

from importlib.util import find_spec

from debate_cli.errors import ConfigError

NEEDED = ("numpy", "scipy", "pandas", "evalica")


def require_extra() -> None:
    """Check that the packages of the extra are installed, without importing them.

    Raises:
        ConfigError: one of them is missing. The message names the command that installs them.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"statistics need the packages {', '.join(missing)}: install them with "
            "`python3 -m pip install 'debate-cli[experiments]'` (from a checkout: `python3 -m pip install '.[experiments]'`)"
        )
