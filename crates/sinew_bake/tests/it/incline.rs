//! Known answer 17: on an incline of angle a, what lies on it holds while tan a < μ and else slides with g (sin a − μ cos a); in every solver.

use crate::heap::Heap;
use sinew_bake::Method;
use sinew_direct::{Track3, Turn};
use sinew_geom::structured::bar;
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_solve::StageState;

/// The friction that bodies of [`Heap`] have on a floor.
const FRICTION: f64 = 0.5;
const GRAVITY: f64 = 9.81;

/// A slab that lies on an incline of this slope.
struct Slope {
    heap: Heap,
    downhill: DVec3,
}

impl Slope {
    fn new(method: Method, slope: f64) -> Self {
        let angle = slope.atan();
        let mut heap = Heap::new(method, 1, bar(dvec3(0.24, 0.08, 0.24), [3, 1, 3]));
        heap.material.young_pa = 1.0e6;
        // Springs without dampers never come to rest.
        heap.material.damping.rayleigh_stiffness_secs =
            if crate::fixtures::has_inner_steps(&method) { 0.002 } else { 0.0 };
        let turn = DQuat::from_rotation_z(angle);
        heap.turns[0] = turn;
        heap.places[0] = turn * dvec3(0.0, 0.04, 0.0);
        let mut floor = crate::fixtures::floor(0.0);
        floor.turn = Turn(Track3::constant(dvec3(0.0, 0.0, angle.to_degrees())));
        heap.obstacles.push(floor);
        Self { heap, downhill: turn * DVec3::NEG_X }
    }

    fn with_another_on_it(mut self) -> Self {
        let Heap { methods, places, turns, velocities, .. } = &mut self.heap;
        methods.push(methods[0]);
        turns.push(turns[0]);
        velocities.push(velocities[0]);
        places.push(turns[0] * dvec3(0.0, 0.12, 0.0));
        self
    }

    /// How far down it is, and how fast, after each of two spans of time.
    fn slide(&self, frames: [u32; 2]) -> [(f64, f64); 2] {
        let mut stage = self.heap.stage();
        let mut state = stage.first_state();
        let flesh = &self.heap.flesh;
        let down = |state: &StageState| {
            let body = &state.bodies[0];
            let along = |of: &[DVec3]| crate::fixtures::centre(flesh, of).dot(self.downhill);
            (along(&body.x), along(&body.v))
        };
        frames.map(|frames| {
            crate::fixtures::play(&mut stage, &mut state, frames);
            down(&state)
        })
    }
}

/// Above the angle of friction, within 3 % of Coulomb's law.
fn what_lies_on_a_steep_slope_slides_as_coulomb_says(method: Method) {
    for slope in [0.65f64, 0.9] {
        let [(_, before), (_, after)] = Slope::new(method, slope).slide([6, 12]);
        let (found, angle) = ((after - before) / 0.5, slope.atan());
        let wanted = GRAVITY * (angle.sin() - FRICTION * angle.cos());
        assert!((found / wanted - 1.0).abs() < 0.03, "slope {slope}: {found} m/s² instead of {wanted}");
    }
}

/// The same with another slab on it: they slide as one.
fn two_slabs_on_a_steep_slope_slide_as_coulomb_says(method: Method) {
    let slope = Slope::new(method, 0.65).with_another_on_it();
    let [(_, before), (_, after)] = slope.slide([6, 12]);
    let (found, angle) = ((after - before) / 0.5, 0.65f64.atan());
    let wanted = GRAVITY * (angle.sin() - FRICTION * angle.cos());
    assert!((found / wanted - 1.0).abs() < 0.03, "{found} m/s² instead of {wanted}");
}

/// Below it, it stays: less than a thousandth of its size in two seconds.
fn what_lies_on_a_gentle_slope_stays(method: Method) {
    for slope in [0.2, 0.45] {
        let [(before, _), (after, _)] = Slope::new(method, slope).slide([24, 48]);
        assert!((after - before).abs() < 2.4e-4, "slope {slope}: it has crept by {} m", after - before);
    }
}

every_solver! {
    shape_matching fem fem_descent springs adaptive_springs
        => [what_lies_on_a_steep_slope_slides_as_coulomb_says what_lies_on_a_gentle_slope_stays
            two_slabs_on_a_steep_slope_slide_as_coulomb_says]
}
