"""The short way in: one question, one folder, one report."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from satisfice.assembly.application import Application
from satisfice.config.reading import load
from satisfice.config.sources import chosen
from satisfice.config.tables import DEFAULT_TASK, Settings
from satisfice.core.access import LOCAL_TENANT, Principal
from satisfice.core.report import RunReport

T = TypeVar("T")

Sources = str | Path | Sequence[str | Path]


def open_application(
    settings: Settings | str | Path | None = None,
    *,
    sources: Sources = (),
    store: str | Path | None = None,
    tenant: str = LOCAL_TENANT,
) -> Application:
    """An application for `async with`.

    `settings` is a `Settings`, or a TOML file; without it `satisfice.toml` here is read when there is one. `sources` are
    folders, or names from the settings; without them all of the settings' sources are searched. Raises `ConfigError`
    with every mistake, and `InputError` for a folder that is not there.
    """
    found = settings if isinstance(settings, Settings) else load(Path(settings) if settings else None).settings
    paths = [sources] if isinstance(sources, str | Path) else list(sources)
    update: dict[str, Any] = {"source": chosen(found, [Path(path) for path in paths])}
    if store is not None:
        update["store"] = found.store.model_copy(update={"dir": Path(store)})
    return Application(found.model_copy(update=update), tenant=tenant)


def ask(
    question: str,
    *,
    sources: Sources = (),
    settings: Settings | str | Path | None = None,
    store: str | Path | None = None,
    principal: Principal | None = None,
    task: str = DEFAULT_TASK,
    effort: str | None = None,
    budget: Mapping[str, object] | None = None,
) -> RunReport:
    """Answer a question from folders of documents, and wait for the report.

    What changed in the folders is taken in first. Works inside a running event loop too: the work then has a loop and
    a thread of its own, and this call blocks as any other.

    Raises
    ------
    UsageError
        Something to change in the call or the settings.
    CorpusError, StoreError
        The documents or the log could not be kept.
    """

    async def answer() -> RunReport:
        tenant = principal.tenant if principal else LOCAL_TENANT
        async with open_application(settings, sources=sources, store=store, tenant=tenant) as application:
            await application.forget_old()
            await application.ingest()
            run = application.run(question, principal=principal, task=task, effort=effort, budget=budget)
            async with run as active:
                return await active.report()

    return run_sync(answer)


def run_sync(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end from code that is not asynchronous, wherever that code runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(asyncio.run(main()))
        except BaseException as error:  # noqa: BLE001 - carried to the caller's thread, where it is raised
            errors.append(error)

    thread = threading.Thread(target=work, name="satisfice-ask")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
