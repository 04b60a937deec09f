"""Parsing processes from outside: started when needed, killed when they take too long, replaced when they die."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from satisfice.corpus.formats import MIB, Format, Part, Unreadable, in_units
from satisfice.corpus.parsing import LENGTH, MAX_REPLY_BYTES, Reply, Request

_CLOSING_S = 2.0


class Parsers:
    """A few processes that take files apart, none running until the first file.

    `seconds` is the time one file may take, `memory_bytes` the address space of one process.
    """

    def __init__(self, *, size: int = 2, seconds: int = 60, memory_bytes: int = 1024 * MIB) -> None:
        self._seconds, self._memory_bytes = seconds, memory_bytes
        self._idle: list[asyncio.subprocess.Process] = []
        self._free = asyncio.Semaphore(size)
        self._encoder, self._decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Reply)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def parse(self, path: Path, kind: Format) -> tuple[Part, ...]:
        """What is in the file.

        Raises
        ------
        Unreadable
            Broken, too large, too slow, of a kind whose parser is not installed.
        """
        async with self._free:
            process = await self._take()
            try:
                async with asyncio.timeout(self._seconds):
                    reply = await self._ask(process, Request(os.fsencode(path), kind))
            except TimeoutError as error:
                await _end(process)
                raise Unreadable(f"it took longer than {self._seconds} s to take apart and was given up") from error
            except (asyncio.IncompleteReadError, BrokenPipeError, ConnectionResetError) as error:
                await _gone(process)
                raise Unreadable(self._epitaph(process)) from error
            except BaseException:
                await _end(process)
                raise
            self._idle.append(process)
        if reply.why:
            raise Unreadable(reply.why)
        return reply.parts

    async def close(self) -> None:
        """End every process. Parsing again starts new ones."""
        while self._idle:
            process = self._idle.pop()
            if process.stdin is not None:
                process.stdin.close()
            await _gone(process)

    async def _take(self) -> asyncio.subprocess.Process:
        while self._idle:
            process = self._idle.pop()
            if process.returncode is None:
                return process
            await _end(process)  # it died while it had nothing to do: no file is to blame
        return await self._start()

    async def _start(self) -> asyncio.subprocess.Process:
        # -P: the working directory may be the folder being read, and must not provide modules
        return await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "satisfice.corpus.parsing", str(self._seconds), str(self._memory_bytes),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip

    async def _ask(self, process: asyncio.subprocess.Process, request: Request) -> Reply:
        source, sink = process.stdout, process.stdin
        if source is None or sink is None:
            raise BrokenPipeError
        message = self._encoder.encode(request)
        sink.write(LENGTH.pack(len(message)) + message)
        await sink.drain()
        (size,) = LENGTH.unpack(await source.readexactly(LENGTH.size))
        if size > MAX_REPLY_BYTES:
            raise BrokenPipeError
        return self._decoder.decode(await source.readexactly(size))

    def _epitaph(self, process: asyncio.subprocess.Process) -> str:
        code = process.returncode or 0
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        return f"the parser {how} on it; a file may take {in_units(self._memory_bytes)} of memory and {self._seconds} s"


async def _gone(process: asyncio.subprocess.Process) -> None:
    """Wait for a process that ends by itself. Killing it first could hide how it ended."""
    try:
        async with asyncio.timeout(_CLOSING_S):
            await process.wait()
    except TimeoutError:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()
