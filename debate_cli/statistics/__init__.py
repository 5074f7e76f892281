"""Statistics of many debates: ratings, agreement, intervals. Needs the extra `[experiments]`.

Call `require_extra` before any other function of this package.
"""

from debate_cli.plugins import require_packages


def require_extra() -> None:
    """Raise MissingExtraError if a package of the extra `[experiments]` is not installed."""
    require_packages("the analysis", "experiments", ("numpy", "scipy", "pandas", "evalica"))
