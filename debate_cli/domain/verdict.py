"""The verdict of a judging system, which is computed from assessments."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, SkipValidation, field_serializer

from debate_cli.domain.frozen_model import FrozenModel

Victory = Literal["draw", "narrow", "clear", "overwhelming", "conditional", "undetermined"]
"""Result of a debate. `undetermined` means that too little was assessed."""


class Notes(FrozenModel):
    """Details behind the scores of a verdict. Each judging system has a subclass with its own fields.

    `notes["name"]` and `notes.get("name")` return a field as JSON.
    """

    missing: tuple[str, ...] = ()
    """One sentence for each gap in the assessments, e.g. `Round 2 was not assessed by ada (abstained)`."""

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
        """Return the field `name` as JSON; None if there is no such field."""
        return self[name] if name in type(self).model_fields else None


AnyNotes = Annotated[dict[str, SkipValidation[JsonValue]] | Notes, Field(union_mode="left_to_right")]
"""The notes of a verdict: `Notes` after scoring, a dict when read from a file."""


class Verdict(FrozenModel):
    """The verdict of a judging system in one judging run."""

    system: str
    """Kind of the judging system."""
    run: str
    """Id of the judging run, e.g. `r1`."""
    winner: str | None
    """Name of the debater who won; None if no debater won, e.g. in a draw, and for every judged document."""
    victory: Victory
    """How clear the result is; `undetermined` if too little was assessed."""
    margin: float | None
    """Points between the two best scores, >= 0; None if undetermined."""
    scores: dict[str, float]
    """Maps names of debaters to scores on the system's scale. Debaters without a score are left out. The scores of
    options in a vote, e.g. of PASS, are in `option_scores`."""
    rules: Annotated[int, Field(ge=1, exclude_if=lambda rules: rules == 1)] = 1
    """Version of the system's formula; omitted in files if 1."""
    decides: bool = False
    """Whether this verdict decides the debate."""
    reviewer: Annotated[str | None, Field(exclude_if=lambda name: name is None)] = None
    """Name of the person who judged; None, and omitted in files, if models judged."""
    notes: AnyNotes = {}
    """Details behind the scores. The field `missing` lists the gaps in the assessments."""

    @field_serializer("notes")
    def _serialize_notes(self, notes: AnyNotes) -> dict[str, JsonValue]:
        return notes.to_json() if isinstance(notes, Notes) else notes

    @property
    def option(self) -> str | None:
        """Option that the judges voted for, e.g. `CONDITIONAL`.

        None if a debater won, if the verdict is undetermined, and for systems without options.
        """
        if self.winner is not None or self.victory == "undetermined":
            return None
        found = self.notes.get("option")
        return found if isinstance(found, str) else None

    @property
    def outcome(self) -> str:
        """Name of the winner. Without a winner: `option`. Without an option: the value of `victory`, e.g. `draw`."""
        return self.winner if self.winner is not None else self.option or self.victory

    @property
    def option_scores(self) -> dict[str, float]:
        """Maps each option of a vote, e.g. PASS, to its score. Empty if there was no vote on options."""
        found = self.notes.get("weights")
        if not isinstance(self.notes.get("option"), str) or not isinstance(found, dict):
            return {}
        return {name: float(score) for name, score in found.items() if isinstance(score, int | float)}

    @property
    def option_shares(self) -> dict[str, float]:
        """The `option_scores` above 0, e.g. `{"PASS": 0.7, "FAIL": 0.3}`. Empty if `option` is None."""
        return {} if self.option is None else {name: score for name, score in self.option_scores.items() if score > 0}

    @property
    def is_tied(self) -> bool:
        """Whether several options share the highest score, e.g. PASS and FAIL with 0.5 each.

        In this example, a panel's verdict is CONDITIONAL.
        """
        shares = list(self.option_shares.values())
        return shares.count(max(shares, default=0.0)) > 1

    @property
    def displayed_scores(self) -> dict[str, float]:
        """The scores to show: `option_shares`, or `scores` if `option_shares` is empty."""
        return self.option_shares or self.scores
