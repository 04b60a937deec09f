"""The commands and their options. The work is imported inside each, so that help costs nothing."""

import typer

from satisfice.cli import options
from satisfice.cli.exits import MEANINGS
from satisfice.cli.terminal import guarded

EPILOG = "\b\nExit codes:\n" + "\n".join(f"  {code.value:>3}  {meaning}" for code, meaning in MEANINGS.items())
"""The mark at the start keeps the lines as they stand."""

app = typer.Typer(
    name="satisfice",
    help="Answers from your own sources, with quoted evidence, inside a budget, and says why it stopped.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
config_app = typer.Typer(no_args_is_help=True, help="Show the settings.")
app.add_typer(config_app, name="config")


@config_app.command("show")
def config_show(
    config: options.Config = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> None:
    """Print every setting with where it came from."""
    with guarded():
        from satisfice.cli import settings

        settings.show(config, store, as_json=as_json)
