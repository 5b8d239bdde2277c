"""Times one step of pyPBD's shape matching on a bar of tetrahedra.

    python shape_matching_pypbd.py BAR.npz [--steps S] [--threads T] [--iterations I]

BAR.npz holds `positions` (N, 3) in metres and `tets` (M, 4). Every vertex leads one region: itself and all vertices
it shares a tetrahedron with, which are the regions of sinew's shape matching. The bar hangs from its end of least x
under gravity, step 5 ms, no contact. Prints one line, `RESULT {json}`, times in milliseconds per step.
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


def main() -> int:
    arguments = parse_arguments()
    limit_threads(arguments.threads)
    # Both read the number of threads when they are loaded.
    import numpy as np
    import pypbd

    positions, tets = read_bar(np, arguments.bar)
    simulation = new_simulation(pypbd, arguments.iterations)
    add_bar(np, simulation.getModel(), positions, tets)
    times_ms = time_steps(simulation, arguments.steps)
    check_motion(np, simulation.getModel(), positions)
    report(arguments, positions, tets, times_ms)
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bar", help="an .npz file with positions and tets")
    parser.add_argument("--steps", type=positive, default=100)
    parser.add_argument("--threads", type=positive, default=1)
    parser.add_argument("--iterations", type=positive, default=1)
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


def new_simulation(pypbd, iterations: int):
    simulation = pypbd.Simulation.getCurrent()
    simulation.initDefault()
    controller = simulation.getTimeStep()
    controller.setValueUInt(pypbd.TimeStepController.NUM_SUB_STEPS, 1)
    controller.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS, iterations)
    # Velocity passes serve contacts and joints, of which there are none.
    controller.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS_V, 0)
    pypbd.TimeManager.getCurrent().setTimeStepSize(STEP_SECS)
    return simulation


def add_bar(np, model, positions, tets) -> None:
    corners = tets.reshape(-1).astype(np.uint32)
    model.addTetModel(positions.astype(np.float32), corners, testMesh=False, generateCollisionObject=False)
    particles = model.getParticles()
    held = positions[:, 0] <= positions[:, 0].min() + 1e-6
    for vertex, mass in enumerate(np.where(held, 0.0, vertex_masses(np, positions, tets))):
        particles.setMass(vertex, float(mass))
    members, starts = one_rings(np, len(positions), tets)
    shares = np.bincount(members, minlength=len(positions))
    for start, end in zip(starts[:-1], starts[1:]):
        region = members[start:end].tolist()
        model.addShapeMatchingConstraint(len(region), region, shares[region].tolist(), STIFFNESS)


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


def time_steps(simulation, steps: int) -> list[float]:
    controller, model = simulation.getTimeStep(), simulation.getModel()
    times_ms = []
    for index in range(WARM_UP_STEPS + steps):
        began = time.perf_counter()
        controller.step(model)
        if index >= WARM_UP_STEPS:
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
        "threads": arguments.threads,
        "iterations": arguments.iterations,
        "median_ms": round(statistics.median(times_ms), 5),
        "min_ms": round(min(times_ms), 5),
    }
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    sys.exit(main())
