"""Draws one shaded picture of a surface with matplotlib, and times it.

    python render.py SURFACE.npz PICTURE.png [--runs R]

640 x 360, flat shading, no shadow: what a Python user without a display has at hand. Prints one line, `RESULT {json}`.
"""

import argparse
import json
import statistics
import sys
import time


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("surface")
    parser.add_argument("picture")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")
    with np.load(arguments.surface) as surface:
        positions, triangles = surface["positions"], surface["triangles"].astype(int)
    times_ms = []
    for _ in range(arguments.runs):
        began = time.perf_counter()
        draw(positions, triangles, arguments.picture)
        times_ms.append(1e3 * (time.perf_counter() - began))
    print("RESULT " + json.dumps({"median_ms": round(statistics.median(times_ms), 5)}), flush=True)
    return 0


def draw(positions, triangles, picture: str) -> None:
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(6.4, 3.6), dpi=100)
    axes = figure.add_subplot(projection="3d")
    x, z, y = positions.T
    axes.plot_trisurf(x, y, z, triangles=triangles, shade=True, linewidth=0, antialiased=True)
    figure.savefig(picture)
    pyplot.close(figure)


if __name__ == "__main__":
    sys.exit(main())
