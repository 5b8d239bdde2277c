//! What couples different bodies in the Hessian: sphere contacts between them, applied without being
//! assembled.

use super::contacts::SphereContact;
use super::system::{Linearised, System};
use crate::block_banded::{BlockBanded, BlockBandedFactor};
use rayon::prelude::*;
use sinew_math::DVec3;

/// One vector a body, over its free frames.
pub(super) type Steps = Vec<Vec<f64>>;

pub(super) fn dot(a: &Steps, b: &Steps) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>()).sum()
}

fn axpy(y: &mut Steps, a: f64, x: &Steps) {
    for (y, x) in y.iter_mut().zip(x) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
    }
}

/// Hessians of bodies on their own, with a multiple of the identity added to each.
pub(super) struct Shifted<'a> {
    pub matrices: &'a [BlockBanded],
    pub shifts: &'a [f64],
}

impl Shifted<'_> {
    fn times(&self, p: &Steps) -> Steps {
        let bodies = self.matrices.par_iter().zip(self.shifts).zip(p);
        bodies
            .map(|((matrix, shift), p)| {
                let mut q = matrix.times(p);
                q.iter_mut().zip(p).for_each(|(q, p)| *q += shift * p);
                q
            })
            .collect()
    }
}

/// Solves `(H + C) x = b` by conjugate gradients, preconditioned with the factors of bodies on their own.
/// Gives the iterations.
pub(super) fn solve_coupled(
    system: &System<'_>,
    at: &Linearised,
    own: &Shifted<'_>,
    factors: &[BlockBandedFactor],
    right: &Steps,
) -> (Steps, usize) {
    /// Relative residual in the norm of the preconditioner.
    const RESIDUAL: f64 = 1e-2;
    const MOST: usize = 60;
    let precondition = |r: &Steps| -> Steps {
        r.par_iter()
            .zip(factors)
            .map(|(r, factor)| {
                let mut z = r.clone();
                factor.solve(&mut z);
                z
            })
            .collect()
    };
    let mut x: Steps = right.iter().map(|r| vec![0.0; r.len()]).collect();
    let mut r = right.clone();
    let mut z = precondition(&r);
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    let first = rz;
    for iteration in 0..MOST {
        let mut q = own.times(&p);
        add_cross_terms(system, at, &p, &mut q);
        let curvature = dot(&p, &q);
        if curvature <= 0.0 {
            // Negative curvature between bodies: what was found so far goes down.
            return (if iteration == 0 { z } else { x }, iteration);
        }
        let alpha = rz / curvature;
        axpy(&mut x, alpha, &p);
        axpy(&mut r, -alpha, &q);
        z = precondition(&r);
        let next = dot(&r, &z);
        if next <= RESIDUAL * RESIDUAL * first {
            return (x, iteration + 1);
        }
        let beta = next / rz;
        rz = next;
        for (p, z) in p.iter_mut().zip(&z) {
            p.iter_mut().zip(z).for_each(|(p, z)| *p = z + beta * *p);
        }
    }
    (x, MOST)
}

/// Off-diagonal blocks `−E″ n nᵀ` between the spheres of a contact.
fn add_cross_terms(system: &System<'_>, at: &Linearised, p: &Steps, q: &mut Steps) {
    let moved: Vec<Vec<Vec<DVec3>>> = (system.bodies.par_iter().zip(p).enumerate())
        .map(|(body, (_, p))| sphere_movements(system, at, body, p))
        .collect();
    let along = |contact: &SphereContact, side: usize| -> f64 {
        let body = contact.bodies[side] as usize;
        let time = &system.bodies[body].body_times[contact.time as usize];
        time.place(&moved[body], contact.spheres[side] as usize).dot(contact.normal)
    };
    let pushes: Vec<[f64; 2]> = at
        .contacts
        .par_iter()
        .map(|contact| [-contact.stiffness * along(contact, 1), -contact.stiffness * along(contact, 0)])
        .collect();
    q.par_iter_mut().enumerate().for_each(|(body, q)| {
        let own = &system.bodies[body];
        let mut forces = vec![vec![DVec3::ZERO; own.shape.spheres.len()]; own.times_secs.len()];
        for (contact, push) in at.contacts.iter().zip(&pushes) {
            for side in (0..2).filter(|side| contact.bodies[*side] as usize == body) {
                for (frame, w) in own.body_times[contact.time as usize].terms() {
                    forces[frame][contact.spheres[side] as usize] += contact.normal * (push[side] * w);
                }
            }
        }
        for (position, frame) in own.free.frames.iter().enumerate() {
            let back = at.bodies[body].postures[*frame].r.transpose();
            let start = position * 3 * own.shape.node_count();
            for (sphere, force) in forces[*frame].iter().enumerate().filter(|(_, f)| **f != DVec3::ZERO) {
                let (row, force) = (own.shape.spheres.functions.row(sphere), back * *force);
                for (node, value) in row.nodes.iter().zip(row.values) {
                    let at = start + 3 * *node as usize;
                    q[at] += force.x * value;
                    q[at + 1] += force.y * value;
                    q[at + 2] += force.z * value;
                }
            }
        }
    });
}

/// World movements of a body's spheres by frame.
fn sphere_movements(system: &System<'_>, at: &Linearised, body: usize, p: &[f64]) -> Vec<Vec<DVec3>> {
    let own = &system.bodies[body];
    let n = own.shape.node_count();
    let still = || vec![DVec3::ZERO; own.shape.spheres.len()];
    (0..own.times_secs.len())
        .map(|frame| {
            let Some(position) = own.free.position[frame] else { return still() };
            let turn = at.bodies[body].postures[frame].r;
            let node = |i: u32| {
                let at = (position * n + i as usize) * 3;
                DVec3::new(p[at], p[at + 1], p[at + 2])
            };
            let rows = own.shape.spheres.functions.rows();
            rows.map(|row| turn * row.nodes.iter().zip(row.values).fold(DVec3::ZERO, |sum, (i, v)| sum + node(*i) * *v))
                .collect()
        })
        .collect()
}
