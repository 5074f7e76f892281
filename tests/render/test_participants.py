"""The line with date, debaters, judges and models of a debate."""

from render_support import opened_debate

from debate_cli.render.content.participants import describe_debate


def test_participants_are_grouped_by_model() -> None:
    """A panel is named once, and not each of its judges. Semicolons separate models."""
    judge = {"id": "a", "persona": "An architect.", "weight": 0.5}
    debate = opened_debate(
        models={"default": {"model": "mock/a"}, "judge": {"model": "ollama/b"}, "other": {"model": "ollama/c"}},
        judging={
            "systems": [
                {"kind": "moderator"},
                {"kind": "persuasion"},
                {"kind": "panel", "judges": [judge, {**judge, "id": "b"}, {**judge, "id": "c", "model": "other"}]},
            ]
        },
    )
    assert describe_debate(debate) == (
        "01 March 2026 · debated by Ada, Bo: mock"
        " · judged by moderator, panel: ollama/b; persuasion: no model; panel: ollama/c · id microservices-0001"
    )
