"""From bytes to text: which encoding a file is in, and whether it is text at all."""

import codecs
import re

from charset_normalizer import from_bytes

from satisfice.corpus.formats import Unreadable

SAMPLE_BYTES = 64 * 1024
"""What the encoding is judged by when the text is not UTF-8."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)  # UTF-32 before UTF-16: its little-endian mark begins with the other's
_LEGACY = [
    "cp1252", "cp932", "gb18030", "big5", "euc_kr", "euc_jp", "cp1251", "koi8_r", "cp1250", "cp1253", "cp1254", "cp1255",
    "cp1256",
]  # fmt: skip
"""Encodings still met in the wild. Old code pages that nobody writes any more would only be guessed wrongly."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b\x08"))
_MAX_CONTROLS = 0.002
_FOREIGN = bytes(range(0x80, 0x100))
_FOREIGN_RUN = re.compile(rb"[\x80-\xff]{2,}")
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_FEW = 3
_SPARSE = 0.01
NOT_TEXT = "not text: it holds binary data. Give the file the suffix of what it is, or leave it out with --ignore"


def encoding_of(sample: bytes, *, utf8: bool) -> str:
    """The name of the codec that reads the text this sample comes from.

    `utf8` says whether the whole text, not only the sample, is valid UTF-8. Order: byte order mark, UTF-8, UTF-16 by
    its zero bytes, then statistics over the sample.

    Raises
    ------
    Unreadable
        Binary data.
    """
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name
    wide = _utf_16_without_mark(sample)
    if wide:
        return wide
    if sample.count(b"\0") > len(sample) * _MAX_CONTROLS or _controls(sample) > _MAX_CONTROLS:
        raise Unreadable(NOT_TEXT)
    return "utf-8" if utf8 else _by_statistics(sample)


def decode(data: bytes) -> str:
    """The text of a whole file, line ends as `\\n`.

    Raises
    ------
    Unreadable
        Binary data.
    """
    encoding = encoding_of(data[:SAMPLE_BYTES], utf8=is_utf8(data))
    return tidy(data.decode(encoding, "replace"))


def tidy(text: str) -> str:
    """Line ends as `\\n`; zero characters and lone surrogates, which stores and encoders refuse, as U+FFFD."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text


def is_utf8(data: bytes) -> bool:
    """Whether all of it is valid UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _controls(sample: bytes) -> float:
    return (len(sample) - len(sample.translate(None, _CONTROLS))) / max(1, len(sample))


def _utf_16_without_mark(sample: bytes) -> str:
    """Text in Latin script has its zero bytes all on one side; binary data has them on both."""
    pairs = len(sample) // 2
    if pairs < 2:
        return ""
    even, odd = sample[0 : 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
    if odd > 0.4 * pairs and even < 0.02 * pairs:
        return "utf-16-le"
    if even > 0.4 * pairs and odd < 0.02 * pairs:
        return "utf-16-be"
    return ""


def _by_statistics(sample: bytes) -> str:
    """By what the letters make of it; a few lone letters in plain Latin text say nothing, and are most often Western."""
    foreign = len(sample) - len(sample.translate(None, _FOREIGN))
    runs = len(_FOREIGN_RUN.findall(sample))
    if (foreign <= _FEW or foreign < _SPARSE * len(sample)) and 10 * runs <= foreign and not _UNDEFINED.search(sample):
        return "cp1252"
    best = from_bytes(sample, cp_isolation=_LEGACY, enable_fallback=False).best()
    if best is None:
        raise Unreadable(NOT_TEXT)
    return best.encoding
