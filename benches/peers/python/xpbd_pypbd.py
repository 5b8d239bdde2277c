"""Times one step of pyPBD's XPBD (distances of all edges, volumes of all tetrahedra) on a mesh of tetrahedra.

    python xpbd_pypbd.py BAR.npz [--steps S] [--iterations I]

BAR.npz holds `positions` (N, 3) in metres and `tets` (M, 4). The bar is clamped at its end of least x under gravity, step 5 ms,
stiffness 1e5, no contact, one thread. It bridges to a program that cannot be installed: VegaFEM's times on a machine where both ran
are known as multiples of this one's. Prints one line, `RESULT {json}`, times in milliseconds per step.
"""

import argparse
import json
import os
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

STEP_SECS = 0.005
STIFFNESS, POISSON = 1.0e5, 0.4
XPBD = 6
WARM_UP_STEPS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bar", help="an .npz file with positions and tets")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=1)
    arguments = parser.parse_args()
    import numpy as np
    import pypbd

    with np.load(arguments.bar) as bar:
        positions, tets = bar["positions"].astype(float), bar["tets"].astype(int)
    simulation = pypbd.Simulation.getCurrent()
    simulation.initDefault()
    model, controller = simulation.getModel(), simulation.getTimeStep()
    controller.setValueUInt(pypbd.TimeStepController.NUM_SUB_STEPS, 1)
    controller.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS, arguments.iterations)
    pypbd.TimeManager.getCurrent().setTimeStepSize(STEP_SECS)
    flesh = model.addTetModel(
        positions.astype(np.float32), tets.reshape(-1).astype(np.uint32), testMesh=False, generateCollisionObject=False
    )
    particles = model.getParticles()
    for vertex, x in enumerate(positions[:, 0]):
        particles.setMass(vertex, 0.0 if x <= positions[:, 0].min() + 1e-6 else 1.0)
    model.addSolidConstraints(flesh, XPBD, STIFFNESS, POISSON, STIFFNESS, False, False)
    times_ms = []
    for index in range(WARM_UP_STEPS + arguments.steps):
        began = time.perf_counter()
        controller.step(model)
        if index >= WARM_UP_STEPS:
            times_ms.append(1e3 * (time.perf_counter() - began))
    now = np.array([particles.getPosition(vertex) for vertex in range(len(positions))])
    moved_m = np.linalg.norm(now - positions, axis=1).max()
    if not np.isfinite(moved_m) or moved_m > 10.0 * np.ptp(positions, axis=0).max():
        sys.exit("the bar flew apart")
    if moved_m < 1e-9:
        sys.exit("nothing moved")
    result = {
        "name": "pyPBD 2.2.2 XPBD",
        "vertices": len(positions),
        "tets": len(tets),
        "threads": 1,
        "iterations": arguments.iterations,
        "median_ms": round(statistics.median(times_ms), 5),
        "min_ms": round(min(times_ms), 5),
    }
    print("RESULT " + json.dumps(result), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
