"""`debate prompts`."""

from debate_cli.cli.console import print_json, show_tables, write_document
from debate_cli.cli.setup_options import PromptsOptions
from debate_cli.domain.message_text import format_suggestion
from debate_cli.errors import UsageError
from debate_cli.llm.prompts import ShippedPrompt, shipped_prompts
from debate_cli.systems.tables import Table


def run(given: PromptsOptions) -> None:
    """List the prompts, or show the text of one."""
    if given.action == "show" and given.name is None:
        raise UsageError("`debate prompts show` needs the name of a prompt; add it: debate prompts show NAME")
    if given.action == "list" and given.name is not None:
        raise UsageError(f"`debate prompts list` takes no name; leave it out, or use: debate prompts show {given.name}")
    prompts = {prompt.name: prompt for prompt in shipped_prompts()}
    if given.name is None:
        _print_list(list(prompts.values()), as_json=given.json)
        return
    if given.name not in prompts:
        suggestion = format_suggestion(given.name, list(prompts)) or "; `debate prompts list` shows all prompts"
        raise UsageError(f"{given.name}: unknown prompt{suggestion}")
    prompt = prompts[given.name]
    if given.json:
        print_json(_prompt_data(prompt) | {"text": prompt.text})
    else:
        write_document([prompt.text])


def _print_list(prompts: list[ShippedPrompt], *, as_json: bool) -> None:
    if as_json:
        print_json([_prompt_data(prompt) for prompt in prompts])
        return
    rows = tuple((prompt.name, prompt.used_by, ", ".join(prompt.placeholders)) for prompt in prompts)
    table = Table("prompts", ("name", "used by", "placeholders"), rows, has_key_column=True)
    lines = ("\t".join((item.name, item.used_by, " ".join(item.placeholders) or "-")) for item in prompts)
    show_tables([table], lines=lines)


def _prompt_data(prompt: ShippedPrompt) -> dict[str, object]:
    return {"name": prompt.name, "used_by": prompt.used_by, "placeholders": prompt.placeholders}
