"""Bars and curves as SVG, values printed at them. No program is needed to look at them but a browser.

bars: groups side by side, one bar a series. curves: one panel a curve, its points side by side whatever lies between them."""
from html import escape

COLORS = ("#999999", "#0066cc", "#66aadd", "#cc6600", "#884400", "#339966")
BAR, GAP, HIGH, LEFT, TOP = 34, 26, 180, 20, 50


def bars(title, groups, series):
    """groups: {name: {series: value}}; a series that a group has not is left out there. All bars have one scale, from zero."""
    top = max(value for values in groups.values() for value in values.values()) or 1
    parts = [f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>']
    left = LEFT
    for name, values in groups.items():
        shown = [s for s in series if s in values]
        parts += [_bar(left + i * BAR, values[s], top, COLORS[series.index(s) % len(COLORS)]) for i, s in enumerate(shown)]
        middle = left + len(shown) * BAR / 2
        parts.append(f'<text x="{middle:g}" y="{TOP + HIGH + 16}" text-anchor="middle">{escape(name)}</text>')
        left += len(shown) * BAR + GAP
    x = LEFT
    for number, name in enumerate(series):
        color = COLORS[number % len(COLORS)]
        parts.append(f'<rect x="{x}" y="{TOP + HIGH + 28}" width="10" height="10" fill="{color}"/>'
                     f'<text x="{x + 14}" y="{TOP + HIGH + 37}">{escape(name)}</text>')
        x += 30 + 7 * len(name)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(left, x)}" height="{TOP + HIGH + 50}" font-family="sans-serif" '
            f'font-size="11"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')


def _bar(left, value, top, color):
    high = max(1, HIGH * value / top)
    return (f'<rect x="{left}" y="{TOP + HIGH - high:.1f}" width="{BAR - 4}" height="{high:.1f}" fill="{color}"/>'
            f'<text x="{left + BAR / 2 - 2:g}" y="{TOP + HIGH - high - 4:.1f}" text-anchor="middle" font-size="9">{value:.3g}</text>')


PANEL_WIDE, PANEL_HIGH, PANELS_A_ROW = 330, 200, 3


def curves(panels, series):
    """panels: {title: [{"at": …, key: value}]}; series: {key: (what it is, its colour)}, each of a scale of its own, from zero."""
    across, down = min(PANELS_A_ROW, len(panels)), -(-len(panels) // PANELS_A_ROW)
    parts = [_panel(title, points, series, 50 + number % PANELS_A_ROW * (PANEL_WIDE + 60), number // PANELS_A_ROW * (PANEL_HIGH + 90))
             for number, (title, points) in enumerate(panels.items())]
    top, left = down * (PANEL_HIGH + 90), 50
    for text, color in series.values():
        parts.append(f'<text x="{left}" y="{top}" fill="{color}">{escape(text)}</text>')
        left += 40 + 7 * len(text)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{50 + across * (PANEL_WIDE + 60)}" height="{top + 20}" font-family="sans-serif" '
            f'font-size="11"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')


def _panel(title, points, series, left, top):
    parts = [f'<text x="{left}" y="{top + 20}">{escape(title)}</text>']
    across = [left + PANEL_WIDE * i / max(1, len(points) - 1) for i in range(len(points))]
    for key, (_, color) in series.items():
        highest = max(p[key] for p in points) or 1
        spots = [(x, top + 40 + PANEL_HIGH * (1 - p[key] / highest), p[key]) for x, p in zip(across, points)]
        line = " ".join(f"{x:.0f},{y:.0f}" for x, y, _ in spots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}"/>')
        parts += [f'<text x="{x:.0f}" y="{y - 4:.0f}" fill="{color}" text-anchor="middle">{value:g}</text>' for x, y, value in spots]
    parts += [f'<text x="{x:.0f}" y="{top + 60 + PANEL_HIGH}" text-anchor="middle">{p["at"]:,}</text>' for x, p in zip(across, points)]
    return "".join(parts)
