"""Entry point of `debate`, `debate-cli` and `python -m debate_cli`."""

from debate_cli.cli.app import main

if __name__ == "__main__":
    main()
