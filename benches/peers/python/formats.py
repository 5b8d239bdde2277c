"""Reads or writes one mesh file with meshio or trimesh, and times it.

    python formats.py make MESH.npz FOLDER            files of the mesh in every format, for both sides to read
    python formats.py read FILE [--runs R]
    python formats.py write MESH.npz FILE [--runs R]

MESH.npz holds `positions` (N, 3), `triangles` (M, 3) and `tets` (K, 4) with positions of their own, `tet_positions`.
meshio takes all formats but GLB, which trimesh takes. Prints one line, `RESULT {json}`, milliseconds a file.
"""

import argparse
import json
import os
import statistics
import sys
import time

SURFACES = [".obj", ".off", ".stl", ".ply", ".glb"]
TETS = [".msh", ".mesh", ".vtu"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["make", "read", "write"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.task == "make":
        mesh, folder = arguments.paths
        for extension in SURFACES + TETS:
            write(mesh_of(mesh, extension), os.path.join(folder, "mesh" + extension))
        return 0
    if arguments.task == "read":
        work = lambda: read(arguments.paths[0])
    else:
        mesh = mesh_of(arguments.paths[0], os.path.splitext(arguments.paths[1])[1])
        work = lambda: write(mesh, arguments.paths[1])
    times_ms = []
    for _ in range(arguments.runs):
        began = time.perf_counter()
        work()
        times_ms.append(1e3 * (time.perf_counter() - began))
    print("RESULT " + json.dumps({"median_ms": round(statistics.median(times_ms), 5)}), flush=True)
    return 0


def mesh_of(path: str, extension: str):
    import numpy as np

    with np.load(path) as arrays:
        if extension in TETS:
            return arrays["tet_positions"], arrays["tets"].astype(np.int64), "tetra"
        return arrays["positions"], arrays["triangles"].astype(np.int64), "triangle"


def read(path: str) -> None:
    if path.endswith(".glb"):
        import trimesh

        found = len(trimesh.load(path, process=False).geometry)
    else:
        import meshio

        found = len(meshio.read(path).points)
    if found == 0:
        sys.exit(f"{path}: nothing was read")


def write(mesh, path: str) -> None:
    positions, cells, kind = mesh
    if path.endswith(".glb"):
        import trimesh

        trimesh.Trimesh(positions, cells, process=False).export(path)
        return
    import meshio

    # The formats that sinew writes as text are written as text.
    options = {".msh": {"file_format": "gmsh", "binary": False}, ".vtu": {"binary": True, "compression": "zlib"}}
    meshio.Mesh(positions, [(kind, cells)]).write(path, **options.get(os.path.splitext(path)[1], {}))


if __name__ == "__main__":
    sys.exit(main())
