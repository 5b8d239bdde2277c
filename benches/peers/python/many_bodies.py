"""Times a pile of soft bodies that fall onto a floor and each other, and says how deep they get into each other.

    python many_bodies.py BAR.npz PEER [--bodies B] [--h SECS] [--secs T] [--deepest SHARE] [--budget SECS]

BAR.npz holds `positions` (N, 3) in metres and `tets` (M, 4). PEER is newton, mujoco or pybullet. B copies stand on a grid above a floor, each a
little askew, with gaps of 2 % of their size; E 1e5 Pa, nu 0.4, 1000 kg/m3, friction 0.5, one thread. T seconds are simulated in steps of h; the steps
of the last two thirds, in which bodies lie on each other, are timed. Penetration is looked at every 20 ms: the largest distance to the surface from any vertex
inside another body or below the floor, over the body's size (the diagonal of its box). A run ends early once bodies are deeper in each other than `--deepest`: such a step
is too long, however quick. It also does where it takes longer than its budget. Prints one line, `RESULT {json}`.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

YOUNG_PA, POISSON, DENSITY_KG_M3, FRICTION = 1.0e5, 0.4, 1000.0, 0.5
MU_PA = YOUNG_PA / (2.0 * (1.0 + POISSON))
LAMBDA_PA = YOUNG_PA * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON))
# Without any damping two of the peers do not stay in one piece.
DAMPING_SECS = 0.01
# Of Newton: with one or two it lets bodies into each other at any step.
SWEEPS = 10
GAP = 0.02
LOOK_SECS = 0.02
# How near bodies come before the peers push, metres.
MARGIN_M = 0.01


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bar", help="an .npz file with positions and tets")
    parser.add_argument("peer", choices=["newton", "mujoco", "pybullet"])
    parser.add_argument("--bodies", type=int, default=31)
    parser.add_argument("--h", type=float, default=0.005)
    parser.add_argument("--secs", type=float, default=0.25)
    parser.add_argument("--deepest", type=float, default=math.inf, help="as a share of the body's size")
    parser.add_argument("--budget", type=float, default=150.0)
    arguments = parser.parse_args()
    with np.load(arguments.bar) as bar:
        positions, tets = bar["positions"].astype(float), bar["tets"].astype(int)
    positions -= 0.5 * (positions.min(axis=0) + positions.max(axis=0))
    make = {"newton": newton_pile, "mujoco": mujoco_pile, "pybullet": pybullet_pile}[arguments.peer]
    name, step, places = make(positions, tets, pile(positions, arguments.bodies), arguments.h)
    times_ms, deepest, simulated = run(arguments, step, places, positions, tets)
    result = {
        "name": name,
        "bodies": arguments.bodies,
        "vertices": len(positions),
        "h_secs": arguments.h,
        "simulated_secs": round(simulated, 4),
        "penetration": round(deepest, 6) if math.isfinite(deepest) else None,
        "median_ms": round(statistics.median(times_ms), 5),
        "min_ms": round(min(times_ms), 5),
    }
    print("RESULT " + json.dumps(result), flush=True)
    return 0


def pile(positions, count: int):
    """Where the middles of the bodies start."""
    size = np.ptp(positions, axis=0)
    gap = GAP * size.max()
    side = math.ceil(count ** (1 / 3))
    places = []
    for number in range(count):
        i, k, j = number % side, number // (side * side), number // side % side
        askew = 0.5 * gap * np.array([math.sin(1.7 * number), 0.0, math.cos(2.3 * number)])
        places.append(np.array([i, k + 0.5, j]) * (size + gap) + askew + [0.0, gap, 0.0])
    return places


def run(arguments, step, places, positions, tets):
    size = np.linalg.norm(np.ptp(positions, axis=0))
    surface = boundary(tets)
    steps = round(arguments.secs / arguments.h)
    every = max(1, round(LOOK_SECS / arguments.h))
    times_ms, deepest, began = [], 0.0, time.perf_counter()
    for number in range(1, steps + 1):
        before = time.perf_counter()
        step()
        times_ms.append(1e3 * (time.perf_counter() - before))
        if number % every == 0:
            now = places()
            if not np.isfinite(now).all() or np.abs(now).max() > 100.0:
                return times_ms, math.inf, number * arguments.h
            deepest = max(deepest, penetration(now, tets, surface) / size)
        if deepest > arguments.deepest or time.perf_counter() - began > arguments.budget:
            break
    return times_ms[len(times_ms) // 3 :], deepest, number * arguments.h


def boundary(tets):
    """Triangles of one tetrahedron only."""
    faces = np.concatenate([tets[:, [0, 2, 1]], tets[:, [0, 1, 3]], tets[:, [0, 3, 2]], tets[:, [1, 2, 3]]])
    _, which, counts = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
    return faces[counts[np.ravel(which)] == 1]


def penetration(bodies, tets, surface) -> float:
    """The deepest vertex in another body or the floor, metres; bodies (B, N, 3)."""
    outer = np.unique(surface)
    deepest = max(0.0, -bodies[:, :, 1].min())
    lows, highs = bodies.min(axis=1), bodies.max(axis=1)
    for other in range(len(bodies)):
        corners = bodies[other][tets]
        inverse = np.linalg.pinv(np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2))
        near = np.all((lows <= highs[other]) & (highs >= lows[other]), axis=1)
        near[other] = False
        points = bodies[near][:, outer].reshape(-1, 3)
        points = points[np.all((points >= lows[other]) & (points <= highs[other]), axis=1)]
        if not len(points):
            continue
        weights = np.einsum("tij,ptj->pti", inverse, points[:, None] - corners[None, :, 0])
        inside = np.any(np.all(weights >= 0.0, axis=2) & (weights.sum(axis=2) <= 1.0), axis=1)
        for point in points[inside]:
            deepest = max(deepest, distance(point, bodies[other][surface]))
    return float(deepest)


def distance(point, triangles) -> float:
    """To the nearest of the triangles (M, 3, 3)."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    height = np.einsum("ij,ij->i", point - a, normal)
    foot = point - height[:, None] * normal
    within = np.ones(len(triangles), bool)
    edges = np.full(len(triangles), np.inf)
    for p, q in ((a, b), (b, c), (c, a)):
        within &= np.einsum("ij,ij->i", np.cross(q - p, foot - p), normal) >= 0.0
        along = np.clip(np.einsum("ij,ij->i", point - p, q - p) / np.maximum(((q - p) ** 2).sum(axis=1), 1e-30), 0.0, 1.0)
        edges = np.minimum(edges, np.linalg.norm(p + along[:, None] * (q - p) - point, axis=1))
    return float(np.where(within, np.abs(height), edges).min())


def newton_scene(positions, tets, middles):
    """The solver, its two states, the control, the collision pipeline and its contacts."""
    import newton
    import warp as wp

    wp.config.quiet = True
    wp.set_device("cpu")
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
    builder.add_ground_plane()
    for middle in middles:
        builder.add_soft_mesh(
            pos=wp.vec3(*map(float, middle)), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0, 0.0, 0.0),
            vertices=[wp.vec3(*map(float, x)) for x in positions], indices=[int(i) for i in tets.reshape(-1)],
            density=DENSITY_KG_M3, k_mu=MU_PA, k_lambda=LAMBDA_PA, k_damp=0.0, particle_radius=MARGIN_M,
        )
    builder.color()
    model = builder.finalize()
    solver = newton.solvers.SolverVBD(
        model=model, iterations=SWEEPS, particle_enable_self_contact=True,
        particle_self_contact_radius=MARGIN_M, particle_self_contact_margin=1.5 * MARGIN_M,
    )
    collide = newton.CollisionPipeline(model)
    return solver, [model.state(), model.state()], model.control(), collide, collide.contacts()


def newton_pile(positions, tets, middles, h_secs):
    import newton

    solver, states, control, collide, contacts = newton_scene(positions, tets, middles)

    def step():
        states[0].clear_forces()
        collide.collide(states[0], contacts)
        solver.step(states[0], states[1], control, contacts, h_secs)
        states.reverse()

    places = lambda: states[0].particle_q.numpy().reshape(len(middles), -1, 3)
    return f"Newton {newton.__version__} vertex block descent, {SWEEPS} sweeps", step, places


def mujoco_scene(positions, tets, middles, h_secs):
    """The model and its data."""
    import mujoco

    points = " ".join("%.9g" % x for x in positions.reshape(-1))
    elements = " ".join(str(i) for i in tets.reshape(-1))
    a, b, c, d = (positions[tets[:, corner]] for corner in range(4))
    mass_kg = DENSITY_KG_M3 * np.abs(np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a))).sum() / 6.0
    flex = lambda number, middle: f"""
        <flexcomp name="b{number}" type="direct" dim="3" dof="full" mass="{mass_kg}" radius="{0.5 * MARGIN_M}" pos="{middle[0]} {middle[1]} {middle[2]}"
            point="{points}" element="{elements}">
          <contact selfcollide="none" friction="{FRICTION}"/><edge damping="0"/>
          <elasticity young="{YOUNG_PA}" poisson="{POISSON}" damping="{DAMPING_SECS}"/>
        </flexcomp>"""
    scene = f"""<mujoco>
      <option timestep="{h_secs}" integrator="discrete" solver="CG" iterations="100" tolerance="1e-6" gravity="0 -9.81 0"/>
      <size memory="8G"/>
      <worldbody>
        <geom name="floor" type="plane" size="50 50 1" zaxis="0 1 0"/>
        {"".join(flex(number, middle) for number, middle in enumerate(middles))}
      </worldbody>
    </mujoco>"""
    model = mujoco.MjModel.from_xml_string(scene)
    data = mujoco.MjData(model)
    return model, data


def mujoco_pile(positions, tets, middles, h_secs):
    import mujoco

    model, data = mujoco_scene(positions, tets, middles, h_secs)
    places = lambda: np.array(data.flexvert_xpos).reshape(len(middles), -1, 3)
    return f"MuJoCo {mujoco.__version__} flex", lambda: mujoco.mj_step(model, data), places


def pybullet_pile(positions, tets, middles, h_secs):
    import pybullet

    pybullet.connect(pybullet.DIRECT)
    pybullet.resetSimulation(pybullet.RESET_USE_DEFORMABLE_WORLD)
    pybullet.setGravity(0, -9.81, 0)
    pybullet.setTimeStep(h_secs)
    floor = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[50, 1, 50])
    pybullet.createMultiBody(0, floor, basePosition=[0, -1, 0])
    a, b, c, d = (positions[tets[:, corner]] for corner in range(4))
    mass_kg = DENSITY_KG_M3 * np.abs(np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a))).sum() / 6.0
    file = os.path.join(tempfile.mkdtemp(), "bar.vtk")
    write_vtk(file, positions, tets)
    bodies = [
        pybullet.loadSoftBody(
            file, list(middle), mass=mass_kg, useNeoHookean=1, NeoHookeanMu=MU_PA, NeoHookeanLambda=LAMBDA_PA,
            NeoHookeanDamping=DAMPING_SECS, useSelfCollision=0, collisionMargin=MARGIN_M, frictionCoeff=FRICTION, useFaceContact=1,
        )
        for middle in middles
    ]
    read = lambda body: pybullet.getMeshData(body, -1, flags=pybullet.MESH_DATA_SIMULATION_MESH)[1]
    places = lambda: np.array([read(body) for body in bodies])
    return "PyBullet 3.2.7 deformable", pybullet.stepSimulation, places


def write_vtk(path: str, positions, tets) -> None:
    with open(path, "w") as file:
        file.write(f"# vtk DataFile Version 2.0\nbar\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(positions)} double\n")
        file.write("".join("%.9g %.9g %.9g\n" % tuple(x) for x in positions))
        file.write(f"CELLS {len(tets)} {5 * len(tets)}\n" + "".join("4 %d %d %d %d\n" % tuple(tet) for tet in tets))
        file.write(f"CELL_TYPES {len(tets)}\n" + "10\n" * len(tets))


if __name__ == "__main__":
    sys.exit(main())
