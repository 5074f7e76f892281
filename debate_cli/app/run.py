"""Use case `run`: start a debate, or resume a stored one."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from debate_cli.app.context import Cassette, RunContext
from debate_cli.app.outcome import Outcome
from debate_cli.app.preparation import prepare_resume
from debate_cli.app.resume import find_remaining_work
from debate_cli.app.session import Session
from debate_cli.errors import UsageError
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.folder import new_id, validate_id
from debate_cli.storage.transcript_store import StoredDebate


@dataclass(frozen=True, slots=True)
class DebateJob:
    """A debate that is ready to run: a new debate, or the one in `stored`, which is resumed."""

    context: RunContext
    debate_id: str
    folder: Path | None
    """Folder of the transcript; None to save nothing."""
    stored: StoredDebate | None = None
    force: bool = False
    """Whether to overwrite an existing debate with this id."""
    close: bool = False
    """Whether to end the stored debate early, so that only its judges are asked."""

    @property
    def transcript_paths(self) -> tuple[Path, ...]:
        """Path of the transcript; empty if nothing is saved."""
        if self.stored is not None:
            return (self.stored.path.with_suffix(".json"),)
        return (self.folder / f"{self.debate_id}.json",) if self.folder is not None else ()

    async def run(self, context: RunContext) -> Outcome:
        """Run the debate. `context`: the job's context, to which the caller has added an observer and a stop signal."""
        session = Session(context)
        if self.stored is not None:
            return await session.resume(self.stored, close=self.close)
        return await session.begin(self.debate_id, self.folder, force=self.force)


def prepare_stored_debate(
    loaded: LoadedConfig, stored: StoredDebate, *, mock: bool, cassette: Cassette | None, asked: bool, close: bool
) -> RunContext:
    """Prepare to resume a stored debate with `loaded`; with `close`, to end it early.

    Raises UsageError if there is nothing to close, ConfigError if `loaded` changes what was already said.
    """
    if close and not stored.debate.turns:
        raise UsageError(f"{stored.path}: --close: nothing was said yet, so there is nothing to judge; resume it")
    return prepare_resume(loaded, stored, mock=mock, cassette=cassette, asked=asked, close=close)


def build_job(
    context: RunContext,
    *,
    debate_id: str | None = None,
    folder: Path | None = None,
    save: bool = True,
    stored: StoredDebate | None = None,
    force: bool = False,
    close: bool = False,
) -> DebateJob:
    """The job for a prepared debate. If None, `debate_id` is generated and `folder` comes from the configuration."""
    config = context.config
    name = (
        validate_id(debate_id)
        if debate_id is not None
        else new_id(config.topic, datetime.now(UTC), random.SystemRandom(), context.redact)
    )
    target = (folder or Path(config.output.dir)) if save else None
    return DebateJob(context, name, target, stored, force, close)


def models_replaced_by_mock(stored: StoredDebate) -> tuple[str, ...]:
    """Models, other than mocks, that the mock will replace in the rest of a stored debate."""
    left = find_remaining_work(stored.debate).models
    return tuple(dict.fromkeys(spec.model for spec in left if not spec.model.startswith("mock/")))
