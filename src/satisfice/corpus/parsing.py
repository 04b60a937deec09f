"""The process in which files are taken apart: `python -m satisfice.corpus.parsing SECONDS MEMORY_BYTES`.

It reads requests on its input and writes replies on its output, each a length (4 bytes, little-endian) and a
MessagePack value, until its input ends. It may be killed at any time; it holds nothing worth keeping. Parsers of formats are only ever
imported here.
"""

import os
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec

from satisfice.corpus.decoding import decode
from satisfice.corpus.formats import MAX_FILE_BYTES, MAX_PARSED_CHARS, Format, Part, Unreadable, in_units
from satisfice.errors import MissingExtraError

LENGTH = struct.Struct("<I")
MAX_REPLY_BYTES = 6 * MAX_PARSED_CHARS
"""Text takes up to four bytes a character; the rest is for titles and declarations."""


class Request(msgspec.Struct, frozen=True):
    """Take this file apart."""

    path: bytes
    format: Format


class Reply(msgspec.Struct, frozen=True):
    """What was in it, or, when `why` is not empty, why nothing came of it."""

    parts: tuple[Part, ...] = ()
    why: str = ""


def taken_apart(request: Request) -> Reply:
    """Read and parse one file; everything that can go wrong with it becomes a reply."""
    try:
        parts = _parts(_content(request), request.format)
    except (Unreadable, MissingExtraError) as error:
        return Reply(why=str(error))
    except OSError as error:
        return Reply(why=(error.strerror or type(error).__name__).lower())
    except MemoryError:
        return Reply(why="it takes more memory than a file may")
    except Exception as error:  # noqa: BLE001  a parser's own failure on hostile input: any type at all, and never ours to interpret
        return Reply(why=f"the parser failed on it ({type(error).__name__}: {str(error)[:200]})")
    if sum(len(part.text) for part in parts) > MAX_PARSED_CHARS:
        return Reply(why=f"its text is longer than {MAX_PARSED_CHARS} characters. Split it into several files")
    return Reply(parts)


def _content(request: Request) -> bytes:
    allowed = MAX_FILE_BYTES[request.format]
    with Path(os.fsdecode(request.path)).open("rb") as file:
        data = file.read(allowed + 1)
    if len(data) > allowed:
        raise Unreadable(f"larger than the {in_units(allowed)} that are read of a .{request.format} file. Split it")
    return data


def _parts(data: bytes, kind: Format) -> tuple[Part, ...]:
    if kind is Format.PDF:
        from satisfice.corpus.extracting import pdf_part

        return (pdf_part(data),)
    if kind is Format.DOCX:
        from satisfice.corpus.extracting import docx_part

        return (docx_part(data),)
    if kind is Format.HTML:
        from satisfice.corpus.markup import html_part, html_text

        return (html_part(html_text(data)),)
    from satisfice.corpus.records import documents, parse_json

    return tuple(documents(parse_json(decode(data))))


def _confine(memory_bytes: int) -> None:
    """Memory as the system counts address space; nothing may be written. Where a system refuses, the time limit holds alone."""
    if sys.platform == "win32":
        return
    import resource

    for limit, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))


def _allow_cpu(seconds: int) -> None:
    """So much more processor time from now on: an orphan of a killed parent ends by itself."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + seconds, hard))


def _exactly(source: BinaryIO, size: int) -> bytes:
    data = source.read(size)
    return data if len(data) == size else b""


def serve(source: BinaryIO, sink: BinaryIO, before_each: Callable[[], None]) -> None:
    """Answer requests until there are no more."""
    decoder, encoder = msgspec.msgpack.Decoder(Request), msgspec.msgpack.Encoder()
    while head := _exactly(source, LENGTH.size):
        (size,) = LENGTH.unpack(head)
        before_each()
        reply = encoder.encode(taken_apart(decoder.decode(_exactly(source, size))))
        if len(reply) > MAX_REPLY_BYTES:
            reply = encoder.encode(Reply(why="what it declares about itself is larger than its text may be"))
        sink.write(LENGTH.pack(len(reply)) + reply)
        sink.flush()


def main() -> None:
    """Serve on the two pipes. Whatever a parser prints goes nowhere, so that it cannot garble a reply."""
    seconds, memory_bytes = int(sys.argv[1]), int(sys.argv[2])
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _confine(memory_bytes)
    serve(sys.stdin.buffer, replies, partial(_allow_cpu, seconds))


if __name__ == "__main__":
    main()
