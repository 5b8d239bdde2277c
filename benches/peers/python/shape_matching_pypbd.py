"""Times one step of pyPBD's shape matching on a mesh of tetrahedra.

    python shape_matching_pypbd.py BAR.npz [--steps S] [--threads T] [--iterations I] [--bodies B]

BAR.npz holds `positions` (N, 3) in metres and `tets` (M, 4). Every vertex leads one region: itself and all vertices
it shares a tetrahedron with, which are the regions of sinew's shape matching. The bar hangs from its end of least x
under gravity, step 5 ms, no contact. Several bodies instead fall in a loose pile onto a floor and collide, with each
other too (tets against a distance grid of 10 cells a side, as the library offers). Prints one line, `RESULT {json}`, times in milliseconds per step.
"""

import argparse
import json
import os
import statistics
import sys
import time

STEP_SECS = 0.005
DENSITY_KG_M3 = 1000.0
STIFFNESS = 1.0
# Steps before timing: the first colours the constraints and fills the caches.
WARM_UP_STEPS = 5
# Steps after which a pile has met the floor and itself.
PILE_STEPS = 60
# Free space between the bodies of a pile, and how near they come before they push, as shares of a body's size.
PILE_GAP = 0.02
TOLERANCE = 0.01


def main() -> int:
    arguments = parse_arguments()
    limit_threads(arguments.threads)
    # Both read the number of threads when they are loaded.
    import numpy as np
    import pypbd

    positions, tets = read_bar(np, arguments.bar)
    simulation = new_simulation(pypbd, arguments)
    model = simulation.getModel()
    if arguments.bodies == 1:
        add_bar(np, model, positions, tets)
        start, warm_up = positions, WARM_UP_STEPS
    else:
        # The library keeps pointers to what it does not own: `kept` must live as long as the simulation.
        start, kept = add_pile(np, pypbd, simulation, positions, tets, arguments.bodies)
        warm_up = PILE_STEPS
    times_ms = time_steps(simulation, arguments.steps, warm_up)
    check_motion(np, model, start)
    report(arguments, positions, tets, times_ms)
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bar", help="an .npz file with positions and tets")
    parser.add_argument("--steps", type=positive, default=100)
    parser.add_argument("--threads", type=positive, default=1)
    parser.add_argument("--iterations", type=positive, default=1)
    parser.add_argument("--bodies", type=positive, default=1)
    return parser.parse_args()


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number above 0")
    return value


def limit_threads(threads: int) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)


def read_bar(np, path: str):
    with np.load(path) as bar:
        missing = {"positions", "tets"} - set(bar.files)
        if missing:
            sys.exit(f"{path} lacks {' and '.join(sorted(missing))}; it holds {', '.join(bar.files)}")
        positions, tets = bar["positions"].astype(float), bar["tets"].astype(int)
    if positions.ndim != 2 or positions.shape[1] != 3 or tets.ndim != 2 or tets.shape[1] != 4:
        sys.exit(f"{path}: expected positions (N, 3) and tets (M, 4), got {positions.shape} and {tets.shape}")
    if tets.min() < 0 or tets.max() >= len(positions):
        sys.exit(f"{path}: tets name vertices {tets.min()} to {tets.max()}, but there are {len(positions)}")
    return positions, tets


def new_simulation(pypbd, arguments):
    simulation = pypbd.Simulation.getCurrent()
    simulation.initDefault()
    controller = simulation.getTimeStep()
    controller.setValueUInt(pypbd.TimeStepController.NUM_SUB_STEPS, 1)
    controller.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS, arguments.iterations)
    if arguments.bodies == 1:
        # Velocity passes serve contacts and joints, of which there are none.
        controller.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS_V, 0)
    pypbd.TimeManager.getCurrent().setTimeStepSize(STEP_SECS)
    return simulation


def add_bar(np, model, positions, tets) -> None:
    corners = tets.reshape(-1).astype(np.uint32)
    model.addTetModel(positions.astype(np.float32), corners, testMesh=False, generateCollisionObject=False)
    held = positions[:, 0] <= positions[:, 0].min() + 1e-6
    set_masses(model, 0, np.where(held, 0.0, vertex_masses(np, positions, tets)))
    add_regions(np, model, 0, positions, tets)


def add_pile(np, pypbd, simulation, positions, tets, count: int):
    """Copies on a grid above a floor, each a little askew. Returns where their vertices start, and what has to be kept."""
    model = simulation.getModel()
    detection = pypbd.CubicSDFCollisionDetection()
    simulation.getTimeStep().setCollisionDetection(model, detection)
    size = np.ptp(positions, axis=0)
    gap = PILE_GAP * size.max()
    detection.setTolerance(TOLERANCE * size.max())
    # Collision objects keep pointers into the particles: they must not move.
    model.getParticles().reserve(count * len(positions))
    side = int(np.ceil(count ** (1 / 3)))
    masses = vertex_masses(np, positions, tets)
    corners = tets.reshape(-1).astype(np.uint32)
    middle = (positions.max(axis=0) + positions.min(axis=0)) / 2
    placed = []
    for number in range(count):
        i, k, j = number % side, number // (side * side), number // side % side
        askew = 0.5 * gap * np.array([np.sin(1.7 * number), 0.0, np.cos(2.3 * number)])
        place = np.array([i, k + 0.5, j]) * (size + gap) + askew + [0.0, gap, 0.0]
        body = (positions - middle + place).astype(np.float32)
        added = model.addTetModel(body, corners, testMesh=True, generateCollisionObject=True, resolution=[10, 10, 10])
        set_masses(model, added.getIndexOffset(), masses)
        add_regions(np, model, added.getIndexOffset(), positions, tets)
        placed.append(body)
    floor = add_floor(np, pypbd, model, 3.0 * side * (size.max() + gap))
    return np.concatenate(placed), (detection, floor)


def add_floor(np, pypbd, model, reach: float):
    corners = [[x, y, z] for x in (-reach, reach) for y in (-1.0, 0.0) for z in (-reach, reach)]
    faces = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]
    vertices, mesh = pypbd.VertexData(), pypbd.IndexedFaceMesh()
    for corner in corners:
        vertices.addVertex(np.array(corner, dtype=np.float32))
    mesh.initMesh(8, 20, 12)
    for start in range(0, len(faces), 3):
        mesh.addFace(faces[start : start + 3])
    mesh.buildNeighbors()
    floor = model.addRigidBody(
        1.0, vertices, mesh, np.zeros(3), np.identity(3), testMesh=False, generateCollisionObject=True,
        resolution=[20, 10, 20],
    )
    floor.setMass(0.0)
    return floor, vertices, mesh


def set_masses(model, first: int, masses) -> None:
    particles = model.getParticles()
    for vertex, mass in enumerate(masses):
        particles.setMass(first + vertex, float(mass))


def add_regions(np, model, first: int, positions, tets) -> None:
    members, starts = one_rings(np, len(positions), tets)
    shares = np.bincount(members, minlength=len(positions))
    for start, end in zip(starts[:-1], starts[1:]):
        region = members[start:end].tolist()
        numbers = [first + vertex for vertex in region]
        model.addShapeMatchingConstraint(len(region), numbers, shares[region].tolist(), STIFFNESS)


def vertex_masses(np, positions, tets):
    """A quarter of each tetrahedron's mass to each of its corners."""
    a, b, c, d = (positions[tets[:, corner]] for corner in range(4))
    volumes = np.abs(np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a))) / 6.0
    masses = np.zeros(len(positions))
    np.add.at(masses, tets, DENSITY_KG_M3 * volumes[:, None] / 4.0)
    return masses


def one_rings(np, vertex_count: int, tets):
    """Members of all regions, one after the other, and where each region begins."""
    pairs = np.concatenate([tets[:, [i, j]] for i in range(4) for j in range(4)])
    alone = np.arange(vertex_count)
    keys = np.unique(np.concatenate([pairs[:, 0] * vertex_count + pairs[:, 1], alone * vertex_count + alone]))
    leaders, members = np.divmod(keys, vertex_count)
    return members, np.searchsorted(leaders, np.arange(vertex_count + 1))


def time_steps(simulation, steps: int, warm_up: int) -> list[float]:
    controller, model = simulation.getTimeStep(), simulation.getModel()
    times_ms = []
    for index in range(warm_up + steps):
        began = time.perf_counter()
        controller.step(model)
        if index >= warm_up:
            times_ms.append(1e3 * (time.perf_counter() - began))
    return times_ms


def check_motion(np, model, start) -> None:
    """A time counts only if the bar moved and stayed in one piece."""
    particles = model.getParticles()
    now = np.array([particles.getPosition(vertex) for vertex in range(len(start))])
    moved_m = np.linalg.norm(now - start, axis=1).max()
    size_m = np.ptp(start, axis=0).max()
    if not np.isfinite(now).all() or moved_m > 10.0 * size_m:
        sys.exit("the bar flew apart")
    if moved_m < 1e-6 * size_m:
        sys.exit("nothing moved")


def report(arguments, positions, tets, times_ms) -> None:
    result = {
        "name": "pyPBD 2.2.2 shape matching per 1-ring",
        "vertices": len(positions),
        "tets": len(tets),
        "bodies": arguments.bodies,
        "threads": arguments.threads,
        "iterations": arguments.iterations,
        "median_ms": round(statistics.median(times_ms), 5),
        "min_ms": round(min(times_ms), 5),
    }
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    sys.exit(main())
