"""How long a program takes for one step of a pile of soft bodies, and how near that step is to the program's own answer at many more iterations.

    python pile_step.py BAR.npz PEER [--bodies B] [--h SECS] [--before STEPS] [--most N] [--repeats R]

BAR.npz holds `positions` (N, 3) in metres and `tets` (M, 4). PEER is newton or mujoco. The pile is that of `many_bodies.py`. It falls for so many steps with many iterations; what is
timed is the step after those, from the same state each time, collision detection included, by 1, 2, 3, 4, 6, 8 … N iterations. The error is the root mean square distance from
the step by 8 N iterations, over the distance of that one from free fall, which is what flesh and contact did. One thread. Prints one line, `RESULT {json}`, with a list of
`tries`: iterations, milliseconds, error. MuJoCo is tried with both of its solvers, conjugate gradients and Newton's method, and with several tolerances, which also end the
linear solve that comes before contact; the reference has 1e-10.
"""

import argparse
import json
import statistics
import sys
import time

import many_bodies
import numpy as np

GRAVITY = np.array([0.0, -9.81, 0.0])
# How many times as many iterations the reference has.
FURTHER = 8
# No more tries once a program is this near.
NEAR = 1e-3
# Bodies must be somewhere between standing still and having flown apart, metres.
LEAST_MOVED_M, MOST_MOVED_M = 1e-4, 10.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bar", help="an .npz file with positions and tets")
    parser.add_argument("peer", choices=["newton", "mujoco"])
    parser.add_argument("--bodies", type=int, default=8)
    parser.add_argument("--h", type=float, default=1.0 / 96.0)
    parser.add_argument("--before", type=int, default=10)
    parser.add_argument("--most", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with np.load(arguments.bar) as bar:
        positions, tets = bar["positions"].astype(float), bar["tets"].astype(int)
    positions -= 0.5 * (positions.min(axis=0) + positions.max(axis=0))
    middles = many_bodies.pile(positions, arguments.bodies)
    make = {"newton": newton_programs, "mujoco": mujoco_programs}[arguments.peer]
    tries = []
    for program in make(positions, tets, middles, arguments.h):
        start = program.places()
        for _ in range(arguments.before):
            program.step(arguments.most)
        moved_m = np.abs(program.places() - start).max()
        if not LEAST_MOVED_M < moved_m < MOST_MOVED_M:
            sys.exit(f"{program.name}: bodies moved by {moved_m} m before the step")
        program.keep()
        tries.extend(measure(arguments, program))
    print("RESULT " + json.dumps({"name": arguments.peer, "tries": tries}), flush=True)
    return 0


def measure(arguments, program):
    program.back()
    free = program.places() + arguments.h * (program.speeds() + arguments.h * GRAVITY)
    program.ask(program.tightest)
    program.step(FURTHER * arguments.most)
    answer = program.places()
    size = np.linalg.norm(answer - free)
    tries = []
    for tolerance in program.tolerances:
        program.ask(tolerance)
        for iterations in counts(arguments.most):
            times_ms = []
            for _ in range(arguments.repeats):
                program.back()
                began = time.process_time()
                program.step(iterations)
                times_ms.append(1e3 * (time.process_time() - began))
            error = float(np.linalg.norm(program.places() - answer) / size)
            name = program.name if tolerance is None else f"{program.name} to {tolerance:g}"
            tries.append({"solver": name, "iterations": iterations, "ms": round(statistics.median(times_ms), 4), "error": error})
            if error <= NEAR:
                break
    return tries


def counts(most):
    """1, 2, 3, 4, 6, 8, 12, 16 … up to `most`."""
    return [n for n in sorted({1} | {k << e for k in (2, 3) for e in range(12)}) if n <= most]


class Newton:
    name, tolerances, tightest = "vertex block descent", [None], None

    def __init__(self, positions, tets, middles, h_secs):
        self.solver, self.states, self.control, self.collide, self.contacts = many_bodies.newton_scene(positions, tets, middles)
        self.h_secs = h_secs

    def ask(self, tolerance):
        """It has none."""

    def step(self, iterations):
        self.solver.iterations = iterations
        now, after = self.states
        now.clear_forces()
        self.collide.collide(now, self.contacts)
        self.solver.step(now, after, self.control, self.contacts, self.h_secs)
        self.states.reverse()

    def keep(self):
        self.kept = self.states[0].particle_q.numpy().copy(), self.states[0].particle_qd.numpy().copy()

    def back(self):
        import warp as wp

        self.states[0].particle_q.assign(wp.array(self.kept[0], dtype=wp.vec3))
        self.states[0].particle_qd.assign(wp.array(self.kept[1], dtype=wp.vec3))

    def places(self):
        return self.states[0].particle_q.numpy().astype(float)

    def speeds(self):
        return self.states[0].particle_qd.numpy().astype(float)


class Mujoco:
    tolerances, tightest = [1e-4, 1e-8], 1e-10

    def __init__(self, name, positions, tets, middles, h_secs):
        import mujoco

        self.name, self.mujoco, self.everything = name, mujoco, mujoco.mjtState.mjSTATE_INTEGRATION
        self.model, self.data = many_bodies.mujoco_scene(positions, tets, middles, h_secs)
        self.model.opt.solver = {"CG": mujoco.mjtSolver.mjSOL_CG, "Newton": mujoco.mjtSolver.mjSOL_NEWTON}[name]
        self.kept = np.zeros(mujoco.mj_stateSize(self.model, self.everything))
        # Vertices are bodies on three slides.
        self.rest = np.array(self.data.qpos)

    def ask(self, tolerance):
        self.model.opt.tolerance = tolerance

    def step(self, iterations):
        self.model.opt.iterations = iterations
        self.mujoco.mj_step(self.model, self.data)

    def keep(self):
        self.mujoco.mj_getState(self.model, self.data, self.kept, self.everything)

    def back(self):
        self.mujoco.mj_setState(self.model, self.data, self.kept, self.everything)

    def places(self):
        return (np.array(self.data.qpos) - self.rest).reshape(-1, 3)

    def speeds(self):
        return np.array(self.data.qvel).reshape(-1, 3)


def newton_programs(*pile):
    yield Newton(*pile)


def mujoco_programs(*pile):
    yield Mujoco("CG", *pile)
    yield Mujoco("Newton", *pile)


if __name__ == "__main__":
    sys.exit(main())
