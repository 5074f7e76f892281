"""Statistics of many debates: ratings, agreement, intervals. Needs the extra `[experiments]`.

Call `require_extra` before any other function of this package.
"""

from importlib.util import find_spec

from debate_cli.errors import ConfigError

NEEDED = ("numpy", "scipy", "pandas", "evalica")


def require_extra() -> None:
    """Raise ConfigError if a package of the extra `[experiments]` is not installed."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"statistics need packages that are not installed: {', '.join(missing)}; install them with "
            "`python3 -m pip install 'debate-cli[experiments]'`, or in a checkout with `python3 -m pip install '.[experiments]'`"
        )
