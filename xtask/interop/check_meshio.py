"""Reads OBJ, PLY and VTU exports with meshio: python check_meshio.py FOLDER (made by `cargo xtask interop`)."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import meshio
import numpy as np
from truth import Truth, compare


def check_sequence(folder, truth, extension):
    """Files a frame that hold all bodies, one after the other."""
    worst = 0.0
    for place in truth.three_frames():
        path = folder / f"take.{truth.frames[place]:04d}.{extension}"
        mesh = meshio.read(path)
        points = np.concatenate([truth.skin[name][place] for name in truth.skin])
        worst = max(worst, compare(path.name, mesh.points, points, 1e-5 * min(map(truth.size, truth.skin))))
        cells = np.concatenate([block.data for block in mesh.cells if block.type == "triangle"])
        before = np.cumsum([0] + [truth.skin[name].shape[1] for name in truth.skin])
        faces = np.concatenate([truth.faces[name] + start for name, start in zip(truth.skin, before)])
        assert (cells == faces).all(), f"{path.name}: other triangles"
    return worst


def check_pvd(folder, truth):
    """A list of VTU files, a body and frame each."""
    sets = ElementTree.parse(folder / "take.pvd").getroot().find("Collection").findall("DataSet")
    assert len(sets) == len(truth.frames) * len(truth.skin), f"{len(sets)} data sets"
    worst = 0.0
    for place in truth.three_frames():
        for part, name in enumerate(truth.skin):
            entry = sets[place * len(truth.skin) + part]
            assert abs(float(entry.get("timestep")) - truth.times[place] + truth.times[0]) < 1e-9
            mesh = meshio.read(folder / entry.get("file"))
            kind, cells = ("tetra", truth.tets[name]) if name in truth.tets else ("triangle", truth.faces[name])
            points = truth.flesh[name][place] if name in truth.tets else truth.skin[name][place]
            worst = max(worst, compare(entry.get("file"), mesh.points, points, 1e-5 * truth.size(name)))
            assert (mesh.cells_dict[kind] == cells).all(), f"{entry.get('file')}: other cells"
    return worst


def main():
    folder = Path(sys.argv[1])
    truth = Truth(folder / "take.npz")
    for extension in ["obj", "ply"]:
        print(f"meshio: .{extension}: largest distance {check_sequence(folder, truth, extension):.1e} m")
    print(f"meshio: .pvd: largest distance {check_pvd(folder, truth):.1e} m")


main()
