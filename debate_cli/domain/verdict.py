"""The verdict, which a scorer computes."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_serializer

from debate_cli.domain.frozen_model import FrozenModel

Victory = Literal["draw", "narrow", "clear", "overwhelming", "conditional", "undetermined"]
"""`overwhelming` occurs in persuasion, `conditional` in the panel.

`undetermined`: too little was assessed; `notes.missing` lists the gaps.
"""


class Notes(FrozenModel):
    """Details behind the scores of a verdict. Each judging system has a subclass with its fields.

    `notes["name"]` and `notes.get("name")` return a field as JSON.
    """

    missing: tuple[str, ...] = ()
    """One sentence for each gap in the assessments. In JSON, this is the last key."""

    def to_json(self) -> dict[str, JsonValue]:
        """Return the notes as JSON data, as in a transcript."""
        document = self.model_dump(mode="json", by_alias=True)
        return {**{name: document[name] for name in document if name != "missing"}, "missing": document["missing"]}

    def __getitem__(self, name: str) -> JsonValue:
        """Return the field `name` as JSON. Raises KeyError."""
        if name not in type(self).model_fields:
            raise KeyError(name)
        return self.model_dump(mode="json", by_alias=True, include={name})[name]

    def get(self, name: str) -> JsonValue:
        """Return the field `name` as JSON; None if it does not exist."""
        return self[name] if name in type(self).model_fields else None


AnyNotes = Annotated[dict[str, JsonValue] | Notes, Field(union_mode="left_to_right")]
"""`Notes` in a scored verdict, a dict in a stored one."""


class Verdict(FrozenModel):
    """The verdict of a system in a judging run. It depends only on the debate and the system's settings."""

    system: str
    """Kind of the judging system."""
    run: str
    winner: str | None
    """Name of the winner; None for a draw, a conditional verdict and an undetermined one."""
    victory: Victory
    margin: float | None
    """Points between the two best scores, >= 0; None if undetermined."""
    scores: dict[str, float]
    """Maps names of debaters to scores on the system's scale. Debaters without a score are omitted."""
    rules: Annotated[int, Field(ge=1, exclude_if=lambda rules: rules == 1)] = 1
    """Version of the system's formula; omitted in files if 1. Verdicts by different versions are not compared."""
    decides: bool = False
    """Whether this is the deciding verdict, which is shown first."""
    reviewer: Annotated[str | None, Field(exclude_if=lambda name: name is None)] = None
    """Name of the person who judged; None, and omitted in files, for models."""
    notes: AnyNotes = {}
    """Details behind the scores. After scoring, an object of the system's class, e.g. `StructuredNotes`; a stored
    verdict, or one of a plug-in without such a class, has a dict. `missing`, present in every system, lists what was
    not assessed, one sentence each."""

    @field_serializer("notes")
    def _serialize_notes(self, notes: AnyNotes) -> dict[str, JsonValue]:
        return notes.to_json() if isinstance(notes, Notes) else notes

    @property
    def option(self) -> str | None:
        """The option that the judges voted for (`notes.option`), if no debater won; None for all other verdicts."""
        if self.winner is not None or self.victory == "undetermined":
            return None
        found = self.notes.get("option")
        return found if isinstance(found, str) else None

    @property
    def outcome(self) -> str:
        """Name of the winner; without one, the option of a vote; without both, `victory`, such as `draw`."""
        return self.winner if self.winner is not None else self.option or self.victory

    @property
    def option_shares(self) -> dict[str, float]:
        """Maps options with votes to their shares of the vote, 0-1; empty if `option` is None."""
        found = self.notes.get("weights")
        if self.option is None or not isinstance(found, dict):
            return {}
        return {name: float(share) for name, share in found.items() if isinstance(share, int | float) and share > 0}

    @property
    def is_tied(self) -> bool:
        """Whether the verdict is conditional because two options tie, and not because CONDITIONAL won the vote."""
        shares = self.option_shares
        return self.option == "CONDITIONAL" and shares.get("CONDITIONAL", 0.0) < max(shares.values(), default=0.0)

    @property
    def displayed_scores(self) -> dict[str, float]:
        """The scores to show: the shares of the options if a vote has no winner, else the scores of the debaters."""
        return self.option_shares or self.scores
