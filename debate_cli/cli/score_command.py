import typer
app = typer.Typer()
@app.command()
def score(path: str) -> None:
    """Recompute verdicts from saved debates, without any model."""
    print(path)
