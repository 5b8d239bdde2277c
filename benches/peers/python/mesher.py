"""Times a mesher that fills a closed surface with tetrahedra.

    python mesher.py SURFACE.npz tetgen|pytetwild [--tets N] [--runs R]

SURFACE.npz holds `positions` (N, 3) and `triangles` (M, 3). tetgen keeps the surface and is asked for angles of at least
10 degrees and volumes that give about N tets; fTetWild is asked for an edge length that gives about N. Prints one line,
`RESULT {json}`; `median_ms` is milliseconds per 1000 tets.
"""

import argparse
import json
import statistics
import sys
import time


def main() -> int:
    arguments = parse_arguments()
    import numpy as np

    with np.load(arguments.surface) as surface:
        positions = np.ascontiguousarray(surface["positions"], dtype=float)
        triangles = np.ascontiguousarray(surface["triangles"], dtype=np.int32)
    fill = {"tetgen": fill_by_tetgen, "pytetwild": fill_by_tetwild}[arguments.tool]
    times_ms, tets = [], None
    for _ in range(arguments.runs):
        began = time.perf_counter()
        vertices, tets = fill(np, positions, triangles, arguments.tets)
        times_ms.append(1e3 * (time.perf_counter() - began) / (len(tets) / 1000))
    low, high = dihedral_range_deg(np, np.asarray(vertices, dtype=float), np.asarray(tets)[:, :4])
    result = {
        "name": arguments.tool,
        "triangles": len(triangles),
        "tets": len(tets),
        "dihedral_deg": [round(low, 2), round(high, 2)],
        "median_ms": round(statistics.median(times_ms), 5),
    }
    print("RESULT " + json.dumps(result), flush=True)
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("surface", help="an .npz file with positions and triangles")
    parser.add_argument("tool", choices=["tetgen", "pytetwild"])
    parser.add_argument("--tets", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=1)
    return parser.parse_args()


def fill_by_tetgen(np, positions, triangles, wanted: int):
    import tetgen

    mesher = tetgen.TetGen(positions, triangles)
    # Refinement makes tets smaller than the volume allows, by about a half.
    largest = 2.0 * volume(np, positions, triangles) / wanted
    filled = mesher.tetrahedralize(
        plc=True, quality=True, minratio=1.5, mindihedral=10.0, fixedvolume=True, maxvolume=largest
    )
    return filled[0], filled[1]


def fill_by_tetwild(np, positions, triangles, wanted: int):
    import pytetwild

    # A regular tet of edge e has the volume e^3 / (6 sqrt 2).
    edge = (6.0 * np.sqrt(2.0) * volume(np, positions, triangles) / wanted) ** (1.0 / 3.0)
    share = float(edge / np.linalg.norm(np.ptp(positions, axis=0)))
    filled = pytetwild.tetrahedralize(positions, triangles, optimize=True, edge_length_fac=share, quiet=True)
    return filled[0], filled[1]


def volume(np, positions, triangles) -> float:
    a, b, c = (positions[triangles[:, corner]] for corner in range(3))
    return abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6.0


def dihedral_range_deg(np, vertices, tets):
    corners = vertices[tets]
    faces = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
    normals = [np.cross(corners[:, b] - corners[:, a], corners[:, c] - corners[:, a]) for a, b, c in faces]
    lengths = [np.maximum(np.linalg.norm(normal, axis=1), 1e-300) for normal in normals]
    low, high = 180.0, 0.0
    for i in range(4):
        for j in range(i + 1, 4):
            cosine = -np.einsum("ij,ij->i", normals[i], normals[j]) / (lengths[i] * lengths[j])
            angle = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
            low, high = min(low, float(angle.min())), max(high, float(angle.max()))
    return low, high


if __name__ == "__main__":
    sys.exit(main())
