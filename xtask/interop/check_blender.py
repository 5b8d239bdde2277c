"""Reads every format back in Blender and compares vertices at three frames: python check_blender.py FOLDER.

FOLDER holds take.* as `cargo xtask interop` makes them, all bodies, and long.glb, which is within its stated bound only.
Blender is Z up: its importers turn what they read, and we turn it back by world matrices.
"""

import json
import struct
import sys
from pathlib import Path

import bpy
import numpy as np
from truth import Truth, compare

FPS = (24, 1.0)


def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = FPS


def world_points(thing, frame):
    """Vertices as shown at a frame, in world metres with Y up."""
    bpy.context.scene.frame_set(int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    shown = thing.evaluated_get(graph)
    mesh = shown.to_mesh()
    points = np.empty(3 * len(mesh.vertices), dtype=np.float64)
    mesh.vertices.foreach_get("co", points)
    matrix = np.array(shown.matrix_world, dtype=np.float64)
    shown.to_mesh_clear()
    points = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return points[:, [0, 2, 1]] * [1, 1, -1]


def meshes():
    return [thing for thing in bpy.data.objects if thing.type == "MESH"]


def named(name):
    """Importers cut, mend and number names."""
    wanted = name.replace("-", "_")
    return next(thing for thing in meshes() if thing.name.replace("-", "_").split(".")[0] == wanted)


def check_usda(folder, truth):
    empty_scene()
    bpy.ops.wm.usd_import(filepath=str(folder / "take.usda"), set_frame_range=True)
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (truth.frames[0], truth.frames[-1])
    return compare_all(truth, lambda name, place: world_points(named(name), truth.frames[place]))


def check_glb(path, truth, stated):
    """Second 0 of a glTF lands on Blender's frame 0."""
    empty_scene()
    bpy.ops.import_scene.gltf(filepath=str(path))
    first = truth.frames[0]
    points = lambda name, place: world_points(named(name), truth.frames[place] - first)
    return compare_all(truth, points, stated)


def check_cache(folder, truth, kind):
    """The mesh beside the cache with a Mesh Cache modifier."""

    def points(name, place):
        several = "" if len(truth.skin) == 1 else f"-{name}"
        empty_scene()
        bpy.ops.wm.obj_import(filepath=str(folder / kind / f"take{several}.obj"))
        thing = meshes()[0]
        modifier = thing.modifiers.new("cache", "MESH_CACHE")
        modifier.cache_format = kind.upper()
        modifier.filepath = str(folder / kind / f"take{several}.{kind}")
        modifier.frame_start = truth.frames[0]
        # The importer put the turn from Y up to Z up on the object: the points themselves stay as they are.
        modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
        return world_points(thing, truth.frames[place])

    return compare_all(truth, points)


def check_sequence(folder, truth, extension):
    worst = 0.0
    for place in truth.three_frames():
        empty_scene()
        path = folder / f"take.{truth.frames[place]:04d}.{extension}"
        if extension == "obj":
            bpy.ops.wm.obj_import(filepath=str(path))
            for name in truth.skin:
                found = world_points(named(name), 1)
                worst = max(worst, compare(path.name, found, truth.skin[name][place], 1e-5 * truth.size(name)))
        else:
            bpy.ops.wm.ply_import(filepath=str(path), forward_axis="NEGATIVE_Z", up_axis="Y")
            points = np.concatenate([truth.skin[name][place] for name in truth.skin])
            allowed = 1e-5 * min(map(truth.size, truth.skin))
            worst = max(worst, compare(path.name, world_points(meshes()[0], 1), points, allowed))
    return worst


def compare_all(truth, points, stated=None):
    worst = 0.0
    for name in truth.skin:
        allowed = 1e-5 * truth.size(name) if stated is None else stated[name] + 1e-6 * truth.size(name)
        for place in truth.three_frames():
            worst = max(worst, compare(f"{name}, frame {truth.frames[place]}", points(name, place), truth.skin[name][place], allowed))
    return worst


def check_looks(folder):
    """A skin with a material: the importers find the shader and its picture. Gives no distance."""
    for path in [folder / "painted.glb", folder / "painted.usda"]:
        empty_scene()
        if path.suffix == ".glb":
            bpy.ops.import_scene.gltf(filepath=str(path))
        else:
            bpy.ops.wm.usd_import(filepath=str(path), import_usd_preview=True)
        thing = meshes()[0]
        material = thing.data.materials[0]
        pictures = [node.image for node in material.node_tree.nodes if node.type == "TEX_IMAGE" and node.image]
        assert pictures and pictures[0].size[0] > 1, f"{path.name}: no picture in {material.name}"
        assert thing.data.uv_layers, f"{path.name}: no texture coordinates"
    return 0.0


def stated_errors(path):
    """What a GLB says of its own error."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    bodies = json.loads(data[20 : 20 + length])["asset"]["extras"]["sinew"]["bodies"]
    assert not any(body["exact"] for body in bodies.values())
    return {name: body["error_m"] for name, body in bodies.items()}


def main():
    folder = Path(sys.argv[1])
    truth, long = Truth(folder / "take.npz"), Truth(folder / "long.npz")
    stated = stated_errors(folder / "long.glb")
    checks = {
        ".usda": lambda: check_usda(folder, truth),
        ".glb": lambda: check_glb(folder / "take.glb", truth, None),
        f".glb of {len(long.frames)} frames, which states {max(stated.values()):.1e} m": lambda: check_glb(
            folder / "long.glb", long, stated
        ),
        ".mdd": lambda: check_cache(folder, truth, "mdd"),
        ".pc2": lambda: check_cache(folder, truth, "pc2"),
        ".obj": lambda: check_sequence(folder, truth, "obj"),
        ".ply": lambda: check_sequence(folder, truth, "ply"),
    }
    if (folder / "painted.glb").exists():
        checks["materials and pictures in .glb and .usda"] = lambda: check_looks(folder)
    failed = False
    for what, check in checks.items():
        try:
            print(f"blender {bpy.app.version_string}: {what}: largest distance {check():.1e} m", flush=True)
        except (AssertionError, RuntimeError, StopIteration) as error:
            failed = True
            print(f"blender {bpy.app.version_string}: {what}: {type(error).__name__}: {error}", flush=True)
    sys.exit(failed)


main()
