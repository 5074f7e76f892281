"""A command-line debate runner: language models argue, judges score them, and every score can be recomputed.

    import asyncio, debate_cli

    config = debate_cli.load_config("configs/mock.yaml")
    outcome = asyncio.run(debate_cli.run_debate(config, mock=True))
    print(outcome)

Public names are imported when they are first used, so that the command line starts fast.
"""

from debate_cli.version import __version__

TYPE_CHECKING = False
"""Type checkers treat this name as True.

Defined here, because `import typing` could load a file of the working folder.
"""

if TYPE_CHECKING:
    from debate_cli.app.api import (
        RESTART,
        Argument,
        Assessment,
        BudgetError,
        ConfigError,
        Debate,
        DebateConfig,
        DebateError,
        LiveNotes,
        Mark,
        Message,
        Model,
        ModelError,
        ModeratorNotes,
        Observer,
        Outcome,
        PanelNotes,
        PersuasionNotes,
        Reply,
        Request,
        SourcesNotes,
        StructuredNotes,
        TranscriptError,
        Turn,
        Usage,
        Verdict,
        agreement,
        import_debate,
        judge,
        judge_text,
        load_config,
        load_transcript,
        needs_deliberation,
        run_debate,
        score,
    )

__all__ = [
    "RESTART",
    "Argument",
    "Assessment",
    "BudgetError",
    "ConfigError",
    "Debate",
    "DebateConfig",
    "DebateError",
    "LiveNotes",
    "Mark",
    "Message",
    "Model",
    "ModelError",
    "ModeratorNotes",
    "Observer",
    "Outcome",
    "PanelNotes",
    "PersuasionNotes",
    "Reply",
    "Request",
    "SourcesNotes",
    "StructuredNotes",
    "TranscriptError",
    "Turn",
    "Usage",
    "Verdict",
    "__version__",
    "agreement",
    "import_debate",
    "judge",
    "judge_text",
    "load_config",
    "load_transcript",
    "needs_deliberation",
    "run_debate",
    "score",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        from debate_cli.app import api

        return getattr(api, name)
    raise AttributeError(f"module 'debate_cli' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
