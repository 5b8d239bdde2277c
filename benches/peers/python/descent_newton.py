"""Times one step of Newton's vertex block descent (newton + warp-lang, on the processor) on a mesh of tetrahedra.

    python descent_newton.py BAR.npz [--steps S] [--iterations I] [--young PA] [--h SECS] [--first FILE]

BAR.npz holds `positions` (N, 3) in metres and `tets` (M, 4). The bar is clamped at its end of least x under gravity, E 1e5 Pa,
nu 0.4, 1000 kg/m3, step 5 ms, stable neo-Hookean flesh, no contact, single precision, one thread. Compiling kernels is not counted.
With --first, every step that is timed is the first one from rest, and FILE gets the positions after it.
Prints one line, `RESULT {json}`, times in milliseconds per step.
"""

import argparse
import json
import statistics
import sys
import time

STEP_SECS = 0.005
YOUNG_PA, POISSON, DENSITY_KG_M3 = 1.0e5, 0.4, 1000.0
WARM_UP_STEPS = 4
FIRST_STEPS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bar", help="an .npz file with positions and tets")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--young", type=float, default=YOUNG_PA)
    parser.add_argument("--h", type=float, default=STEP_SECS)
    parser.add_argument("--first", help="a text file for the positions after the first step")
    arguments = parser.parse_args()
    import newton
    import numpy as np
    import warp as wp

    wp.config.quiet = True
    wp.set_device("cpu")
    with np.load(arguments.bar) as bar:
        positions, tets = bar["positions"].astype(float), bar["tets"].astype(int)
    model = clamped_bar(newton, wp, np, positions, tets, arguments.young)
    solver = newton.solvers.SolverVBD(
        model=model, iterations=arguments.iterations, particle_enable_self_contact=False
    )
    states, control = [model.state(), model.state()], model.control()
    times_ms = []
    if arguments.first:
        arguments.steps = min(arguments.steps, FIRST_STEPS)
    for index in range(WARM_UP_STEPS + arguments.steps):
        if arguments.first:
            states = [model.state(), model.state()]
        began = time.process_time()
        states[0].clear_forces()
        solver.step(states[0], states[1], control, None, arguments.h)
        states.reverse()
        if index >= WARM_UP_STEPS:
            times_ms.append(1e3 * (time.process_time() - began))
    if arguments.first:
        np.savetxt(arguments.first, states[0].particle_q.numpy(), fmt="%.17g")
    moved_m = np.linalg.norm(states[0].particle_q.numpy() - positions, axis=1).max()
    if not np.isfinite(moved_m) or moved_m > 10.0 * np.ptp(positions, axis=0).max():
        sys.exit("the bar flew apart")
    if moved_m < 1e-9:
        sys.exit("nothing moved")
    result = {
        "name": f"Newton {newton.__version__} vertex block descent",
        "vertices": len(positions),
        "tets": len(tets),
        "iterations": arguments.iterations,
        "median_ms": round(statistics.median(times_ms), 5),
        "min_ms": round(min(times_ms), 5),
    }
    print("RESULT " + json.dumps(result), flush=True)
    return 0


def clamped_bar(newton, wp, np, positions, tets, young_pa):
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
    mu = young_pa / (2.0 * (1.0 + POISSON))
    lam = young_pa * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON))
    builder.add_soft_mesh(
        pos=wp.vec3(0.0, 0.0, 0.0), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0, 0.0, 0.0),
        vertices=[wp.vec3(*map(float, x)) for x in positions], indices=[int(i) for i in tets.reshape(-1)],
        density=DENSITY_KG_M3, k_mu=mu, k_lambda=lam, k_damp=0.0, particle_radius=0.02,
    )
    for vertex in np.where(positions[:, 0] <= positions[:, 0].min() + 1e-6)[0]:
        builder.particle_mass[vertex] = 0.0
        builder.particle_flags[vertex] = builder.particle_flags[vertex] & ~newton.ParticleFlags.ACTIVE
    builder.color()
    return builder.finalize()


if __name__ == "__main__":
    sys.exit(main())
