"""Who this process is, and whether another one of this host has ended. Pids are used again, so a pid alone proves nothing."""

import os
import secrets
import socket
import sys
from pathlib import Path

from satisfice.ports.event_store import Owner

_PROC = Path("/proc")


def current_owner() -> Owner:
    """This process as an owner, with a token of its own: two calls give two owners."""
    return Owner(host=_host(), pid=os.getpid(), started=_started(os.getpid()) or "", token=secrets.token_hex(8))


def has_ended(owner: Owner) -> bool:
    """Whether the owner's process is known to be gone. When this host cannot tell, it is not: its lease decides."""
    if owner.host != _host() or sys.platform == "win32":
        return False
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    started = _started(owner.pid)
    # A dead child that its parent has not reaped still has its pid; it has no start time here, see `_started`.
    return started is not None and owner.started not in ("", started)


def _host() -> str:
    """The machine, and the namespace in which its pids mean something: two containers may share a name."""
    try:
        namespace = str((_PROC / "self/ns/pid").readlink())
    except OSError:
        namespace = ""
    return f"{socket.gethostname()} {namespace}".strip()


def _started(pid: int) -> str | None:
    """When a process began, in words that no other process of this host shares; None when that cannot be read.

    Linux counts from boot, so the boot is named too. A process that ended but was not reaped began at no time.
    """
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        # The command, in parentheses, may hold spaces and parentheses itself: fields are counted after the last one.
        after_command = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    state, ticks = after_command[0], after_command[19]
    return "ended" if state in "ZX" else f"{boot} {ticks}"
