"""A step as nested rectangles, whose width is time: one SVG that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from zlib import crc32

from mini_bert.profiling.profile import Profile, family
from mini_bert.profiling.spans import BACKWARD, FORWARD, OPTIMIZER, REDUCTION

WIDTH, ROW, TOP, MARGIN = 1200.0, 24, 40, 10
THINNEST = 0.4
LETTER = 6.6
HUES = {FORWARD: 212, BACKWARD: 22, OPTIMIZER: 130, REDUCTION: 285}


@dataclass
class Block:
    """A rectangle: its own name, and what is inside it."""

    name: str
    seconds: float = 0.0
    flops: float = 0.0
    inside: dict[str, Block] = field(default_factory=dict)

    def add(self, names: list[str], seconds: float, flops: float) -> None:
        """Time and FLOPs of the block at the end of this way, and so of all on the way."""
        self.seconds += seconds
        self.flops += flops
        if names:
            self.inside.setdefault(names[0], Block(names[0])).add(names[1:], seconds, flops)

    @property
    def depth(self) -> int:
        return 1 + max((block.depth for block in self.inside.values()), default=0)


def block_of(profile: Profile) -> Block:
    """step > phase > layer > part > function, in the order in which they were done"""
    step = Block("step")
    for (phase, path, name), seconds in profile.times.own.items():
        step.add([phase, *scopes(path), family(name)], seconds, 0.0)
    for (phase, path, name), flops in profile.flops.items():
        step.add([phase, *scopes(path), name], 0.0, flops)
    return step


def scopes(path: str) -> list[str]:
    """encoder.layers.0.attn.query. → encoder, layers.0, attn, query"""
    names: list[str] = []
    for name in path.split(".")[:-1]:
        if name.isdigit() and names:
            names[-1] += f".{name}"
        else:
            names.append(name)
    return names


def svg(profile: Profile, title: str) -> str:
    """The figure, with a note on each rectangle that shows when one points at it."""
    step = block_of(profile)
    height = TOP + ROW * step.depth + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height}" width="100%"'
        ' font-family="ui-monospace, Menlo, Consolas, monospace" font-size="11">',
        f'<rect width="{WIDTH:g}" height="{height}" fill="white"/>',
        f'<text x="{MARGIN}" y="24" font-size="14" fill="#222">{escape(title)}</text>',
        *rectangles(step, MARGIN, TOP, (WIDTH - 2 * MARGIN) / max(step.seconds, 1e-12), step.seconds, ""),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def rectangles(block: Block, x: float, y: int, scale: float, whole: float, phase: str) -> Iterator[str]:
    width = block.seconds * scale
    if width < THINNEST:
        return
    yield f"<g><title>{escape(note(block, whole))}</title>"
    yield (
        f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{ROW - 1}" rx="2" fill="{colour(block.name, phase)}"'
        ' stroke="white" stroke-width="0.5"/>'
    )
    if label := shortened(block.name, width):
        yield f'<text x="{x + 4:.2f}" y="{y + 16}" fill="#222" pointer-events="none">{escape(label)}</text>'
    yield "</g>"
    for inner in block.inside.values():
        yield from rectangles(inner, x, y + ROW, scale, whole, phase or inner.name)
        x += inner.seconds * scale


def note(block: Block, whole: float) -> str:
    rate = f", {block.flops / block.seconds / 1e9:.1f} GFLOP/s" if block.flops and block.seconds else ""
    return (
        f"{block.name}: {1e3 * block.seconds:.3f} ms, {100 * block.seconds / whole:.1f} % of the step{rate}"
    )


def shortened(name: str, width: float) -> str:
    letters = int((width - 8) / LETTER)
    if letters >= len(name):
        return name
    return f"{name[: letters - 1]}…" if letters >= 3 else ""


def colour(name: str, phase: str) -> str:
    """A hue for each phase; names differ a little in lightness."""
    saturation = 65 if phase in HUES else 0
    return f"hsl({HUES.get(phase, 0)},{saturation}%,{72 + crc32(name.encode()) % 14}%)"


def html(profile: Profile, title: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<body style="margin:1rem;background:white">\n{svg(profile, title)}</body>\n</html>\n'
    )
