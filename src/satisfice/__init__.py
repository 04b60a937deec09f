"""Agentic retrieval on a search budget: cited answers from your own sources, and a reason for every stop."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satisfice.assembly.application import ActiveRun, Application
    from satisfice.assembly.asking import ask
    from satisfice.assembly.asking import open_application as open  # noqa: A004 - the public name reads `satisfice.open`
    from satisfice.core.access import Principal
    from satisfice.core.amounts import Dimension
    from satisfice.core.orders import StopReason
    from satisfice.core.queries import Filters
    from satisfice.core.report import RunReport
    from satisfice.errors import SatisficeError

__all__ = [
    "ActiveRun",
    "Application",
    "Dimension",
    "Filters",
    "Principal",
    "RunReport",
    "SatisficeError",
    "StopReason",
    "ask",
    "open",
]

__version__ = "0.1.0"

_WHERE = {
    "ActiveRun": "satisfice.assembly.application:ActiveRun",
    "Application": "satisfice.assembly.application:Application",
    "Dimension": "satisfice.core.amounts:Dimension",
    "Filters": "satisfice.core.queries:Filters",
    "Principal": "satisfice.core.access:Principal",
    "RunReport": "satisfice.core.report:RunReport",
    "SatisficeError": "satisfice.errors:SatisficeError",
    "StopReason": "satisfice.core.orders:StopReason",
    "ask": "satisfice.assembly.asking:ask",
    "open": "satisfice.assembly.asking:open_application",
}


def __getattr__(name: str) -> object:
    """Public names come when they are used, so that importing satisfice costs nothing."""
    if name not in _WHERE:
        raise AttributeError(f"module 'satisfice' has no attribute {name!r}")
    module, _, attribute = _WHERE[name].partition(":")
    value: object = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
