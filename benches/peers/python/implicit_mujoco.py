"""Times one step of MuJoCo's flex (three degrees of freedom per vertex, no reduction) on a mesh of tetrahedra.

    python implicit_mujoco.py BAR.npz [--steps S] [--h SECS] [--young PA] [--first FILE]

BAR.npz holds `positions` (N, 3) in metres and `tets` (M, 4). The bar is clamped at its end of least x under gravity, E 1e5 Pa,
nu 0.4, 1000 kg/m3, no contact, one thread; the implicit integrator that MuJoCo offers for elastic flexes, conjugate gradients to 1e-6.
With --first, every step that is timed is the first one from rest, without damping, and FILE gets the positions after it.
Prints one line, `RESULT {json}`, times in milliseconds per step.
"""

import argparse
import json
import os
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

YOUNG_PA, POISSON, DENSITY_KG_M3 = 1.0e5, 0.4, 1000.0
# Rayleigh's, seconds: without any the peer's step does not stay in one piece for long.
DAMPING_SECS = 0.01
RESIDUAL = 1e-6
WARM_UP_STEPS = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bar", help="an .npz file with positions and tets")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--h", type=float, default=0.005)
    parser.add_argument("--young", type=float, default=YOUNG_PA)
    parser.add_argument("--first", help="a text file for the positions after the first step")
    arguments = parser.parse_args()
    import mujoco
    import numpy as np

    with np.load(arguments.bar) as bar:
        positions, tets = bar["positions"].astype(float), bar["tets"].astype(int)
    model = mujoco.MjModel.from_xml_string(scene(np, positions, tets, arguments))
    data = mujoco.MjData(model)
    times_ms = []
    for index in range(WARM_UP_STEPS + arguments.steps):
        if arguments.first:
            mujoco.mj_resetData(model, data)
            mujoco.mj_forward(model, data)
        began = time.process_time()
        mujoco.mj_step(model, data)
        if index >= WARM_UP_STEPS:
            times_ms.append(1e3 * (time.process_time() - began))
    if arguments.first:
        mujoco.mj_forward(model, data)
        np.savetxt(arguments.first, data.flexvert_xpos, fmt="%.17g")
    moved_m = np.abs(data.qpos).max()
    if not np.isfinite(moved_m) or moved_m > 10.0 * np.ptp(positions, axis=0).max():
        sys.exit("the bar flew apart")
    if moved_m < 1e-9:
        sys.exit("nothing moved")
    result = {
        "name": f"MuJoCo {mujoco.__version__} flex",
        "vertices": len(positions),
        "tets": len(tets),
        "threads": 1,
        "h_secs": arguments.h,
        "median_ms": round(statistics.median(times_ms), 5),
        "min_ms": round(min(times_ms), 5),
    }
    print("RESULT " + json.dumps(result), flush=True)
    return 0


def scene(np, positions, tets, arguments) -> str:
    a, b, c, d = (positions[tets[:, corner]] for corner in range(4))
    mass_kg = DENSITY_KG_M3 * np.abs(np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a))).sum() / 6.0
    held = np.where(positions[:, 0] <= positions[:, 0].min() + 1e-6)[0]
    words = lambda numbers: " ".join(str(number) for number in numbers)
    return f"""<mujoco>
      <option timestep="{arguments.h}" integrator="discrete" solver="CG" iterations="100" tolerance="{RESIDUAL}" gravity="0 -9.81 0"/>
      <size memory="4G"/>
      <worldbody>
        <flexcomp name="bar" type="direct" dim="3" dof="full" mass="{mass_kg}" radius="0.005"
            point="{' '.join('%.9g' % x for x in positions.reshape(-1))}" element="{words(tets.reshape(-1))}">
          <contact selfcollide="none"/><edge damping="0"/>
          <elasticity young="{arguments.young}" poisson="{POISSON}" damping="{0.0 if arguments.first else DAMPING_SECS}"/>
          <pin id="{words(held)}"/>
        </flexcomp>
      </worldbody>
    </mujoco>"""


if __name__ == "__main__":
    sys.exit(main())
