"""Finds passages for speakers and judges, in files and on the web."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import PassagesShown
from debate_cli.domain.evidence import FoundPassage, LookupPlace, Passage, Search, SearchRecord
from debate_cli.domain.message_text import one_line
from debate_cli.domain.tasks import Brief, Cue, Task, speech_key
from debate_cli.evidence.corpus import Corpus

LOOKUP_PASSAGES = 2
"""Maximum number of passages that a judge gets for each query to the files."""
RANKED_PASSAGES = 50
"""Maximum number of passages from files that the ranker orders for one speech."""
MAX_QUERY_CHARS = 400
"""Maximum length of a query to a search engine, in characters."""
_PASSAGE_NUMBER = re.compile(r"S([0-9]{1,9})")


class JudgeLookup(NamedTuple):
    """Queries for the passages that a judge needs, and where to search: files, web or both."""

    places: frozenset[LookupPlace]
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PassageFinder:
    """Finds passages for speakers and judges in the files of one corpus and on the web."""

    corpus: Corpus | None
    limit: int
    """Maximum number of passages for one speech."""
    web: Callable[[Search], Awaitable[SearchRecord]] | None = None
    """Function that searches the web. It records a failure in the returned record instead of raising it."""
    web_queries: int = 0
    """Maximum number of the speaker's web queries for one speech. If 0, only judges may search the web."""
    lookup: Callable[[Brief, Debate], JudgeLookup | None] = lambda _brief, _debate: None
    """Function that returns a judge's queries for a brief (the judge's task). Returns None if the judge needs no
    passages."""
    ranker: Callable[[Search, Sequence[FoundPassage]], Awaitable[SearchRecord]] | None = None
    """Orders the passages of files by closeness in meaning. If None, the passages keep the order of the index."""

    def needs_passages(self, task: Task, debate: Debate) -> bool:
        """Whether passages must be found before `task` starts."""
        if isinstance(task, Cue):
            return self.corpus is not None or self.web_queries > 0
        return self._lookup_of(task, debate) is not None

    def list_searches(self, task: Task, debate: Debate) -> tuple[Search, ...]:
        """Return the searches that `task` needs: web searches, and for a speech also a search of the kind `rerank`.

        A `rerank` search orders passages of files by meaning. It is left out if there are no files or no ranker. A web
        query that succeeded for an earlier speech of the speaker is not repeated.
        """
        if not isinstance(task, Cue):
            lookup = self._lookup_of(task, debate)
            asked = lookup.queries if lookup is not None and "web" in lookup.places else ()
            unique = dict.fromkeys(one_line(query)[:MAX_QUERY_CHARS] for query in asked)
            return tuple(Search(key=task.key, query=query) for query in unique)
        ordering = Search(key=task.key, kind="rerank", query=build_query(task, debate))
        orderings = (ordering,) if self.ranker is not None and self.corpus is not None else ()
        if self.web is None or not self.web_queries:
            return orderings
        earlier = _own_keys(task, debate)
        made = {record.query for record in debate.searches if record.key in earlier and record.failure is None}
        queries = build_web_queries(task, debate, self.web_queries)
        return (*(Search(key=task.key, query=query) for query in queries if query not in made), *orderings)

    async def search(self, search: Search) -> SearchRecord:
        """Search the web, or order passages by meaning if `search.kind` is `rerank`. Return the record of the search."""
        if search.kind == "rerank":
            assert self.ranker is not None
            assert self.corpus is not None
            return await self.ranker(search, self.corpus.search(search.query, RANKED_PASSAGES))
        assert self.web is not None
        return await self.web(search)

    def find(self, task: Task, debate: Debate, at: datetime) -> PassagesShown:
        """Return the event with the passages for `task`.

        For a speech, passages from files and web alternate. Passages that the speaker has seen come last.
        """
        made = debate.searches_for(task.key)
        web = [item for record in made if record.kind == "web" for item in record.results]
        if not isinstance(task, Cue):
            return number_passages(self._find_for_judge(task, debate, web), debate, task.key, at)
        shown = {name for key in _own_keys(task, debate) for name in debate.shown_passages.get(key, ())}
        before = [passage for passage in debate.passages if passage.id in shown]
        known = {passage.place for passage in before}
        query = build_query(task, debate)
        filed = [item for record in made if record.kind == "rerank" for item in record.results]
        if not filed and self.corpus is not None:
            filed = self.corpus.search(query, self.limit + len(known))
        web += [
            FoundPassage(item.source, item.title, item.locator, item.text, item.origin)
            for item in before
            if item.origin != "corpus"
        ]
        alternated = (item for pair in zip_longest(filed, web) for item in pair if item is not None)
        found = sorted(dict.fromkeys(alternated), key=lambda passage: passage.place in known)
        return number_passages(found[: self.limit], debate, task.key, at)

    def _lookup_of(self, brief: Brief, debate: Debate) -> JudgeLookup | None:
        wanted = self.lookup(brief, debate)
        if wanted is None or not wanted.queries:
            return None
        able = {"corpus": self.corpus is not None, "web": self.web is not None}
        places = frozenset(place for place in wanted.places if able[place])
        return wanted._replace(places=places) if places else None

    def _find_for_judge(self, brief: Brief, debate: Debate, web: Sequence[FoundPassage]) -> list[FoundPassage]:
        lookup = self._lookup_of(brief, debate)
        filed: list[FoundPassage] = []
        if lookup is not None and "corpus" in lookup.places and self.corpus is not None:
            filed = [item for query in lookup.queries for item in self.corpus.search(query, LOOKUP_PASSAGES)]
        return [*dict.fromkeys([*filed, *web])]


def build_query(cue: Cue, debate: Debate) -> str:
    """Return the query for passages: the questions in `cue`, the motion, the speaker's side, other speakers' claims."""
    questions = [question.text for question in cue.questions]
    side = debate.participant(cue.speaker).side
    return " ".join([*questions, debate.topic, side, *_claims_to_answer(cue, debate)])


def build_web_queries(cue: Cue, debate: Debate, most: int) -> tuple[str, ...]:
    """Return web queries for the speech of `cue`.

    If `most` is 1, one query contains the motion, all questions of `cue` and all claims of other speakers. Otherwise,
    each question and each claim is a query, at most `most` in total. The questions come first, then the claims, the
    newest first. Without questions and claims, the only query is the motion.
    """
    claims = [*(question.text for question in cue.questions), *_claims_to_answer(cue, debate)]
    motion = f"{debate.topic} {debate.participant(cue.speaker).side}"
    if most == 1:
        return ("\n".join([motion, *claims])[: 4 * MAX_QUERY_CHARS],)
    return tuple(dict.fromkeys(one_line(words)[:MAX_QUERY_CHARS] for words in claims or [motion]))[:most]


def _claims_to_answer(cue: Cue, debate: Debate) -> list[str]:
    seen = debate.visible_to(cue)
    return [argument.claim for speaker, argument in seen.arguments.values() if speaker != cue.speaker][::-1]


def number_passages(found: Sequence[FoundPassage], debate: Debate, key: str | None, at: datetime) -> PassagesShown:
    """Return an event with the passages `found`. `key`: value of `PassagesShown.key`.

    A passage that `debate` already has keeps its id, e.g. `S4`. A new passage gets the next free id.
    """
    ids = {passage.place: passage.id for passage in debate.passages}
    numbers = [int(match[1]) for passage in debate.passages if (match := _PASSAGE_NUMBER.fullmatch(passage.id))]
    following = max(numbers, default=0) + 1
    added: list[Passage] = []
    for item in found:
        if item.place not in ids:
            ids[item.place] = f"S{following}"
            added.append(item.to_passage(ids[item.place], at))
            following += 1
    return PassagesShown(at=at, key=key, shown=tuple(ids[item.place] for item in found), passages=tuple(added))


def _own_keys(cue: Cue, debate: Debate) -> list[str]:
    return [speech_key(turn.index) for turn in debate.select_turns(speaker=cue.speaker)]
