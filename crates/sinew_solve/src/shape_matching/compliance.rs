//! How flesh gives way to contact that is answered on rigid motions.
//!
//! Bodies among each other are answered on their rigid motions (`rigid_pgs.rs`, `rigid_newton.rs`), so that stacks stand. That presses no vertex: matching would bring a body that
//! carries others back to its rest shape. So its regions are stretched by the mean strain that the load makes:
//!
//! | here             | meaning                                                                                                      | unit  |
//! |------------------|--------------------------------------------------------------------------------------------------------------|-------|
//! | `virial`         | Σ J ⊗ r over contacts, r from the centre of mass; an even field such as gravity adds nothing to it           | N s m |
//! | σ                | mean stress, sym(virial) / (V h): true of any shape in equilibrium                                           | Pa    |
//! | `wanted`         | Hooke's strain, ((1 + ν) σ − ν tr σ) / E; it is taken for the logarithm of the stretch                       |       |
//! | E                | what vertices that were pressed would give way by: [`Body::static_young_pa`]                                 | Pa    |
//! | τ                | `lag_secs`: √(M Σ T² / m) over the bodies of an island, M their mass, T = L √(ρ / E) the time of a wave      | s     |
//!
//! The strain follows the load by two lags of τ. A load is inertia too: what stands on a body that gives way falls, and weighs less. Of a strain's acceleration at most the share
//! M L² ρ / (m E) comes back as strain. Without delay that share, far above 1 in a soft stack, is what makes stacks hop. Behind two lags it is divided by τ², at most 1: the loop is stable at any step length,
//! and close to critically damped.
//!
//! Limits. One strain for the whole body, along the axes of its regions: a load on one end of a bar presses all of it, and bending is left out. Sheets do not take part.

use super::body::Body;
use super::model::Model;
use crate::contact::{CONTACT, IslandMap};
use crate::{BodyState, Cells, Memory, Sag};
use sinew_math::{DMat3, DVec3, Sym3};

/// Strain below which a body is as at rest.
const NEGLIGIBLE: f64 = 1e-5;
/// The most strain that a load asks for: beyond it Hooke's law says little, and regions would be crushed.
const MAX_STRAIN: f64 = 0.3;
/// The least lag, in steps: matching follows its goals over about as many.
const MIN_LAG_STEPS: f64 = 3.0;
/// Conjugate gradients stop at this share of the squared residual, or after so many iterations. Five are enough for bodies of a thousand points.
const CONVERGED: f64 = 1e-6;
const MAX_ITERATIONS: usize = 60;

/// What bodies that touch each other weigh, and Σ T² / m of their flesh.
#[derive(Clone, Copy, Default)]
struct Island {
    bodies: f64,
    mass_kg: f64,
    squares: f64,
}

impl Island {
    fn and(&mut self, body: &Body, wave_secs: f64) {
        self.bodies += 1.0;
        self.mass_kg += body.model.total_mass_kg;
        self.squares += wave_secs * wave_secs / body.model.total_mass_kg;
    }

    /// Heaps are as deep as the largest stack that is solved to the end: there the weight of few bodies rests on one.
    fn lag_secs(&self) -> f64 {
        let depth = f64::from(CONTACT.rigid_newton.max_bodies);
        (self.mass_kg * self.squares).sqrt() * (depth / self.bodies).min(1.0)
    }
}

/// After contact: how far every body gives way in the next step. `islands` are those of this step, where any bodies touch.
pub(super) fn give_way(bodies: &mut [Body], states: &mut [BodyState], islands: &IslandMap, h_secs: f64) {
    let mut sums = vec![Island::default(); if bodies.iter().any(|body| body.pressed) { bodies.len() } else { 0 }];
    for (number, body) in bodies.iter_mut().enumerate().filter(|(_, body)| body.pressed) {
        let wave_secs = body.wave_secs(h_secs);
        sums[islands.of(number)].and(body, wave_secs);
    }
    for (number, (body, state)) in bodies.iter_mut().zip(states).enumerate() {
        let before = match &state.memory {
            Memory::PressedShapeMatching { sag, .. } => *sag,
            _ if body.pressed => Sag::default(),
            _ => continue,
        };
        let (wanted, lag_secs) = if body.pressed {
            // A load that is not known is taken for the last one.
            (body.wanted_strain(h_secs).unwrap_or(before.load), sums[islands.of(number)].lag_secs())
        } else {
            (Sym3::ZERO, body.wave_secs(h_secs))
        };
        remember(&mut state.memory, follow(&before, wanted, lag_secs, h_secs), wanted);
    }
}

/// Both lags, implicitly.
fn follow(sag: &Sag, wanted: Sym3, lag_secs: f64, h_secs: f64) -> Sag {
    let share = 1.0 / (1.0 + (lag_secs / h_secs).max(MIN_LAG_STEPS));
    let load = sag.load + (wanted + sag.load * -1.0) * share;
    let strain = sag.strain + (load + sag.strain * -1.0) * share;
    Sag { load, strain }
}

/// A sag that is nothing is forgotten.
fn remember(memory: &mut Memory, sag: Sag, wanted: Sym3) {
    let is_something = [wanted, sag.load, sag.strain].iter().any(|strain| length(*strain) > NEGLIGIBLE);
    if let Memory::ShapeMatching { rotation } | Memory::PressedShapeMatching { rotation, .. } = memory {
        let rotation = std::mem::take(rotation);
        *memory = if is_something {
            Memory::PressedShapeMatching { rotation, sag }
        } else {
            Memory::ShapeMatching { rotation }
        };
    }
}

impl Body {
    /// The strain that the contact of this step would make in the end, in the axes of the rest shape; none where it is not known.
    fn wanted_strain(&mut self, h_secs: f64) -> Option<Sym3> {
        let virial = self.virial?;
        if !self.is_solid() || virial == DMat3::ZERO {
            return Some(Sym3::ZERO);
        }
        let volume_m3 = self.model.total_mass_kg / self.material.density_kg_m3;
        let stress_pa = Sym3::from_mat(virial).turned(self.turn.transpose()) * (1.0 / (volume_m3 * h_secs));
        let (young_pa, poisson) = (self.static_young_pa(h_secs), self.material.poisson);
        let strain = stress_pa * (1.0 + poisson) + Sym3::IDENTITY * (-poisson * stress_pa.trace());
        let length = length(strain) / young_pa;
        length.is_finite().then(|| strain * ((MAX_STRAIN / length).min(1.0) / young_pa))
    }

    /// T = L √(ρ / E).
    fn wave_secs(&mut self, h_secs: f64) -> f64 {
        let young_pa = if self.is_solid() { self.static_young_pa(h_secs) } else { f64::INFINITY };
        (self.model.length_squared_m2 * self.material.density_kg_m3 / young_pa).sqrt()
    }

    /// Young's modulus that the body shows where contact presses its vertices, as it does when it lies on the ground alone: matching's own under stress on the surface, behind
    /// the share of contact that presses vertices then.
    pub(super) fn static_young_pa(&mut self, h_secs: f64) -> f64 {
        let Self { model, params, static_modulus, .. } = self;
        let modulus_kg_m = *static_modulus.get_or_insert_with(|| model.static_modulus_kg_m(params.iterations));
        let matching_pa = modulus_kg_m * params.pull_over(h_secs, 1.0) / (h_secs * h_secs);
        matching_pa / (1.0 - self.rigid_share_alone(h_secs))
    }

    fn is_solid(&self) -> bool {
        matches!(self.model.flesh.cells, Cells::Tets(_))
    }
}

impl Model {
    /// Young's modulus of matching under even stress on the surface, with the whole gap closed in steps of a second; kg/m = Pa s².
    ///
    /// With K = m (1 − Pᴺ⁺¹), P the mean over regions of their means, and f the forces of a stress of 1 Pa along an axis (the gradient of the volume), points move by u = K⁻¹ f, and the
    /// mean strain is fᵀ u / V. The modulus is V / fᵀ K⁻¹ f, in the mean over the axes. Rotations of regions are left out; K is symmetric, and conjugate gradients find u.
    /// A uniform estimate such as [`super::ShapeMatchingParams::young_pa`] is for long waves: at a surface matching gives way by more, since it moves the vertices there by no more than a step's
    /// share, whatever N.
    pub(super) fn static_modulus_kg_m(&self, iterations: u32) -> f64 {
        let (force, volume_m3) = self.volume_gradient();
        let mass_kg = &self.flesh.mass_kg;
        let mut residual = force.clone();
        let over_mass =
            |r: &[DVec3]| -> Vec<DVec3> { r.iter().zip(&self.inverse_mass).map(|(r, w)| *r * *w).collect() };
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).fold(DVec3::ZERO, |sum, (a, b)| sum + *a * *b);
        let mut way = over_mass(&residual);
        let mut left = dot(&residual, &way);
        let (first, mut moved) = (left, vec![DVec3::ZERO; force.len()]);
        for _ in 0..MAX_ITERATIONS {
            let resisted: Vec<DVec3> =
                self.unmatched(&way, iterations).iter().zip(mass_kg).map(|(v, m)| *v * *m).collect();
            let share = quotient(left, dot(&way, &resisted));
            for i in 0..moved.len() {
                moved[i] += way[i] * share;
                residual[i] -= resisted[i] * share;
            }
            let next = over_mass(&residual);
            let now = dot(&residual, &next);
            let carried = quotient(now, left);
            for (way, next) in way.iter_mut().zip(&next) {
                *way = *next + *way * carried;
            }
            left = now;
            if left.cmple(first * CONVERGED).all() {
                break;
            }
        }
        let work = dot(&force, &moved);
        3.0 * volume_m3 / (work.x + work.y + work.z)
    }

    /// u − Pᴺ⁺¹ u.
    fn unmatched(&self, u: &[DVec3], iterations: u32) -> Vec<DVec3> {
        let mut goal = u.to_vec();
        let mut centres = vec![DVec3::ZERO; u.len()];
        for _ in 0..=iterations {
            for (region, centre) in centres.iter_mut().enumerate() {
                let (mut mass, mut sum) = (0.0, DVec3::ZERO);
                for (i, shared_mass_kg) in self.members(region) {
                    mass += shared_mass_kg;
                    sum += goal[i] * shared_mass_kg;
                }
                *centre = if mass > 0.0 { sum / mass } else { DVec3::ZERO };
            }
            // A point is in the regions of the points in its own.
            for (goal, ring) in goal.iter_mut().zip(&self.rings) {
                *goal = ring.iter().map(|&region| centres[region as usize]).sum::<DVec3>() / ring.len() as f64;
            }
        }
        u.iter().zip(&goal).map(|(u, goal)| *u - *goal).collect()
    }

    /// ∂V/∂x of every point at rest, and V.
    fn volume_gradient(&self) -> (Vec<DVec3>, f64) {
        let rest = &self.at_rest.rest;
        let (mut gradient, mut volume_m3) = (vec![DVec3::ZERO; rest.len()], 0.0);
        let Cells::Tets(tets) = &self.flesh.cells else { return (gradient, volume_m3) };
        for tet in tets {
            let [a, b, c, d] = tet.map(|corner| rest[corner as usize]);
            let faces = [(d - b).cross(c - b), (c - a).cross(d - a), (d - a).cross(b - a), (b - a).cross(c - a)];
            for (corner, face) in tet.iter().zip(faces) {
                gradient[*corner as usize] += face / 6.0;
            }
            volume_m3 += (b - a).cross(c - a).dot(d - a) / 6.0;
        }
        (gradient, volume_m3)
    }
}

/// a / b by components, 0 where there is nothing.
fn quotient(a: DVec3, b: DVec3) -> DVec3 {
    let of = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
    DVec3::new(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z))
}

/// The root of the sum of squares of all nine entries.
fn length(s: Sym3) -> f64 {
    let Sym3 { xx, yy, zz, xy, yz, zx } = s;
    (xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + yz * yz + zx * zx)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape_matching::{ShapeMatchingBody, ShapeMatchingParams, ShapeMatchingSolver};
    use crate::{Cues, Flesh, Material, Solver, StepInput, StepReport, angular_momentum};
    use sinew_geom::structured::bar;
    use sinew_math::rotation::mass_centre;
    use sinew_math::{DQuat, dvec3};
    use std::sync::Arc;

    fn body(iterations: u32) -> ShapeMatchingBody {
        let flesh = Arc::new(Flesh::from_tets(bar(dvec3(0.3, 0.2, 0.2), [4, 3, 3]), 1000.0).unwrap());
        let params = ShapeMatchingParams { iterations, ..Default::default() };
        ShapeMatchingBody { flesh, material: Material::default(), params }
    }

    fn model_of(body: &ShapeMatchingBody) -> Arc<Model> {
        Arc::new(Model::new(&body.flesh))
    }

    /// After many passes goals are those of a rigid body: K u = m u, and the modulus V / Σ f²/m.
    #[test]
    fn with_many_passes_every_point_gives_way_by_itself() {
        let model = model_of(&body(1));
        let (force, volume_m3) = model.volume_gradient();
        assert!((volume_m3 - 0.012).abs() < 1e-14);
        let sum: f64 = force.iter().zip(&model.inverse_mass).map(|(f, w)| f.length_squared() * w).sum();
        let found = model.static_modulus_kg_m(2000);
        assert!((found * sum / (3.0 * volume_m3) - 1.0).abs() < 1e-9, "{found}");
    }

    /// A column under a stress of 1 kPa along one axis, turned and not: Hooke's strain.
    #[test]
    fn a_planted_load_asks_for_hookes_strain() {
        let asked = body(2);
        let model = model_of(&asked);
        let mut body = Body::new(&asked, model.clone(), 0);
        let h_secs = 0.01;
        let (young_pa, poisson) = (body.static_young_pa(h_secs), body.material.poisson);
        body.turn = DMat3::from_quat(DQuat::from_axis_angle(dvec3(1.0, 2.0, -1.0).normalize(), 0.7));
        let (force, _) = model.volume_gradient();
        let mut virial = DMat3::ZERO;
        for (f, x) in force.iter().zip(&model.at_rest.rest) {
            let impulse = body.turn * (DVec3::Y * (-1.0e3 * f.y * h_secs));
            virial += sinew_math::rotation::outer(impulse, body.turn * *x);
        }
        body.virial = Some(virial);
        let strain = body.wanted_strain(h_secs).unwrap();
        let wanted = Sym3 { xx: poisson, yy: -1.0, zz: poisson, ..Sym3::ZERO } * (1.0e3 / young_pa);
        assert!(length(strain + wanted * -1.0) < 1e-12 * length(wanted), "{strain:?} instead of {wanted:?}");
        body.virial = Some(virial * 1e6);
        assert!((length(body.wanted_strain(h_secs).unwrap()) - MAX_STRAIN).abs() < 1e-12);
    }

    /// A body that was pressed and is let go in empty space: it takes its shape again, and neither moves nor turns differently for it.
    #[test]
    fn a_sag_that_goes_leaves_momentum_and_spin() {
        let asked = body(2);
        let (flesh, mut solver) = (asked.flesh.clone(), ShapeMatchingSolver::new(vec![asked]).unwrap());
        let mut state = solver.rest_state(0);
        let (velocity, spin) = (dvec3(0.3, -0.1, 0.2), dvec3(1.0, 2.0, -0.5));
        for (x, v) in state.x.iter_mut().zip(&mut state.v) {
            *v = velocity + spin.cross(*x);
            x.y *= 0.9;
        }
        let Memory::ShapeMatching { rotation } = state.memory else { unreachable!() };
        let strain = Sym3::along(DVec3::Y, sinew_math::libm::log(0.9));
        state.memory = Memory::PressedShapeMatching { rotation, sag: Sag { load: strain, strain } };
        let (centre, angular) = (mass_centre(&state.x, &flesh.mass_kg), angular_momentum(&flesh.mass_kg, &state));
        let mut states = [state];
        let (cues, contacts) = (vec![Cues::default()], vec![Vec::new()]);
        for _ in 0..100 {
            let input = StepInput { cues: &cues, contacts: &contacts, touching: &[], h_secs: 0.01, stop: None };
            solver.step(&mut states, &input, &mut StepReport::default()).unwrap();
        }
        let [state] = states;
        assert!(matches!(state.memory, Memory::ShapeMatching { .. }), "{:?}", state.memory);
        let moved = mass_centre(&state.x, &flesh.mass_kg) - centre;
        assert!(moved.distance(velocity) < 1e-12, "{moved}");
        let now = angular_momentum(&flesh.mass_kg, &state);
        assert!(now.distance(angular) < 1e-10 * angular.length(), "{now} instead of {angular}");
        assert!(solver.energy(0, &state, &cues[0]) < 1e-4, "{} J", solver.energy(0, &state, &cues[0]));
    }

    /// Two lags of ten steps, two thousand steps: all of it, and then nothing.
    #[test]
    fn a_sag_follows_its_load_and_is_forgotten() {
        let wanted = Sym3::along(DVec3::Y, -0.1);
        let mut sag = Sag::default();
        for step in 0..2000 {
            sag = follow(&sag, wanted, 0.1, 0.01);
            assert!(sag.strain.yy > -0.1 && sag.strain.yy > sag.load.yy - 1e-15, "overshoots at {step}");
        }
        assert!((sag.strain.yy / wanted.yy - 1.0).abs() < 1e-12);
        let mut memory = Memory::ShapeMatching { rotation: Vec::new() };
        remember(&mut memory, sag, wanted);
        assert!(matches!(memory, Memory::PressedShapeMatching { .. }));
        remember(&mut memory, follow(&Sag::default(), wanted * 1e-5, 0.1, 0.01), wanted * 1e-5);
        assert!(matches!(memory, Memory::ShapeMatching { .. }));
    }
}
