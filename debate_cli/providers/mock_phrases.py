"""The mock's vocabulary: what can be argued about any motion, and the sentences it is argued in.

Slots in braces are filled by `providers.mock_voice`; with a capital initial (`{Case}`) the value begins a sentence.
Slots: motion, focus (what the motion is about), stand ("for the motion"), angle, case (what speaks for the speaker),
counter (what speaks for the others), measure, source, target (an argument's id), name (whom it is about), other.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Angle:
    """A respect in which a motion can be argued; `gain` and `harm` are clauses, the others noun phrases."""

    name: str
    gain: str
    harm: str
    measure: str
    source: str


ANGLES = (
    Angle(
        "running cost",
        "money moves from upkeep to work that people notice",
        "every new part has to be bought, learnt and looked after",
        "the cost per outcome over twelve months",
        "published budget reviews",
    ),
    Angle(
        "reliability",
        "a failure stays small and is found early",
        "there are more places in which something can break unseen",
        "the number and length of outages per quarter",
        "public incident reports",
    ),
    Angle(
        "pace",
        "decisions that took weeks are made in days",
        "coordination eats the hours that the change was meant to save",
        "the median time from decision to delivery",
        "yearly delivery surveys",
    ),
    Angle(
        "skill",
        "people learn early what they will need anyway",
        "scarce experts are tied up where beginners would have done",
        "the hours spent on training and hand-over",
        "workforce studies",
    ),
    Angle(
        "reversibility",
        "a wrong step can be taken back while it is still cheap",
        "a choice made early binds everyone who comes later",
        "the cost of undoing the choice after two years",
        "post-mortems of abandoned programmes",
    ),
    Angle(
        "fairness",
        "those who carry the burden also get the benefit",
        "a few gain while the cost is spread over those who were not asked",
        "the distribution of costs and benefits by group",
        "distributional impact assessments",
    ),
    Angle(
        "accountability",
        "it is clear who answers for which result",
        "responsibility is shared so widely that nobody answers for the result",
        "the share of incidents with a named owner",
        "audit findings",
    ),
    Angle(
        "trust",
        "people can see how a result came about and accept it",
        "people stop believing results that they cannot follow",
        "the share of users who say they would choose it again",
        "repeated user surveys",
    ),
    Angle(
        "growth",
        "what works for a few goes on working for many",
        "the setting is built for a size that may never be reached",
        "the cost of each doubling in demand",
        "capacity studies",
    ),
    Angle(
        "security",
        "damage in one place does not spread to the next",
        "each added connection is one more door to guard",
        "the number of confirmed breaches per year",
        "security statistics",
    ),
    Angle(
        "attention",
        "the few people at hand work on what matters most",
        "the few people at hand look after the means instead of the end",
        "the share of working hours spent on the core task",
        "time-use studies",
    ),
    Angle(
        "learning",
        "mistakes show up where they can teach something",
        "it takes too long to see whether the choice was right",
        "the time from a mistake to its correction",
        "evaluation studies",
    ),
)

NEITHER = (
    "the discussion of {focus} becomes concrete",
    "the choice about {focus} can be tested step by step",
    "what is known about {angle} is put to use",
    "the people concerned can compare {measure}",
)
"""What speaks for a debater who is neither for nor against."""

SPOKEN: dict[str, tuple[str, ...]] = {
    "claim": (
        "{Case}, and that speaks {stand}.",
        "On {angle}, experience with {focus} speaks {stand}: {case}.",
        "Whoever decides about {focus} decides about {angle}, and there {case}.",
        "The strongest point {stand} is {angle}: {case}.",
        "Seen from {angle}, the answer on {focus} is plain: {case}.",
    ),
    "reasoning": (
        "A decision about {focus} sets priorities, and priorities decide where effort goes. Because of that, {case}, and {measure} shows it before the second year is out.",
        "The chain is short. The choice about {focus} changes what people do first; what they do first becomes habit; and so {case}. Consider {measure}: it moves only when that habit does.",
        "The choice about {focus} is made again with every new project. Each time {case}, and the effect adds up, because nobody ever begins from nothing again.",
        "It could be said that {counter}. However, that holds only at the start. As soon as the work repeats itself, {case}, and {measure} records the difference.",
        "With {focus} the cause lies in incentives: people follow what is easy to do and easy to see. That is why {case}, and why {measure} is the right thing to watch.",
    ),
    "evidence": (
        "{Source} track {measure}; in most cases the data point the same way.",
        "The figure to check is {measure}, as {source} report it year by year.",
        "See {measure} in {source}: imperfect evidence, but mostly in one direction.",
        "{Source} compare {measure} before and after such a change.",
    ),
    "reasoning.refute": (
        "{Target} takes {angle} for granted, but the inference is flawed: it stops at the first effect. Taken one step further, {case}, and {measure} would show the opposite of what is claimed.",
        "The conclusion of {target} does not follow. Even where its premise is true, {case}; so the cause it names cannot carry the result it promises.",
        "What {target} says about {angle} is mistaken in its order of cause and effect: {measure} changes first, and only then does anyone change course. In fact {case}.",
    ),
    "reasoning.challenge": (
        "{Target} may be true somewhere, but {source} describe other conditions, and nothing said so far shows that they hold here. Which case, which year, which size?",
        "The evidence behind {target} is too general to test. Unless {measure} is given for a comparable case, it stays open whether {counter}.",
        "{Target} needs a condition that it never states: it works only while {angle} is not the bottleneck. Where it is, {case}.",
    ),
    "reasoning.concede": (
        "{Target} is right about {angle}: {counter}. My case does not depend on denying it, and it would be dishonest to try.",
        "I accept {target}. The data on {measure} support it, and nothing on my side answers it; the question is how much weight it deserves.",
    ),
    "reasoning.partial": (
        "I understand the core of {target} and accept it for the cases it describes. However, its scope is too wide: as soon as conditions change, {case}.",
        "{Target} has the direction right and the size wrong. Some of the effect on {angle} is real, but {case}, so far less of it is left than claimed.",
        "It is true in part that {counter}. The dispute is about degree: {measure} moves a little, not as much as {target} needs.",
    ),
    "follow_up": (
        "What would {measure} have to show before you gave {target} up?",
        "In which case that you know of did {target} fail, and why does that not count here?",
        "Who carries the cost if {target} turns out wrong after a year?",
        "How would you tell the effect on {angle} from what would have happened anyway?",
        "Does {target} still hold for a case half the size?",
    ),
    "reply": (
        "The question is fair. I would give the point up if {measure} stayed flat for two years; so far {source} show that it does not, because {case}.",
        "It would hold in a smaller case too, only more slowly: {case} whatever the size. What changes is how soon {measure} shows it.",
        "Those who decide carry the cost, and that is why {angle} belongs into the decision from the start. I cannot name a figure for every case; {source} give the order of magnitude.",
        "I would compare {measure} with similar cases that decided otherwise. Where that was done, {case}.",
    ),
    "final_position": (
        "I remain {stand}, and I say so with less certainty than at the start where I was answered well. What stands is {angle}: {case}, and nothing in cross-examination showed otherwise. What I grant is that the size of the effect depends on the conditions. Whoever decides about {focus} should watch {measure} and be ready to change course.",
        "After this exchange the question is narrower than before. Both sides accept that any choice about {focus} has its price; we differ on who pays it and when. I hold that {case}. The objections limit this point, but they do not remove it, and {measure} is where it can be checked.",
        "Two things survive of my case. First, {case}. Second, the burden lies with those who want to ignore {angle}, and they have not carried it. I give up what was too broad in my opening, and I still speak {stand}.",
    ),
    "concessions": (
        "The effect on {angle} depends on conditions that differ from case to case.",
        "It is true that {counter}, at least at the beginning.",
    ),
    "unrebutted": (
        "Nobody answered the point on {angle}: {case}.",
        "The evidence from {source} was left standing.",
    ),
    "text": (
        "Whoever speaks of {focus} should consider {angle} first. {Case}. {Source} follow {measure}, and the data leave little room for doubt about the direction. It was said here that {counter}; I understand the worry, but it mistakes a cost at the start for a cost that stays. That is why I speak {stand}.",
        "What has been said so far leaves out {angle}. {Case}. However well the other side describes the first step, its conclusion is flawed, because {measure} is decided by the steps after it. Think about who will do this work in two years, and {focus} will look different. I remain {stand}.",
        "I want to answer the strongest objection in the matter of {focus}: that {counter}. It is not wrong, it is incomplete. The evidence in {source} shows what comes next: {case}. Unless someone explains away {measure}, the balance speaks {stand}.",
        "There is more agreement on {focus} than it seems. All of us want {angle}; the dispute is about the way. My claim is a modest one: {case}. Research on comparable cases, such as {source}, supports it, and nobody has shown a case that speaks the other way.",
    ),
    "any": (
        "On {angle} the point is that {case}.",
        "What counts here is {measure}, and it speaks {stand}.",
    ),
}
"""What debaters say, by the property that asks for it; after a dot, by the type of the answer."""
