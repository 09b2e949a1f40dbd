"""Tables and pictures for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from modelcontext.programs.tracing.story import Moment

# The measures of a picture, in pixels.
_LANE: Final = 150
_ROW: Final = 22
_TOP: Final = 40
_WORDS: Final = 640


def outcomes_as_html(summary: str, outcomes: Sequence[tuple[Sequence[str], str]]) -> str:
    """Return a table of outcomes, each with its lines and the schedule that replays it."""
    rows = "".join(
        f"<tr><td>{number}</td><td style='text-align:left'>{'<br>'.join(map(escape, lines))}</td>"
        f'<td style="text-align:left"><code>replay="{replay}"</code></td></tr>'
        for number, (lines, replay) in enumerate(outcomes, 1)
    )
    return (
        f"<p>{escape(summary)}</p><table><thead><tr><th></th><th>outcome</th><th>its smallest schedule</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def story_as_html(moments: Sequence[Moment]) -> str:
    """Return a picture of a run: a lane for each who acts, from top to bottom, with the decisive moment marked."""
    lanes = list(dict.fromkeys(moment.who for moment in moments))
    left = {who: _LANE // 2 + _LANE * number for number, who in enumerate(lanes)}
    height = _TOP + _ROW * (len(moments) + 1)
    width = _LANE * len(lanes) + _WORDS
    parts = [_lane(who, left[who], height) for who in lanes]
    points = " ".join(f"{left[moment.who]},{_height(number)}" for number, moment in enumerate(moments))
    parts.append(f'<polyline points="{points}" fill="none" stroke="#999"/>')
    for number, moment in enumerate(moments):
        color = "#c00" if moment.is_decisive else "#246"
        weight = ' font-weight="bold"' if moment.is_decisive else ""
        words = escape(moment.words + (f" ({moment.step})" if moment.step else ""))
        parts.append(
            f'<circle cx="{left[moment.who]}" cy="{_height(number)}" r="5" fill="{color}"><title>{words}</title></circle>'
            f'<text x="{_LANE * len(lanes)}" y="{_height(number) + 4}" fill="{color}"{weight}>{words}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img"'
        f' font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )


def _height(number: int) -> int:
    return _TOP + _ROW * (number + 1) - _ROW // 2


def _lane(who: str, left: int, height: int) -> str:
    name = escape(who.removeprefix("https://").rstrip("/"))
    return (
        f'<text x="{left}" y="20" text-anchor="middle">{name}</text>'
        f'<line x1="{left}" y1="28" x2="{left}" y2="{height}" stroke="#ddd"/>'
    )
