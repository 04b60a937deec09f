"""HTML as text: headings, lists, tables and code keep their shape; scripts, menus and hidden text are dropped."""

import codecs
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from satisfice.corpus.decoding import decode, is_utf8, tidy
from satisfice.corpus.formats import Layout, Part
from satisfice.corpus.frontmatter import Fields

_DROPPED = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "nav",
        "footer",
        "head",
        "button",
        "select",
        "input",
        "textarea",
        "svg",
        "canvas",
        "iframe",
        "object",
        "audio",
        "video",
        "map",
        "dialog",
        "datalist",
        "math",
    ]
)
_BLOCKS = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "aside",
        "header",
        "address",
        "blockquote",
        "figure",
        "figcaption",
        "form",
        "fieldset",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
        "ul",
        "ol",
        "li",
        "table",
        "caption",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "pre",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "body",
        "html",
        "center",
    ]
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0(?![.\d])", re.IGNORECASE
)
_PERMALINKS = frozenset({"#", "¶", "§", "🔗", "link"})
"""What generators of documentation put behind a heading to link to it."""
_MAIN = "main, [role=main]"
_MIN_MAIN_CHARS = 200
_DATES = (
    "meta[property='article:published_time']",
    "meta[name='dcterms.date']",
    "meta[name='dc.date']",
    "meta[name='date']",
)


_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_DECLARED_WITHIN = 4096


def html_text(data: bytes) -> str:
    """The page as text: by its byte order mark, else what it declares, else as any other text.

    Raises
    ------
    Unreadable
        Binary data.
    """
    declared = _CHARSET.search(data[:_DECLARED_WITHIN])
    if declared is not None and not data.startswith(codecs.BOM_UTF8) and not is_utf8(data):
        try:
            return tidy(data.decode(declared.group(1).decode("ascii"), "replace"))
        except LookupError:
            pass
    return decode(data)


def html_part(html: str) -> Part:
    """The page's text in Markdown's shape, its title, language and declared date."""
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    root = tree.body or tree.root
    if root is None:
        return Part("", Layout.MARKDOWN)
    main = tree.css(_MAIN)
    if len(main) == 1 and len(main[0].text().strip()) >= _MIN_MAIN_CHARS:
        root = main[0]
    name = " ".join(title.text().split()) if title else ""
    return Part(_Writer().write(root), Layout.MARKDOWN, fallback_title=name, fields=_declared(tree))


def _declared(tree: LexborHTMLParser) -> Fields:
    fields: dict[str, tuple[str, ...] | None] = {}
    for selector in _DATES:
        meta = tree.css_first(selector)
        value = (meta.attributes.get("content") or "").strip() if meta else ""
        if value:
            fields["published"] = (value,)
            break
    html = tree.css_first("html")
    language = ((html.attributes.get("lang") or "") if html else "").strip()
    return fields | {"language": (language,)} if language else fields


class _Writer:
    """Walks the tree with a stack of its own: pages can nest deeper than Python calls can."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._line: list[str] = []
        self._prefix = ""
        self._lists: list[int | None] = []  # None: bullets; else the number of the last item
        self._pre = 0
        self._cells: list[str] | None = None

    def write(self, root: LexborNode) -> str:
        for node, entering in _steps(root):
            if node.is_text_node:
                if entering:
                    self._line.append(node.text_content or "")
            elif entering:
                self._enter(node.tag or "", node)
            else:
                self._leave(node.tag or "")
        self._flush()
        return "\n".join(self._done).strip()

    def _enter(self, tag: str, node: LexborNode) -> None:
        if tag == "br":
            self._line.append("\n" if self._pre else "\x1e")
        elif tag == "img":
            self._line.append(f" {node.attributes.get('alt') or ''} ")
        elif tag in {"td", "th"} and self._cells is not None:
            self._cells.append(self._taken())
        elif tag in _BLOCKS and self._cells is not None:
            self._line.append("\x1e")
        elif tag in _BLOCKS:
            self._flush()
            self._open(tag)

    def _open(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._prefix = "#" * _HEADINGS[tag] + " "
        elif tag in {"ul", "ol"}:
            self._lists.append(None if tag == "ul" else 0)
        elif tag == "li":
            self._prefix = self._bullet()
        elif tag == "pre":
            self._pre += 1
        elif tag == "tr":
            self._cells = []

    def _bullet(self) -> str:
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number = number + 1
        return "  " * max(0, len(self._lists) - 1) + ("- " if number is None else f"{number}. ")

    def _leave(self, tag: str) -> None:
        if tag in {"td", "th"} and self._cells is not None:
            self._cells.append(self._taken())
        elif tag == "tr" and self._cells is not None:
            cells, self._cells = [cell for cell in (*self._cells, self._taken()) if cell], None
            if cells:
                self._done.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        elif tag == "pre" and self._cells is None:
            self._code()
        elif tag in _BLOCKS and self._cells is None:
            self._flush()
            if tag in {"ul", "ol"} and self._lists:
                self._lists.pop()
            if tag not in {"li", "tr", "dt"} and self._done and self._done[-1]:
                self._done.append("")

    def _code(self) -> None:
        self._pre = max(0, self._pre - 1)
        code, self._line = "".join(self._line).strip("\n"), []
        if code.strip():
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", code)), default=0))
            self._done += [fence, code, fence, ""]

    def _flush(self) -> None:
        text = self._taken()
        if text:
            heading = self._prefix.startswith("#")
            if heading and self._done and self._done[-1]:
                self._done.append("")
            self._done.append(self._prefix + (text.replace("\n", " ") if heading else text))
            if heading:
                self._done.append("")
            self._prefix = ""

    def _taken(self) -> str:
        """The text gathered so far, white space squeezed, line breaks that were meant kept (not in cells)."""
        raw, self._line = "".join(self._line), []
        lines = (" ".join(part.split()) for part in raw.split("\x1e"))
        return (" " if self._cells is not None else "\n").join(line for line in lines if line)


def _steps(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Every visible node on the way in, elements also on the way out."""
    waiting: list[tuple[LexborNode, bool]] = [(root, True)]
    while waiting:
        node, entering = waiting.pop()
        if not entering:
            yield node, False
            continue
        if node.is_element_node and node is not root and _dropped(node):
            continue
        yield node, True
        if node.is_element_node:
            waiting.append((node, False))
            child = node.last_child
            while child is not None:
                if child.is_element_node or child.is_text_node:
                    waiting.append((child, True))
                child = child.prev


def _dropped(node: LexborNode) -> bool:
    if node.tag in _DROPPED or (node.tag == "a" and node.text().strip() in _PERMALINKS and _in_heading(node)):
        return True
    attributes = node.attributes
    if not attributes:
        return False
    if "hidden" in attributes or attributes.get("aria-hidden") == "true" or attributes.get("role") == "navigation":
        return True
    return bool(_HIDDEN_STYLE.search(attributes.get("style") or ""))


def _in_heading(node: LexborNode) -> bool:
    """Its parent, or that one's parent, is a heading or the term of a definition."""
    parent = node.parent
    above = parent.parent if parent is not None else None
    return any(found is not None and (found.tag in _HEADINGS or found.tag == "dt") for found in (parent, above))
