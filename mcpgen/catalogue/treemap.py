"""A map of tokens: a rectangle for each toolset, and in it one for each tool, as large as it costs.

Squarified (Bruls, Huizing and van Wijk, 2000): rows are filled as long as their rectangles become
more like squares.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .model import Catalogue, Row

WIDTH, HEIGHT = 1296.0, 475.0
"""The largest map, in pixels of a wide screen: it fits one of 800 pixels below its heading. A map
of few tools is lower: a tool is a field and not a wall.
"""
LOWEST, FOR_A_TOOL = 190.0, 12.0
HEADER = 17.0
"""The height of a toolset's name."""
LINE = 13.0
"""The height of a line of a label."""
NAMED = 40.0
"""The width from which a box has its name. Smaller toolsets share a box."""
GAP = 1.5
LETTER, BOLD = 6.3, 7.2
"""The width of a letter of a tool's and of a toolset's name; names are cut to what fits."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, from its top left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    def inner(self, gap: float, header: float = 0.0) -> Box:
        """Return the rectangle inside a border of `gap`, below a header."""
        return Box(
            self.x + gap,
            self.y + gap + header,
            max(0.0, self.width - 2 * gap),
            max(0.0, self.height - 2 * gap - header),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A tool on the map. `lines`: its name without the toolset, each line cut to the box's width;
    empty in a box below 40 pixels' width or a line's height.
    """

    row: Row
    box: Box
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A toolset on the map, or the small ones together; `label` as much of the heading as fits."""

    box: Box
    toolsets: tuple[str, ...]
    heading: str
    label: str
    leaves: tuple[Leaf, ...]


def treemap(catalogue: Catalogue, chosen: Container[str] = ()) -> list[Area]:
    """Return the map of a server's tools, the largest toolset first; `chosen` toolsets alone, if
    any.
    """
    members: dict[str, list[Row]] = {}
    for row in catalogue.rows:
        if not chosen or row.toolset in chosen:
            members.setdefault(row.toolset, []).append(row)
    sums = {name: sum(row.tokens for row in rows) for name, rows in members.items()}
    height = min(HEIGHT, LOWEST + FOR_A_TOOL * sum(map(len, members.values())))
    groups = _groups(sums, Box(0, 0, WIDTH, height))
    return [_area(names, sums, members, box) for names, box in groups]


def _groups(sums: Mapping[str, int], whole: Box) -> list[tuple[tuple[str, ...], Box]]:
    """Return (toolsets, box) of each box on the map. The smallest toolsets, up to half of the list,
    share a box if their own would be too small for a name.
    """
    names = sorted(sums, key=lambda name: (-sums[name], name))
    total = sum(sums.values())
    least = NAMED**2 / (whole.width * whole.height) * total
    for shared in range(sum(size < least for size in sums.values()), len(names)):
        rest = tuple(names[len(names) - shared :])
        if _sum(rest, sums) > total / 2:
            break
        placed = _placed([*((name,) for name in names[: len(names) - shared]), rest], sums, whole)
        if all(min(box.width, box.height) >= NAMED for _, box in placed):
            return placed
    return _placed([(name,) for name in names], sums, whole)


def _placed(
    groups: Iterable[tuple[str, ...]], sums: Mapping[str, int], whole: Box
) -> list[tuple[tuple[str, ...], Box]]:
    """Return the groups with their boxes, the largest first."""
    ordered = sorted(filter(None, groups), key=lambda group: -_sum(group, sums))
    boxes = squarified([_sum(group, sums) for group in ordered], whole)
    return list(zip(ordered, boxes, strict=True))


def _sum(names: Iterable[str], sums: Mapping[str, int]) -> int:
    return sum(sums[name] for name in names)


def _area(
    names: tuple[str, ...], sums: Mapping[str, int], members: Mapping[str, list[Row]], box: Box
) -> Area:
    short = names[0]
    if len(names) > 1:
        short = f"{len(names)} more"
    cost = f"{_sum(names, sums):,}"
    heading = f"{', '.join(names)}  {cost}"
    label, header = "", 0.0
    if box.height >= NAMED <= box.width:
        label, header = _label((heading, f"{short}  {cost}", short), box.width), HEADER
    rows = [row for name in names for row in members[name]]
    ordered = sorted(rows, key=lambda row: (-row.tokens, row.tool.name))
    boxes = squarified([row.tokens for row in ordered], box.inner(GAP, header))
    leaves = tuple(
        Leaf(
            row=row,
            box=inner.inner(0.5),
            lines=_lines(_short(row).split("_"), inner.width, inner.height),
        )
        for row, inner in zip(ordered, boxes, strict=True)
    )
    return Area(box=box, toolsets=names, heading=heading, label=label, leaves=leaves)


def _label(texts: Sequence[str], width: float) -> str:
    """Return the first text that fits a width in pixels; else the last, cut."""
    letters = int((width - 6) / BOLD)
    return next((text for text in texts if len(text) <= letters), _cut(texts[-1], letters))


def _cut(text: str, letters: int) -> str:
    if len(text) <= letters:
        return text
    return f"{text[: letters - 1]}…"


def _short(row: Row) -> str:
    """Return a tool's name without the prefix of its toolset, shown above it."""
    return row.tool.name.removeprefix(f"{row.toolset}_")


def _lines(words: Sequence[str], width: float, height: float) -> tuple[str, ...]:
    """Return the words of a name in as many lines as a box has, each cut to its width; none in a
    small box.
    """
    letters, most = int((width - 6) / LETTER), int(height / LINE)
    if width < NAMED or not most:
        return ()
    lines: list[str] = []
    for index, word in enumerate(words):
        part = word if index == len(words) - 1 else f"{word}_"
        if lines and (len(lines[-1] + part) <= letters or len(lines) == most):
            lines[-1] += part
        else:
            lines.append(part)
    return tuple(_cut(line, letters) for line in lines)


def squarified(sizes: Sequence[float], box: Box) -> list[Box]:
    """Return a rectangle for each size, in the same order; they fill the box. `sizes` descend. All
    are empty if the sum or the box is.
    """
    total = sum(sizes)
    if not total or not box.width or not box.height:
        return [Box(box.x, box.y, 0.0, 0.0) for _ in sizes]
    scale = box.width * box.height / total
    areas = [size * scale for size in sizes]
    boxes: list[Box] = []
    while areas:
        side = min(box.width, box.height)
        count = 1
        while count < len(areas) and _worst(areas[: count + 1], side) <= _worst(
            areas[:count], side
        ):
            count += 1
        row, areas = areas[:count], areas[count:]
        laid_out, box = _laid_out(row, box)
        boxes += laid_out
    return boxes


def _worst(areas: Sequence[float], side: float) -> float:
    """Return the worst aspect ratio of a row's rectangles: 1 is a square."""
    depth = sum(areas) / side
    if not depth:
        return 1.0
    lengths = [area / depth for area in areas]
    return max(max(length / depth, depth / max(length, 1e-9)) for length in lengths)


def _laid_out(areas: Sequence[float], box: Box) -> tuple[list[Box], Box]:
    """Lay out a row along the shorter side of a box; return its rectangles, and the rest of the
    box.
    """
    depth = sum(areas) / min(box.width, box.height)
    lengths = [area / max(depth, 1e-9) for area in areas]
    starts = [0.0, *accumulate(lengths)]
    if box.width >= box.height:
        boxes = [
            Box(box.x, box.y + at, depth, size) for at, size in zip(starts, lengths, strict=False)
        ]
        return boxes, Box(box.x + depth, box.y, max(0.0, box.width - depth), box.height)
    boxes = [Box(box.x + at, box.y, size, depth) for at, size in zip(starts, lengths, strict=False)]
    return boxes, Box(box.x, box.y + depth, box.width, max(0.0, box.height - depth))
