"""The picture of an estimate that comes closer to the truth with every purchase."""

from collections.abc import Sequence

from catalog.pictures.drawing import WIDTH, Picture, Table, element, framed, label

HEIGHT = 96
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 34


def error_sparkline(grid_maes: Sequence[float], *, step: int) -> Picture:
    """Draw the grid error after 0, 1, ... purchases from zero up, the present step marked."""
    largest = max(grid_maes)
    width = WIDTH - LEFT - RIGHT
    height = HEIGHT - TOP - BOTTOM

    def x(index: int) -> float:
        return LEFT + width * index / max(1, len(grid_maes) - 1)

    def y(error: float) -> float:
        return TOP + height * (1 - error / largest if largest else 1.0)

    floor = HEIGHT - BOTTOM
    points = " ".join(f"{x(i):.1f},{y(error):.1f}" for i, error in enumerate(grid_maes))
    last = len(grid_maes) - 1
    title = "Grid error of the shared estimate by purchases"
    return Picture(
        title=title,
        svg=framed(
            [
                element("line", x1=LEFT, y1=floor, x2=WIDTH - RIGHT, y2=floor, class_="axis-line"),
                element("polyline", points=points, class_="trace"),
                element(
                    "circle", cx=x(step), cy=y(grid_maes[step]), r=4, class_="dot above present"
                ),
                label(LEFT - 6, TOP + 4, f"{largest:.3f}", "tick", "end"),
                label(LEFT - 6, floor + 4, "0", "tick", "end"),
                label(LEFT, floor + 15, "0", "tick"),
                label(WIDTH - RIGHT, floor + 15, str(last), "tick"),
                label(LEFT + width / 2, floor + 28, "purchases", "axis"),
            ],
            key="sparkline",
            title=title,
            description=(
                f"From {grid_maes[0]:.3f} with the anchors alone to {grid_maes[-1]:.3f} after "
                f"{last} purchases."
            ),
            height=HEIGHT,
        ),
        table=Table(
            header=("Purchases", "Grid error"),
            rows=tuple((str(index), f"{error:.6f}") for index, error in enumerate(grid_maes)),
        ),
    )
