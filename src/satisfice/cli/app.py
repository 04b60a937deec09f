"""The commands and their options. The work is imported inside each, so that help costs nothing."""

from typing import Annotated

import typer

from satisfice.cli import options
from satisfice.cli.exits import MEANINGS
from satisfice.cli.terminal import guarded

EPILOG = "\b\nExit codes:\n" + "\n".join(f"  {code.value:>3}  {meaning}" for code, meaning in MEANINGS.items())
"""The mark at the start keeps the lines as they stand."""

app = typer.Typer(
    name="satisfice",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
runs_app = typer.Typer(no_args_is_help=True, help="Look at what was asked before.")
app.add_typer(runs_app, name="runs")
config_app = typer.Typer(no_args_is_help=True, help="Look at the settings.")
app.add_typer(config_app, name="config")


def _version(*, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"satisfice {version('satisfice')}")
        raise typer.Exit


@app.callback()
def satisfice(
    *,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Answers from your own sources, with quoted evidence, inside a budget, and says why it stopped."""


Run = Annotated[str, typer.Argument(help="A run's name, the beginning of it, or `last`.")]


@app.command(epilog=EPILOG)
def ask(
    *,
    question: Annotated[str, typer.Argument(help="What to answer; - reads it from stdin.")],
    folder: options.Folders = None,
    name: options.As = "",
    tenant: options.Tenant = "",
    tags: options.Tags = "",
    task: Annotated[str, typer.Option("--task", metavar="NAME", help="A task class of the settings.")] = "default",
    effort: Annotated[
        str | None,
        typer.Option("--effort", metavar="EFFORT", help="minimal, low, medium or high.", show_default=False),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget", metavar="NAME=N,...", help="Limits, e.g. queries=2,wall_clock_ms=500.", show_default=False
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print the timeline too.")] = False,
    config: options.Config = None,
    store: options.Store = None,
    ignore: options.Ignore = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Answer a question from folders of documents."""
    with guarded():
        from satisfice.cli import asking
        from satisfice.cli.preparing import Asked

        asked = Asked(config, folder or (), store, ignore or (), task, effort, budget)
        principal = options.principal(name, tenant, tags)
        asking.ask(question, asked, principal, as_json=as_json, explain=explain, quiet=quiet)


@app.command()
def ingest(
    *,
    folder: options.Folders = None,
    tenant: options.Tenant = "",
    config: options.Config = None,
    store: options.Store = None,
    ignore: options.Ignore = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Take documents in, and name every file that was left out and why. `ask` does the same by itself."""
    with guarded():
        from satisfice.cli import taking_in
        from satisfice.cli.preparing import Asked

        asked = Asked(config, folder or (), store, ignore or ())
        taking_in.ingest(asked, options.principal("", tenant, "").tenant, as_json=as_json, quiet=quiet)


@app.command()
def sources(
    *,
    folder: options.Folders = None,
    name: options.As = "",
    tenant: options.Tenant = "",
    tags: options.Tags = "",
    config: options.Config = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> None:
    """List what there is to search, as the asker may know it."""
    with guarded():
        from satisfice.cli import taking_in
        from satisfice.cli.preparing import Asked

        principal = options.principal(name, tenant, tags)
        taking_in.sources(Asked(config, folder or (), store), principal, as_json=as_json)


@runs_app.command("list")
def runs_list(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many.")] = 20,
    tenant: options.Tenant = "",
    config: options.Config = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> None:
    """List the newest runs."""
    with guarded():
        from satisfice.cli import runs

        runs.list_runs(runs.place(config, store, tenant), limit, as_json=as_json)


@runs_app.command("show")
def runs_show(
    *,
    run: Run,
    name: options.As = "",
    tenant: options.Tenant = "",
    tags: options.Tags = "",
    explain: Annotated[bool, typer.Option("--explain", help="Print the timeline too.")] = False,
    config: options.Config = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> None:
    """Print a run's report: as the asker got it, or as the reader named here may see it."""
    with guarded():
        from satisfice.cli import runs

        reader = options.principal(name, tenant, tags) if name or tags else None
        runs.show(runs.place(config, store, tenant), run, reader, as_json=as_json, explain=explain)


@runs_app.command("verify")
def runs_verify(
    *,
    run: Run,
    tenant: options.Tenant = "",
    config: options.Config = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> None:
    """Decide again over a run's facts; a difference is a bug, and exit code 7."""
    with guarded():
        from satisfice.cli import runs

        runs.verify(runs.place(config, store, tenant), run, as_json=as_json)


@runs_app.command("resume")
def runs_resume(
    *,
    run: Run,
    folder: options.Folders = None,
    tenant: options.Tenant = "",
    config: options.Config = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> None:
    """Go on with a run that was cut short, on what is left of its budget."""
    with guarded():
        from satisfice.cli import runs

        runs.resume(runs.place(config, store, tenant), run, folder or (), as_json=as_json)


@runs_app.command("rm")
def runs_rm(
    *,
    run: Annotated[list[str] | None, typer.Argument(help="Runs to forget.", show_default=False)] = None,
    older_than: Annotated[
        int | None,
        typer.Option("--older-than", metavar="DAYS", min=0, help="Forget older runs.", show_default=False),
    ] = None,
    document: Annotated[
        str | None,
        typer.Option(
            "--redact-document", metavar="ID", help="Blank a document's text in every run.", show_default=False
        ),
    ] = None,
    tenant: options.Tenant = "",
    config: options.Config = None,
    store: options.Store = None,
) -> None:
    """Forget runs."""
    with guarded():
        from satisfice.cli import runs

        runs.remove(runs.place(config, store, tenant), run or (), older_than, document)


@config_app.command("show")
def config_show(
    *,
    config: options.Config = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> None:
    """Print every setting with where it came from."""
    with guarded():
        from satisfice.cli import settings

        settings.show(config, store, as_json=as_json)


@app.command()
def doctor(
    *,
    folder: options.Folders = None,
    config: options.Config = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> None:
    """Check that everything is in order here. What is not is named with what to do."""
    with guarded():
        from satisfice.cli import doctor as room
        from satisfice.cli.preparing import Asked

        room.doctor(Asked(config, folder or (), store), as_json=as_json)


@app.command()
def demo(
    *,
    store: options.Store = None,
    quiet: options.Quiet = False,
) -> None:
    """Ask seven questions about the handbook of a made-up company."""
    with guarded():
        from satisfice.cli import demo as room

        room.demo(store, quiet=quiet)
