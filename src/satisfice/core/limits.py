"""Limits: one whole number per dimension, checked when they are built. 0 means none allowed, absent means the default."""

import difflib
from collections.abc import Mapping

from satisfice.core.amounts import Dimension
from satisfice.errors import ConfigError, Problem

Limits = Mapping[Dimension, int]
"""A limit for each dimension it names. A run names all of them; an account above the run names those it limits."""

MAX_LIMIT = 2**63 - 1
"""The largest limit that every store and wire format carries exactly."""

_ALLOWED = f"a whole number from 0 (none allowed) to {MAX_LIMIT}; leave it out for the default"


def limits_from(given: Mapping[str, object], defaults: Limits, *, where: str = "budget") -> Limits:
    """The defaults, overridden by what was given. None counts as absent.

    Raises
    ------
    ConfigError
        Every value that is no non-negative `int` (a bool, float or numeral in quotes is none) and every unknown name.
    """
    limits = dict(defaults)
    problems: list[Problem] = []
    for name, value in given.items():
        dimension = _dimension(name)
        if dimension is None:
            close = difflib.get_close_matches(name, list(Dimension), n=1)
            hint = f"Did you mean '{close[0]}'?" if close else ""
            problems.append(Problem(where, name, "no dimension", ", ".join(Dimension), hint))
        elif value is None:
            continue
        elif type(value) is int and 0 <= value <= MAX_LIMIT:
            limits[dimension] = value
        else:
            problems.append(Problem(where, name, _shown(value), _ALLOWED))
    if problems:
        raise ConfigError(tuple(problems))
    return {dimension: limits[dimension] for dimension in Dimension if dimension in limits}


def _dimension(name: str) -> Dimension | None:
    try:
        return Dimension(name)
    except ValueError:
        return None


def _shown(value: object) -> str:
    text = repr(value)
    shown = text if len(text) <= 40 else f"{text[:40]}..."
    return f"{shown} ({type(value).__name__})"
