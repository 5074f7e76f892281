"""Measures, comparison with labels and gates from judgements that are made by hand."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("scipy", reason="needs the extra [experiments]")

from debate_cli.audit.comparison import compare_judges, compare_with_labels
from debate_cli.audit.debates import AuditDebate, load_shipped_debates
from debate_cli.audit.gates import check_gates, parse_gates
from debate_cli.audit.judging import AuditCase, Judgement, JudgeName, build_cases
from debate_cli.audit.labels import LabelSet, WinnerLabel, labels_by_construction, labels_from_reviews, read_labels
from debate_cli.audit.measures import find_measures
from debate_cli.audit.report import build_report
from debate_cli.audit.variants import VARIANTS, VariantName
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError
from debate_cli.render.html.judge_card import render_judge_cards
from debate_cli.render.judge_card import format_card_markdown

JUDGE = JudgeName("mock/judge", "structured")
DEBATES = load_shipped_debates()
Points = Callable[[AuditCase, int], dict[str, float]]
"""Returns the points of both sides in one run of a case. Runs count from 0."""


def _judge(
    points: Points, variants: list[VariantName], *, runs: int = 1, debates: Sequence[AuditDebate] = DEBATES
) -> list[Judgement]:
    """Return judgements with the winners and scores that `points` gives."""
    found: list[Judgement] = []
    for case in build_cases(debates, variants, Path(), repeat=runs):
        for run in range(case.runs):
            given = points(case, run)
            ranked = sorted(given, key=lambda name: -given[name])
            winner = None if given[ranked[0]] == given[ranked[1]] else ranked[0]
            verdict = Verdict(
                system="structured",
                run=f"r{run + 2}",
                winner=winner,
                victory="clear" if winner else "draw",
                margin=given[ranked[0]] - given[ranked[1]],
                scores=given,
            )
            found.append(Judgement(case, JUDGE, verdict, given))
    return found


def _names(debate: Debate) -> tuple[str, str]:
    first, second = debate.participants
    return first.name, second.name


def _first_ahead(case: AuditCase, _run: int) -> dict[str, float]:
    first, second = _names(case.debate)
    return {first: 60.0, second: 50.0}


def _draws(case: AuditCase, _run: int) -> dict[str, float]:
    return dict.fromkeys(_names(case.debate), 50.0)


def _values(judgements: list[Judgement]) -> dict[str, float | None]:
    return {measure.name: measure.estimate.value for measure in find_measures(judgements, resamples=50)}


def test_judge_of_places_leads_for_the_first_and_flips_with_the_order() -> None:
    """A judge that gives the first side ten points more leads by ten points for the first side and never draws equal words."""
    found = _values(_judge(_first_ahead, ["repeat", "order", "mirror", "names"]))
    assert (found["first"], found["order"], found["mirror"], found["mirror_first"]) == (10.0, 1.0, 1.0, 10.0)
    assert found["names"] == 0.0


def test_intervals_draw_motions() -> None:
    """Nine debates on three motions count as three in each interval, decide no gate, and the card says so."""
    debates = [
        replace(each, debate=each.debate.model_copy(update={"id": f"{each.debate.id}-{number}"}))
        for each in DEBATES[:3]
        for number in range(3)
    ]
    other = JudgeName("mock/second", "structured")
    found = _judge(_draws, ["repeat", "order", "mirror", "padded", "confident"], debates=debates)
    judgements = [*found, *(each._replace(judge=other) for each in found)]
    labels = LabelSet(labels_by_construction(debates), "by construction")
    report = build_report(judgements, [JUDGE, other], labels, {})
    judge, between = report.judges[0], report.between
    assert judge.comparison is not None
    assert between is not None
    estimates = [measure.estimate for measure in judge.measures]
    estimates += [judge.comparison.accuracy, judge.comparison.alpha_with_judge, judge.comparison.brier]
    estimates += [between.alpha, between.majority, between.pairs[0].share]
    assert {estimate.clusters for estimate in estimates} == {3}
    assert (judge.debates, judge.motions, judge.comparison.debates, judge.comparison.motions) == (9, 3, 9, 3)
    gates = {gate.name: gate for gate in judge.gates}
    assert (gates["mirror"].outcome, gates["mirror"].more) == ("not enough data", 5)
    card = format_card_markdown(report)
    for words in (
        "of 9 debates on 3 motions and of changed copies of these debates",
        "not enough data: about 5 more motions needed",
        "9 on 3 motions",
        "a bootstrap over motions",
        "by construction, 9 debates on 3 motions.",
    ):
        assert words in card, words


def test_gains_beyond_length_say_so() -> None:
    """The label in JSON says that the gain from length is taken off; card and page say what that means."""
    report = build_report(_judge(_first_ahead, ["repeat", "padded", "confident"]), [JUDGE], LabelSet([], ""), {})
    labels = {measure.name: measure.label for measure in report.judges[0].measures}
    assert labels["confident"] == "points gained by claiming to be certain, minus the gain from the added words"
    for text in (format_card_markdown(report), render_judge_cards(report)):
        assert labels["confident"] in text
        assert "The gain from the added words is measured with neutral padding" in text


def test_judge_of_names_flips_with_the_names() -> None:
    """A judge that prefers a name changes its winner with the names and not with the order."""

    def by_name(case: AuditCase, _run: int) -> dict[str, float]:
        low, high = sorted(_names(case.debate))
        return {low: 60.0, high: 50.0}

    found = _values(_judge(by_name, ["repeat", "order", "names"]))
    assert (found["names"], found["order"], found["first"]) == (1.0, 0.0, 0.0)


def test_gain_by_words_that_only_add_length_is_taken_out() -> None:
    """A judge that counts words gains by padding, and claims of certainty gain nothing beyond their length."""

    def by_length(case: AuditCase, _run: int) -> dict[str, float]:
        return {
            name: sum(len(turn.text.split()) for turn in case.debate.select_turns(speaker=name)) / 10
            for name in _names(case.debate)
        }

    found = _values(_judge(by_length, ["repeat", "padded", "confident", "hedged", "citation"]))
    assert found["padded"] is not None
    assert found["padded"] > 3
    for name in ("confident", "hedged", "citation"):
        assert found[name] == pytest.approx(0, abs=1e-9), name


def test_gain_beyond_length_needs_the_padded_debates() -> None:
    """Without a judgement of a padded debate, a measure that takes out its gain is missing instead of another number."""
    found = _values(_judge(_first_ahead, ["repeat", "confident", "hedged", "citation"]))
    assert not {"confident", "hedged", "citation"} & found.keys()


def test_noise_is_the_share_of_pairs_with_other_winners() -> None:
    """Two of three pairs of runs have different winners, and the spread is that of their margins."""

    def noisy(case: AuditCase, run: int) -> dict[str, float]:
        first, second = _names(case.debate)
        return {first: 60.0, second: 50.0} if run < 2 else {first: 50.0, second: 60.0}

    found = _values(_judge(noisy, ["repeat"], runs=3))
    assert found["noise"] == pytest.approx(2 / 3)
    assert found["noise_margin"] == pytest.approx((400 / 3) ** 0.5)


def test_without_a_known_scale_winners_are_measured_and_points_are_not() -> None:
    """Points are hundredths of the scale, so a judging system without one has none; its winners still count."""
    variants: list[VariantName] = ["repeat", "names", "order", "mirror", "padded", "empty"]
    found = [judgement._replace(points={}) for judgement in _judge(_first_ahead, variants, runs=2)]
    assert _values(found) == {"noise": 0.0, "names": 0.0, "order": 1.0, "mirror": 1.0, "padded_wins": 0.0}
    compared = compare_with_labels(found, labels_by_construction(DEBATES), "by construction", resamples=50)
    assert compared is not None
    assert (compared.accuracy.value, compared.brier.value, compared.calibration) == (0.5, None, ())


def test_accuracy_stands_beside_the_rules() -> None:
    """The accuracy of a judge and of each baseline equals the share worked out by hand."""
    labels = labels_by_construction(DEBATES)
    found = compare_with_labels(_judge(_first_ahead, ["repeat"]), labels, "by construction", resamples=50)
    assert found is not None
    assert found.accuracy.value == 0.5
    assert found.baselines["coin"].value == 0.5
    assert found.baselines["majority"].value == 0.75
    assert (found.best_baseline, found.lead.value) == ("majority", -0.25)
    assert found.brier.value == pytest.approx((2 * 0.45**2 + 2 * 0.55**2 + 4 * 0.05**2) / 8)


def test_agreement_by_chance_is_that_of_positions() -> None:
    """κ and α compare first, second and draw: each debate has its own names, and they make no agreement less likely."""
    firsts = {each.debate.id for each in DEBATES[:4]}

    def half_first(case: AuditCase, _run: int) -> dict[str, float]:
        first, second = _names(case.debate)
        return {first: 60.0, second: 50.0} if case.base in firsts else {first: 50.0, second: 60.0}

    names = {each.debate.id: _names(each.debate) for each in DEBATES}
    labels = [WinnerLabel(name, names[name][0 if name in firsts else 1]) for name in names]
    judged = _judge(_first_ahead, ["repeat"])
    compared = compare_with_labels(judged, labels, "labels.csv", resamples=50)
    assert compared is not None
    # Half of the pairs agree. κ: chance also gives a half. α: 12 of 16 values are `first`, 4 `second`, so chance gives
    # disagreement in 2·12·4 / (16·15) = 0.4 of the pairs, and 1 − 0.5 / 0.4 = −0.25.
    assert (compared.kappa.value, compared.alpha_with_judge.value) == (0, pytest.approx(-0.25))

    other = JudgeName("mock/second", "structured")
    judged += [each._replace(judge=other) for each in _judge(half_first, ["repeat"])]
    between = compare_judges(judged, [JUDGE, other], labels, resamples=50)
    assert between is not None
    assert (between.pairs[0].kappa.value, between.alpha.value) == (0, pytest.approx(-0.25))
    assert (between.best, between.majority.value) == ("mock/second", 0.75)


def test_reviews_are_compared_in_points() -> None:
    """Scores are converted to points of the audited system's scale. Scores of another system, or without a scale, are not."""
    first, second = _names(DEBATES[0].debate)
    scales = {
        ("structured", "structured"): {first: 6.4, second: 5.5},
        ("persuasion", "persuasion"): {first: 28.0, second: 15.0},
        ("persuasion", "structured"): {first: 28.0, second: 15.0},
        ("not installed", "not installed"): {first: 6.4, second: 5.5},
    }
    for (system, audited), scores in scales.items():
        review = Verdict(system=system, run="r2", winner=first, victory="clear", margin=1, scores=scores)
        (label,) = labels_from_reviews([replace(DEBATES[0], reviews=((review, "Ann"),))], audited)
        has_points = system == audited != "not installed"
        assert label.winner == first
        assert dict(label.points) == pytest.approx({first: 60.0, second: 50.0} if has_points else {}), system
        compared = compare_with_labels(_judge(_first_ahead, ["repeat"]), [label], "reviews", resamples=50)
        assert compared is not None
        assert compared.score_error.value == (pytest.approx(0) if has_points else None), system


def test_perfect_judge_meets_the_gates_that_can_be_decided() -> None:
    """A perfect judge of eight debates meets every gate except perhaps `baseline`, and follows no rule."""
    better = {each.debate.id: each.better_debater for each in DEBATES}

    def perfect(case: AuditCase, _run: int) -> dict[str, float]:
        names = _names(case.debate)
        right = better[case.debate.id.partition("--")[0]]
        if case.variant == "mirror" or right is None:
            points = dict.fromkeys(names, 50.0)
        elif case.variant == "names":
            points = {name: 50.0 if name == right else 60.0 for name in names}
        else:
            points = {name: 60.0 if name == right else 50.0 for name in names}
        return {**points, case.changed: 0.0} if case.variant == "empty" else points

    judgements = _judge(perfect, list(VARIANTS))
    report = build_report(judgements, [JUDGE], LabelSet(labels_by_construction(DEBATES), "by construction"), {}).judges[
        0
    ]
    outcome = {gate.name: gate.outcome for gate in report.gates}
    assert outcome == dict.fromkeys(outcome, "met") | {"baseline": outcome["baseline"]}
    assert not report.follows


def test_judges_that_follow_a_rule_are_named() -> None:
    """The report names the rule that a judge follows and advises against the judge."""
    report = build_report(_judge(_first_ahead, list(VARIANTS)), [JUDGE], LabelSet([], ""), {}).judges[0]
    assert report.follows == "the side that is shown first"
    assert report.advice == "Do not rely on it"
    assert report.usable_for.startswith("It nearly always names the side that is shown first.")


def test_gates_say_how_many_debates_are_missing() -> None:
    """Without judgements every gate lacks data, and an unknown gate is refused."""
    assert {gate.outcome for gate in check_gates([], None, {})} == {"not enough data"}
    assert parse_gates(["flip=0.2"]) == {"flip": 0.2}
    with pytest.raises(UsageError, match="there is no gate 'flips'; use one of flip"):
        parse_gates(["flips=1"])


def test_a_judge_that_calls_everything_a_draw_is_no_better_than_a_rule() -> None:
    """A judge that equals the best baseline does not meet the gate `baseline`."""
    labels = LabelSet(labels_by_construction(DEBATES), "by construction")
    report = build_report(_judge(_draws, ["repeat", "order"]), [JUDGE], labels, {}).judges[0]
    assert next(gate.outcome for gate in report.gates if gate.name == "baseline") == "not met"
    assert (report.advice, report.usable_for.partition(".")[0]) == (
        "Do not rely on it",
        "It calls nearly every debate a draw",
    )


@pytest.mark.parametrize("text", ["flip=5", "flip=nan", "padding=-1", "alpha=3"])
def test_bounds_outside_of_the_range_are_refused(text: str) -> None:
    """A bound outside of its gate's range is refused."""
    with pytest.raises(UsageError, match=r"^--gate \S+: the bound of \w+ must be from"):
        parse_gates([text])


def test_advice_says_what_was_not_decided() -> None:
    """The advice counts the checks that lack debates and the checks that were not tested."""
    report = build_report(_judge(_first_ahead, ["repeat", "names"])[:4], [JUDGE], LabelSet([], ""), {}).judges[0]
    assert report.advice == "Too early to say"
    assert report.usable_for.endswith("Checks with too few motions: 1 (about 6 more needed). Checks not tested: 7.")


def test_labels_are_read_by_column(tmp_path: Path) -> None:
    """Winners and scores are read by column, and a missing column or broken CSV is named."""
    path = tmp_path / "labels.csv"
    path.write_text("id,winner,score_Ada,score_Ben,rater\nx,Ben,,,r1\nx,,3,5,r2\ny,,4,4,\n")
    assert [(label.winner, label.rater) for label in read_labels(path)] == [
        ("Ben", "r1"),
        ("Ben", "r2"),
        ("draw", "unnamed rater 1"),
    ]
    path.write_text("name,winner\nx,Ben\n")
    with pytest.raises(UsageError, match="needs the columns `id` and `winner`"):
        read_labels(path)
    path.write_text("id,winner\nx," + "x" * 200_000)
    with pytest.raises(UsageError, match="not valid CSV at line 2"):
        read_labels(path)
    assert compare_with_labels(_judge(_first_ahead, ["repeat"]), [WinnerLabel("other", "Ada")], "x") is None


def test_each_row_without_a_rater_is_another_rater(tmp_path: Path) -> None:
    """Rows of a debate that name no rater count as different raters, in the majority and in α."""
    path, (first, second) = tmp_path / "labels.csv", _names(DEBATES[0].debate)
    path.write_text("id,winner\n" + "".join(f"{DEBATES[0].debate.id},{name}\n" for name in (first, first, second)))
    compared = compare_with_labels(_judge(_first_ahead, ["repeat"]), read_labels(path), "labels.csv", resamples=50)
    assert compared is not None
    # The judge names the majority's winner. Of three people, two of six ordered pairs agree: observed disagreement
    # 4/6, as by chance. With the judge, half of twelve pairs disagree, as by chance.
    assert (compared.accuracy.value, compared.alpha_people.value) == (1, pytest.approx(0))
    assert compared.alpha_with_judge.value == pytest.approx(0)


def test_a_rater_rates_a_debate_once(tmp_path: Path) -> None:
    """A second row with the same debate and rater is refused with its line."""
    path = tmp_path / "labels.csv"
    path.write_text("id,winner,rater\nx,Ada,Ann\ny,Ada,Ann\nx,Ben,Ann\n")
    with pytest.raises(
        UsageError, match=r"labels\.csv:4: the rater 'Ann' has rated x already, in line 2; remove one of"
    ):
        read_labels(path)


@pytest.mark.parametrize("score", ["nan", "inf", "-inf", "1e308", "-1", "100.5", "five"])
def test_scores_that_cannot_be_compared_are_refused(tmp_path: Path, score: str) -> None:
    """A score outside of 0 to 100 is refused with its line and column, because it is compared with the judge's points."""
    path = tmp_path / "labels.csv"
    path.write_text(f"id,score_Ada,score_Ben\nx,1,2\ny,1,{score}\n")
    with pytest.raises(
        UsageError, match=rf"labels\.csv:3: `score_Ben` must be points from 0 to 100, not '{score}'; convert"
    ):
        read_labels(path)


def test_several_judges_are_compared_and_their_majority_with_the_best() -> None:
    """Agreement is measured per pair of judges, and the majority is compared with the best judge."""
    other = JudgeName("mock/second", "structured")
    drawing = JudgeName("mock/drawing", "structured")

    first = _judge(_first_ahead, ["repeat"])
    judgements = [*first, *(each._replace(judge=other) for each in first)]
    judgements += [each._replace(judge=drawing) for each in _judge(_draws, ["repeat"])]
    found = compare_judges(judgements, [JUDGE, other, drawing], labels_by_construction(DEBATES), resamples=50)
    assert found is not None
    assert [pair.share.value for pair in found.pairs] == [1.0, 0.0, 0.0]
    assert (found.best, found.majority.value, found.gain.value) == ("mock/drawing", 0.5, -0.25)
    assert compare_judges(first, [JUDGE], []) is None
