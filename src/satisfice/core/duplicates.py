"""Do two queries mean the same? Only when every word of either is explained by the other. Rules in order; the first
that fails says why they differ. English words are known by their lists; other words match when they are written alike.

The unsafe error is to call different queries the same, so what is not explained differs: one heavy word too many, a
number, a date, a name, a negation, another question word or tense, or the same words in an order that may matter.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from satisfice.core.reading import Reading, Word, read, without_throwaway
from satisfice.core.wordlists import DIRECTIONS, LIGHT_WORDS, MILD, NEVER_TOGETHER, SUFFIXES, SYNONYMS, light_stem

LEAST_SIMILARITY = 0.75
"""Below this cosine of the two queries no exchange of words is believed."""
_MOST_EXCHANGES = 2
_MOST_LIGHT = 2
_LIGHT_STEMS = frozenset(map(light_stem, LIGHT_WORDS)) | LIGHT_WORDS


@dataclass(frozen=True, slots=True)
class Same:
    """The queries mean the same; `why` says what had to be explained."""

    why: str


@dataclass(frozen=True, slots=True)
class Different:
    """They may mean different things; `why` is the first rule that found so."""

    why: str


@lru_cache(maxsize=4096)  # a run asks about the same pairs at every decision
def same_meaning(a: str, b: str, *, similarity: float | None = None) -> Same | Different:
    """Whether the answer to one would be the answer to the other. Symmetric.

    `similarity` is the cosine of the two, where an embedder was at hand; without it the words alone decide.
    """
    a, b = sorted((a, b))  # so that the order of asking cannot change the answer
    one, other = read(a), read(b)
    if one.surface == other.surface:
        return Same("written alike") if one.surface else Different("both are empty")
    bare_a, bare_b = without_throwaway(a), without_throwaway(b)
    if (bare_a != a.strip()) != (bare_b != b.strip()) and len(read(bare_a).words) > 2:
        found = _compared(read(bare_a), read(bare_b))
        return Same("a throwaway token apart") if isinstance(found, Same) else found
    found = _compared(one, other)
    if isinstance(found, Same) and similarity is not None and similarity < LEAST_SIMILARITY:
        return Different(f"similarity {similarity:.2f} is below {LEAST_SIMILARITY}")
    return found


def _compared(one: Reading, other: Reading) -> Same | Different:
    if one.surface == other.surface:
        return Same("written alike")
    if not one.words or not other.words:
        return Different("no words to compare")
    refusal = _frame(one, other)
    if refusal:
        return Different(refusal)
    pairs, exchanged = _aligned(one.words, other.words)
    refusal = (
        _left_over(one, other, pairs)
        or _too_thin(one, other, pairs, exchanged)
        or _moved(one, other, [p for p in pairs if p])
    )
    if refusal:
        return Different(refusal)
    shown = ", ".join(f"{x}={y}" for x, y in exchanged)
    return Same(f"same words, {shown}" if shown else "same words")


# --- what must be equal --------------------------------------------------------------------------------------------


def _frame(one: Reading, other: Reading) -> str:
    """Numbers, dates, negations, question words, tense, and a preposition left at the end."""
    mine, theirs = sorted(h for h, _ in one.hard), sorted(h for h, _ in other.hard)
    if mine != theirs:
        apart = sorted(set(mine) ^ set(theirs)) or mine
        return f"numbers, dates or negations differ: {', '.join(apart)}"
    moved = [h for h, _ in one.hard] != [h for h, _ in other.hard]
    if _hung(one, strictly=moved) != _hung(other, strictly=moved):
        return "numbers or dates changed places"
    if set(one.question) != set(other.question):
        return "another question word"
    if one.ending != other.ending:
        return "another preposition at the end"
    (present, past, future), (other_present, other_past, other_future) = one.tense, other.tense
    if (present and other_past) or (past and other_present) or future != other_future:
        return "another tense"
    return ""


def _hung(reading: Reading, *, strictly: bool) -> list[tuple[str, str]]:
    """The hard tokens with their prepositions; those that only say "at that time" count as one unless order changed."""
    return sorted((h, before if strictly or before in DIRECTIONS else "") for h, before in reading.hard)


# --- alignment -----------------------------------------------------------------------------------------------------

Pair = tuple[int, int]


def _aligned(mine: tuple[Word, ...], theirs: tuple[Word, ...]) -> tuple[list[Pair], list[tuple[str, str]]]:
    """Pairs of places, in order of the first, and the words that were exchanged for another."""
    pairs = _in_order(mine, theirs)
    free = [j for j in range(len(theirs)) if j not in {j for _, j in pairs}]
    exchanged: list[tuple[str, str]] = []
    for same in (_alike, _related):
        for i in [i for i in range(len(mine)) if i not in {i for i, _ in pairs}]:
            found = next((j for j in sorted(free, key=lambda j: abs(j - i)) if same(mine[i], theirs[j])), None)
            if found is not None:
                pairs.append((i, found))
                free.remove(found)
                if same is _related and not _family(mine[i], theirs[found]):
                    exchanged.append((mine[i].text, theirs[found].text))
    return sorted(pairs), exchanged


def _in_order(mine: tuple[Word, ...], theirs: tuple[Word, ...]) -> list[Pair]:
    """The longest run of words alike that keeps its order."""
    rows, columns = len(mine), len(theirs)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            alike = mine[i].stem == theirs[j].stem and _alike(mine[i], theirs[j])
            best[i][j] = 1 + best[i + 1][j + 1] if alike else max(best[i + 1][j], best[i][j + 1])
    pairs: list[Pair] = []
    i = j = 0
    while i < rows and j < columns:
        if mine[i].stem == theirs[j].stem and _alike(mine[i], theirs[j]):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _alike(one: Word, other: Word) -> bool:
    """One word in two forms, or with a slip of the pen."""
    if one.text == other.text:
        return True
    if one.contrast != other.contrast and (one.contrast or other.contrast):
        return False
    if one.stem == other.stem:
        return not (one.name and other.name) or one.text.rstrip("s") == other.text.rstrip("s")
    return not (one.name or other.name) and _slip(one.text, other.text)


def _related(one: Word, other: Word) -> bool:
    """A word of the same family or group; names only stand for themselves and their derivations."""
    if one.contrast or other.contrast:
        return bool(one.contrast & other.contrast) and not (one.name or other.name)
    if _family(one, other):
        return not (one.name and other.name)
    if one.name or other.name:
        return False
    groups = SYNONYMS.get(one.text) or SYNONYMS.get(one.stem) or frozenset[int]()
    other_groups = SYNONYMS.get(other.text) or SYNONYMS.get(other.stem) or frozenset[int]()
    return not groups.isdisjoint(other_groups)


def _slip(a: str, b: str) -> bool:
    """One doubled letter, or two neighbours exchanged, in a word of six letters or more."""
    if min(len(a), len(b)) < 6 or a[0] != b[0]:
        return False
    if len(a) == len(b):
        apart = [i for i in range(len(a)) if a[i] != b[i]]
        return (
            len(apart) == 2 and apart[1] == apart[0] + 1 and a[apart[0]] == b[apart[1]] and a[apart[1]] == b[apart[0]]
        )
    short, long = sorted((a, b), key=len)
    return len(long) == len(short) + 1 and any(
        long[i] == long[i - 1] and long[:i] + long[i + 1 :] == short for i in range(1, len(long))
    )


def _family(one: Word, other: Word) -> bool:
    """A shared root of five letters or more after endings are taken off, and no pair of endings that makes opposites."""
    a, b = one.text, other.text
    if one.contrast or other.contrast or a[:4] != b[:4] or not (a.isalpha() and b.isalpha()):
        return False
    for ending, opposite in NEVER_TOGETHER:
        if (a.endswith(ending) and b.endswith(opposite)) or (a.endswith(opposite) and b.endswith(ending)):
            return False
    return not _roots(a).isdisjoint(_roots(b))


def _roots(word: str) -> set[str]:
    roots, edge = {word}, {word}
    for _ in range(3):
        edge = {w[: -len(s)] for w in edge for s in SUFFIXES if w.endswith(s) and len(w) - len(s) >= 5}
        roots |= edge
    return {root for root in roots if len(root) >= 5}


# --- what is left over ---------------------------------------------------------------------------------------------


def _left_over(one: Reading, other: Reading, pairs: list[Pair]) -> str:
    mine = _unpaired(one, {i for i, _ in pairs})
    theirs = _unpaired(other, {j for _, j in pairs})
    if mine and theirs:
        return f"{_listed(mine)} is not {_listed(theirs)}"
    for left in (mine, theirs):
        heavy = [word for word in left if not _light(word)]
        if heavy:
            return f"only one has {_listed(heavy)}"
        if len(left) > _MOST_LIGHT:
            return f"only one has {_listed(left)}"
    return ""


def _unpaired(reading: Reading, paired: set[int]) -> list[Word]:
    return [word for i, word in enumerate(reading.words) if i not in paired]


def _listed(words: list[Word]) -> str:
    return ", ".join(word.text for word in words)


def _light(word: Word) -> bool:
    if word.name or word.joined:
        return False
    if word.contrast:
        return word.text in MILD
    return word.text in MILD or word.stem in _LIGHT_STEMS


def _too_thin(one: Reading, other: Reading, pairs: list[Pair], exchanged: list[tuple[str, str]]) -> str:
    """Whether too few words are left to carry an exchange, or to carry anything."""
    if len(exchanged) > _MOST_EXCHANGES:
        return "too many words were exchanged"
    if exchanged and len(pairs) - len(exchanged) < 2:
        return "too few words besides the exchanged ones"
    if len(pairs) < 2 and sorted(one.functions) != sorted(other.functions):
        return "too few words, and they are put together differently"
    return ""


# --- order ---------------------------------------------------------------------------------------------------------


def _moved(one: Reading, other: Reading, pairs: list[Pair]) -> str:
    """Why a change of order, or of who does what to whom, may matter."""
    if one.is_keywords and other.is_keywords:
        return ""
    ranks = sorted(j for _, j in pairs)
    order = [ranks.index(j) for _, j in pairs]
    kept = all(x < y for x, y in pairwise(order))
    passive = ("by" in one.functions) != ("by" in other.functions)
    if not kept and not _exchange_allowed(one, other, pairs, order, passive=passive):
        return "the same words in another order"
    if kept and passive and len(pairs) <= 6:
        return "active on one side and passive on the other"
    if len(pairs) <= 4 and one.directions != other.directions:
        return "other prepositions between few words"
    return ""


def _exchange_allowed(one: Reading, other: Reading, pairs: list[Pair], order: list[int], *, passive: bool) -> bool:
    """One block that changed places with its neighbour, where the sentence shows that nothing else changed."""
    first = next(i for i, rank in enumerate(order) if rank != i)
    size = order[first] - first
    second = next((i for i in range(first, len(order)) if order[i] == first), -1)
    end = second + size
    swapped = [*range(first), *range(first + size, first + size + second - first), *range(first, first + size)]
    if second < 0 or end > len(order) or order != [*swapped, *range(end, len(order))]:
        return False
    if passive and len(pairs) <= 8:
        return True
    for start in (first, second):
        i, j = pairs[start]
        before = one.words[i].before
        if before and before == other.words[j].before:
            return True
    joined = one.words[pairs[second][0]].joined, other.words[pairs[first][1]].joined
    return joined[0] == joined[1] and joined[0] in {"and", "or"}
