"""What each command can be asked: its options as one frozen value, a module a command. Nothing slow is imported here.

A field's help is its documentation, the class's docstring that of the command. What is done about it stands in
`debate_cli.cli.NAME_command`, which `--help`, a misspelt option and a shell that completes one do without. Annotations are
no strings here: Typer would evaluate each of them four times at every start.
"""
