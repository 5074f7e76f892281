"""Choices and numbers of the mock: options, numbers of items, scores, quotes.

The seed gives every debater a lasting skill. Scores, comparisons and votes follow it with some noise, so the two sides
get different scores and two judges differ. A judge with a configured bias derives the skill from the words instead
(`biased_opinions`).
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

from debate_cli.domain.config import MockBias
from debate_cli.providers.mock.biased_opinions import DITHER, DRAW_MARGIN, judge_words
from debate_cli.providers.mock.prompt_facts import Json, PromptFacts, first_words, list_objects
from debate_cli.providers.mock.sentences import (
    NO_WINNER,
    TIED,
    Place,
    SeededRandom,
    find_leader,
    load_sentence_bank,
    participant_totals,
)

STANDINGS = ((0.45, "REFUTED"), (0.55, "UNCERTAIN"), (0.75, "PARTIALLY_UPHELD"), (1.01, "UPHELD"))
"""Pairs of an upper bound of the impression (0-1) and the argument's standing below that bound, by rising bound."""
VOTE_LEVELS = {"PASS": 0.8, "FAIL": 0.2, "CONDITIONAL": 0.5}
"""Maps a panel judge's vote to the mean of its scores, as a position on the scale (0-1)."""
FIRST_VOTE_AGREES, LATER_VOTE_AGREES = 0.4, 0.75
"""Probability that a panel judge votes with the majority, in the first and in a later vote."""
LEADER_QUALITY = 0.8
OUTPERFORMED_SHARE = 0.85
"""Share of the highest total below which a participant counts as consistently outperformed."""
DEFAULT_LIST_LENGTH = (1.0, 0.5)
PRESSURES = frozenset({"cognitive", "emotional", "strategic", "credibility"})
IN_ORDER = frozenset({"participants", "debater", "heading", "participant", "id", "item", "target"})
"""Properties for which each item of a list takes the next option."""

SUPPORT_OF_POOR_QUOTES = {"altered": "partly", "not_found": "no", "no_such_source": "no", "unchecked": "unknown"}
"""Maps the outcome of a quote check, unless the quote held, to the mock's usual answer: whether the source supports the
claim."""
RELEVANCE = {"yes": "yes", "partly": "yes", "contradicts": "yes", "no": "no", "unknown": "unknown"}
"""Maps the mock's answer whether the source supports the claim to its answer whether the source is relevant."""
QUOTING_LISTS = frozenset({"fallacies", "suspect_claims", "logic_gap", "added"})
"""Lists whose items quote a speech."""


class Opinions:
    """The choices and numbers of one answer.

    `lasting` draws numbers that are equal in all answers of a model, `random` draws them for this answer only. `bias`:
    how the words of each side determine the opinions of a judge; None for a judge whose opinions are drawn.
    """

    def __init__(
        self, facts: PromptFacts, lasting: SeededRandom, random: SeededRandom, bias: MockBias | None = None
    ) -> None:
        self._facts = facts
        self._lasting = lasting
        self._random = random
        self._bank = load_sentence_bank()
        self._is_biased = bias is not None
        names = lasting.shuffle(sorted(facts.sides), "skills", facts.motion)
        drawn = {name: (rank + 0.2 + 0.6 * lasting.unit("skill", name)) / len(names) for rank, name in enumerate(names)}
        self._skills = drawn if bias is None else judge_words(facts, random, bias)
        """Skill per debater, 0-1. Drawn skills are evenly spaced, so that no two are equal."""
        rank = sorted(facts.sides).index(facts.speaker) if facts.speaker in facts.sides else 0
        self._cited = facts.own_citation_count + rank * len(MANNERS) // 2
        """Number of citations of this debater so far, for `cite`. The second debater begins in the middle of MANNERS."""

    def _skill(self, values: Json) -> float:
        """Return the skill of the participant in `values`; without a participant, of the side for the motion."""
        person = values.get("participant") or self._facts.find_speaker(str(values.get("item"))) or self._facts.speaker
        if person is None:
            person = next((name for name, side in self._facts.sides.items() if side == "for"), None)
        return self._skills.get(str(person), self._lasting.unit("skill", self._facts.motion))

    def _impression(self, place: Place) -> float:
        """Return the impression of a performance, 0-1: skill plus noise."""
        skill = self._skill(place.values)
        if not self._is_biased:
            return 0.4 + 0.25 * skill + 0.3 * self._random.unit("impression", place.path)
        dither = DITHER * (self._lasting.unit("dither", place.path) - 0.5)
        return min(1.0, max(0.0, skill + dither)) if skill else 0.0

    def quality(self, values: Json, score: float | None) -> float:
        """Return the quality, 0-1, of the performance that a sentence describes.

        The quality follows from the argument's standing; without a standing, it is `score` (0-1). Without both, it is
        LEADER_QUALITY if the answer says who leads; otherwise it follows from the speaker's skill.
        """
        standing = next((bound for bound, name in STANDINGS if name == values.get("standing")), None)
        if standing is not None:
            return standing - 0.03
        if score is not None:
            return score
        return LEADER_QUALITY if find_leader(values, self._facts.sides) else 0.35 + 0.5 * self._skill(values)

    def number(self, place: Place, schema: Json, *, is_whole: bool) -> float:
        """Return a number within the bounds of `schema`; by default 0 to 10."""
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", max(10, low + 10)))
        value = low + (high - low) * self._share(place, is_whole=is_whole)
        if not is_whole:
            return round(value, 2)
        low, high = low + ("exclusiveMinimum" in schema), high - ("exclusiveMaximum" in schema)
        return int(min(high, max(low, round(value))))

    def _share(self, place: Place, *, is_whole: bool) -> float:
        """Return the position of a number on its scale, above 0 and below 1."""
        unit = self._random.unit("number", place.path)
        is_effect = place.name in {"persuasion", "attack"}
        is_score = "participant" in place.values or self._facts.find_speaker(str(place.values.get("item"))) is not None
        if self._is_biased and (is_score or is_effect):
            return self._impression(place)
        if place.name in PRESSURES and not is_whole:
            return 0.1 + 0.7 * unit * unit
        if is_effect:
            return 0.05 + 0.4 * unit + 0.25 * self._skill({"participant": self._facts.speaker})
        if place.name == "points":
            return 0.1 + 0.25 * unit
        if place.name == "confidence":
            return 0.55 + 0.4 * unit
        if self._facts.request.purpose == "judge.panel.vote":
            return VOTE_LEVELS[self._vote] + (0.3 if self._facts.own_vote else 0.7) * (unit - 0.5)
        return self._impression(place)

    def choose(self, place: Place, options: Sequence[Any]) -> Any:
        """Choose one of `options` for the property at `place`."""
        words = [str(option) for option in options]
        if {"CONDITIONAL", "PASS"} <= set(words):
            return self._vote
        if "PARTIALLY_UPHELD" in words:
            impression = self._impression(place)
            return next((word for bound, word in STANDINGS if impression < bound and word in words), options[0])
        if NO_WINNER.intersection(words):
            return self._choose_winner(place, words)
        if place.name in IN_ORDER:
            return options[place.index % len(options)]
        if place.name in {"supports", "relevant"}:
            return self._choose_about_source(place, words)
        if place.name == "passage" and self._facts.looked_up:
            is_known = place.values.get("exists") != "unknown"
            fitting = [word for word in words if (word in self._facts.looked_up) == is_known]
            return self._random.pick(fitting or words, "choice", place.path)
        weights = self._bank.choice_weights.get(place.name, {})
        if weights and set(weights) == set(words):
            return self._choose_weighted(weights, place)
        return self._random.pick(options, "choice", place.path)

    def _choose_about_source(self, place: Place, words: Sequence[str]) -> str:
        check = self._facts.quote_checks.get(str(place.values.get("citation")), "")
        answer = RELEVANCE.get(str(place.values.get("supports"))) if place.name == "relevant" else None
        answer = answer or SUPPORT_OF_POOR_QUOTES.get(check)
        answer = answer or self._choose_weighted(self._bank.choice_weights["supports"], place)
        return answer if answer in words else words[0]

    def _choose_weighted(self, weights: Mapping[str, float], place: Place) -> str:
        unit, upper = self._random.unit("choice", place.path), 0.0
        for word, weight in weights.items():
            upper += weight
            if unit < upper:
                return word
        return next(iter(weights))

    def _choose_winner(self, place: Place, words: Sequence[str]) -> str:
        """Choose the side with higher scores in this answer, else the more skilled one; a draw if they are close."""
        names = [word for word in words if word not in NO_WINNER]
        draw = next(word for word in words if word in NO_WINNER)
        leader = None if self._is_biased else find_leader({"scores": place.values.get("scores")}, names)
        if leader is not None:
            return draw if leader == TIED else leader
        noise, unknown, margin = (0.0, 0.0, DRAW_MARGIN / 2) if self._is_biased else (1.2, 0.5, DRAW_MARGIN)
        better = {name: noise * self._random.unit("better", place.path, name) for name in names}
        ranked = sorted(((self._skills.get(name, unknown) + better[name], name) for name in names), reverse=True)
        is_draw = len(ranked) > 1 and ranked[0][0] - ranked[1][0] < margin
        return draw if is_draw or not ranked else ranked[0][1]

    @cached_property
    def _vote(self) -> str:
        """Vote of a panel judge. First votes differ; in later rounds most judges join the majority."""
        if self._is_biased:
            sides = {side: name for name, side in self._facts.sides.items()}
            lead = self._skills.get(sides.get("for", ""), 0.5) - self._skills.get(sides.get("against", ""), 0.5)
            return "CONDITIONAL" if abs(lead) < DRAW_MARGIN / 2 else "PASS" if lead > 0 else "FAIL"
        skill = self._skill({})
        majority = "PASS" if skill > 0.6 else "FAIL" if skill < 0.35 else "CONDITIONAL"  # noqa: PLR2004 - about thirds
        own = self._facts.own_vote
        if self._random.unit("vote") < (LATER_VOTE_AGREES if own else FIRST_VOTE_AGREES):
            return majority
        return str(own.get("vote", majority)) if own else self._random.pick(tuple(VOTE_LEVELS), "option")

    def is_true(self, place: Place) -> bool:
        """Return the value of a boolean property: usually true, but rarely for `evaded`."""
        return self._random.unit("yes", place.path) < (0.1 if place.name == "evaded" else 0.8)

    def is_null(self, place: Place) -> bool:
        """Whether to write null for a value that may be null."""
        return self._random.unit("null", place.path) < (0.8 if place.name == "changed_because" else 0.3)

    def list_length(self, place: Place) -> int:
        """Return the number of items in a list, before its bounds are applied."""
        if place.name in QUOTING_LISTS and not self.quote(place):
            return 0
        if place.name == "remediation_required" and place.values.get("option") == "PASS":
            return 0
        chances = self._bank.list_lengths.get(place.name, DEFAULT_LIST_LENGTH)
        drawn = [self._random.unit("count", place.path, index) < chance for index, chance in enumerate(chances)]
        return [*drawn, False].index(False)

    def choose_some(self, place: Place, options: Sequence[Any], least: int, most: int) -> list[Any]:
        """Choose some of `options` in order. Options are repeated only if there are fewer than `least`."""
        if place.name == "concessions":
            answered = [item for turn in self._facts.own_turns for item in list_objects(turn, "responses")]
            wanted = {item.get("target") for item in answered if item.get("type") == "concede"}
        elif place.name == "participants":
            pairs = [*combinations(options, 2)] or [tuple(options)]
            wanted = set(pairs[place.index % len(pairs)])
        elif place.name == "consistently_outperformed":
            totals = participant_totals(place.values)
            wanted = {name for name, total in totals.items() if total < OUTPERFORMED_SHARE * max(totals.values())}
        else:
            wanted = set(self._random.shuffle(options, "some", place.path)[: self.list_length(place)])
        chosen = [option for option in options if option in wanted]
        spare = [option for option in options if option not in wanted]
        while len(chosen) < least:
            chosen.append(spare.pop(0) if spare else options[0])
        return sorted(chosen[:most], key=list(options).index)

    def quote(self, place: Place) -> str | None:
        """Return the first nine words of a sentence of the judged turn or argument; None without a sentence.

        If a source is cited, the words come from its passage. For the weakness that a turn exposes, they come from the
        turn before.
        """
        if place.values.get("source") in self._facts.passages:
            self._cited += 1
            return cite(self._facts.passages[place.values["source"]], self._cited - 1, self._random)
        if "claim" in place.values and self._facts.looked_up:
            found = self._facts.looked_up.get(str(place.values.get("passage")))
            return "" if found is None else cite(found, place.index, self._random)
        item = place.values.get("item")
        sentences = self._facts.quotable_sentences(str(item) if item else None, before="logic_gap" in place.path)
        return first_words(self._random.pick(sentences, "quote", place.path)) if sentences else None

    def keeps_vote(self, values: Json) -> bool:
        """Whether a panel judge has no change to explain: the judge votes for the first time, or as before."""
        own = self._facts.own_vote
        return not own or own.get("vote") == values.get("option")


Manner = Literal["exact", "near", "altered", "invented"]
MANNERS: tuple[Manner, ...] = (
    "exact", "exact", "altered", "exact", "near", "exact", "exact", "invented", "near", "exact",
)  # fmt: skip
"""Kinds of a debater's citations, in the order of their numbers; the list repeats. One citation in five is altered or
invented."""
MIN_SENTENCE_WORDS, MAX_CITED_WORDS = 6, 16
"""Minimum number of words in a sentence to cite, and maximum number of words in a quote."""
INVENTED_QUOTE = "every team that has tried it would do it again"
_ARTICLE = re.compile(r"(?<=[a-z] )(?:the|an?) (?=[a-z])")
_NEGATION = re.compile(r"\b(?:not|no) ")
_NUMBER = re.compile(r"(?<![\w.,])(?!(?:19|20)\d\d\b)\d[\d.,]*(?=\W|$)")
"""A number that is not a year."""
_VERB = re.compile(r"\b(is|are|was|were|has|had|would|will|can|could) ")


def cite(passage: str, number: int, random: SeededRandom) -> str:
    """Return a quote of `passage` for the citation `number` (from 0).

    MANNERS determines whether it is exact, near, altered or invented.
    """
    manner = MANNERS[number % len(MANNERS)]
    sentences = [part for part in re.split(r"(?<=[.!?])\s+|\n", passage) if len(part.split()) >= MIN_SENTENCE_WORDS]
    quotes = [" ".join(sentence.split()[:MAX_CITED_WORDS]).rstrip(".!?,;:") for sentence in sentences or [passage]]
    if manner == "near":
        quotes = [_ARTICLE.sub("", quote, count=1) for quote in quotes if _ARTICLE.search(quote)] or quotes
    if manner == "altered":
        telling = [quote for quote in quotes if _NEGATION.search(quote) or _NUMBER.search(quote)]
        quotes = [_alter(quote) for quote in telling or quotes]
    return INVENTED_QUOTE if manner == "invented" else random.pick(quotes, "cited", number)


def _alter(quote: str) -> str:
    """Change the meaning of `quote`: remove its negation, or else change a number, or else add a negation."""
    if _NEGATION.search(quote):
        return _NEGATION.sub("", quote, count=1)
    numbers = list(_NUMBER.finditer(quote))
    if numbers:
        place = numbers[-1].start()
        return f"{quote[:place]}{int(quote[place]) % 9 + 1}{quote[place + 1 :]}"
    return _VERB.sub(r"\1 not ", quote, count=1) if _VERB.search(quote) else f"{quote} in every case"
