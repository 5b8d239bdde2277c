//! A body's points, wishes and rest shapes into the lanes of its batch, and rotations back out of them.

use super::{Batch, add, point, put, six};
use crate::fem::body::Interval;
use crate::fem::descent::contraction::contracted;
use crate::fem::descent::laws::{Corotated, Law, NeoHookean, StVenantKirchhoff};
use crate::fem::descent::layout::OTHERS;
use crate::fem::descent::member::Member;
use crate::fem::element::RestTet;
use crate::simd::gather::Point;
use crate::simd::{BLOCK, Slot};
use crate::spin::turn_ahead;
use crate::wobble::damping_factor;
use crate::{Cells, Cues, Memory, StretchLaw};
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DQuat, DVec3};

impl Batch {
    /// Puts a body into the lanes.
    pub(in crate::fem::descent) fn load(&mut self, member: &mut Member, at: &Interval<'_>) {
        self.measure(member, at.cues);
        let guess = member.first_places();
        for (i, (ahead, guess)) in member.ahead.iter().zip(guess).enumerate() {
            let slot = self.layout.slot_of[member.first_point + i] as usize;
            let inertia = member.inertia(at, i);
            let (vertices, lane) = (&mut self.vertices[slot / BLOCK], slot % BLOCK);
            put(&mut vertices.target, lane, ahead.to_array());
            vertices.matrix[..3].iter_mut().for_each(|slot| slot.0[lane] = inertia as f32);
            vertices.free.0[lane] = if member.constraints.is_pinned(i) { 0.0 } else { 1.0 };
            self.points[slot] = point(*guess);
        }
        let anchors = &member.flesh().anchors;
        for term in &member.smooth {
            if let Some(dof) = anchors.single(term.at) {
                let slot = self.layout.slot_of[member.first_point + dof] as usize;
                let (vertices, lane) = (&mut self.vertices[slot / BLOCK], slot % BLOCK);
                add(&mut vertices.matrix, lane, six(term.matrix));
                add(&mut vertices.pull, lane, term.pull.to_array());
            }
        }
        if let Memory::Fem { rotation } = &at.start.memory {
            self.load_turns(member, rotation);
        }
        if self.is_damped {
            self.load_starts(member, at);
        }
    }

    /// Rest shapes as asked, where they are not those of the last step; a tetrahedron asked to be inverted keeps its own.
    fn measure(&mut self, member: &mut Member, cues: &Cues) {
        let plain = cues.rest_offset.is_empty() && cues.log_stretch.is_empty() && cues.stiffness.is_empty();
        if plain && member.is_plain {
            return;
        }
        let Cells::Tets(tets) = &member.setup.flesh.cells else { return };
        let (lambda, mu) = member.setup.material.lame();
        let (spread, ratio) = match self.law {
            StretchLaw::NeoHookean => (NeoHookean::SPREAD, NeoHookean::ratio(lambda / mu)),
            StretchLaw::Corotated => (Corotated::SPREAD, Corotated::ratio(lambda / mu)),
            StretchLaw::StVenantKirchhoff => (StVenantKirchhoff::SPREAD, StVenantKirchhoff::ratio(lambda / mu)),
        };
        for i in 0..member.rest.len() {
            let slot = self.layout.slot_of[member.first_point + i] as usize;
            let vertices = &mut self.vertices[slot / BLOCK];
            vertices.spread.0[slot % BLOCK] = 0.0;
            vertices.ratio.0[slot % BLOCK] = ratio as f32;
        }
        let own = cues.rest_offset.is_empty();
        for (tet, corners) in tets.iter().enumerate() {
            let plain = &member.plain[tet];
            let asked = if own { None } else { RestTet::asked(&member.setup.flesh, *corners, cues) };
            let (rest, contracted) = match asked {
                Some(rest) if cues.log_stretch.is_empty() => (rest, DMat3::ZERO),
                Some(rest) => (rest, contraction(&corners.map(|v| member.rest[v as usize]), &rest.gradient)),
                None if own => {
                    let (rest, shrunk) = contracted(plain, *corners, cues);
                    (rest, shrunk.to_mat())
                }
                // StepInput to be inverted.
                None => (*plain, contraction(&corners.map(|v| member.rest[v as usize]), &plain.gradient)),
            };
            let stiffness = rest.volume_m3 * rest.stiffness * mu;
            let places = self.layout.places[member.first_tet + tet];
            for (a, place) in places.into_iter().enumerate() {
                let (block, lane) = (place as usize / BLOCK, place as usize % BLOCK);
                let incidences = &mut self.incidences[block];
                put_gradients(&mut incidences.gradient, lane, a, &rest.gradient);
                incidences.stiffness.0[lane] = stiffness as f32;
                let slot = self.layout.slot_of[member.first_point + corners[a] as usize] as usize;
                let own = rest.gradient[a].length_squared() * stiffness * spread;
                self.vertices[slot / BLOCK].spread.0[slot % BLOCK] += own as f32;
            }
            if self.contractions.is_empty() {
                continue;
            }
            for place in places {
                put(&mut self.contractions[place as usize / BLOCK], place as usize % BLOCK, rows(contracted));
            }
        }
        member.is_plain = plain;
    }

    /// Rotations against the frame, from those of the step before.
    fn load_turns(&mut self, member: &Member, rotation: &[DQuat]) {
        if self.turns.is_empty() {
            return;
        }
        let back = member.frame.quat.conjugate();
        let places = &self.layout.places[member.first_tet..];
        for (places, rotation) in places.iter().zip(rotation) {
            let turn = (back * *rotation).to_array();
            for place in places {
                put(&mut self.turns[*place as usize / BLOCK], *place as usize % BLOCK, turn);
            }
        }
    }

    /// Rotations in the world, as the tetrahedra's first corners found them.
    pub(in crate::fem::descent) fn read_turns(&self, first_tet: usize, frame: DQuat, rotation: &mut [DQuat]) {
        if self.turns.is_empty() {
            return;
        }
        for (places, rotation) in self.layout.places[first_tet..].iter().zip(rotation) {
            let (turns, lane) = (&self.turns[places[0] as usize / BLOCK], places[0] as usize % BLOCK);
            let turn = DQuat::from_array([0, 1, 2, 3].map(|k| f64::from(turns[k].0[lane])));
            *rotation = (frame * turn).normalize();
        }
    }

    /// Where its points began, and how much they are damped.
    fn load_starts(&mut self, member: &Member, at: &Interval<'_>) {
        let rate = member.setup.material.damping.rayleigh_stiffness_secs / at.h;
        let (lambda, mu) = member.setup.material.lame();
        // Carried on with the body's spin, so that damping feels deformation only.
        let turn = turn_ahead(&member.setup.flesh.mass_kg, at.start, at.turning_forces(), at.h);
        let turn = member.frame.turn.transpose() * DMat3::from_quat(turn);
        let slots = &self.layout.slot_of[member.first_point..];
        for (i, slot) in slots.iter().take(member.rest.len()).map(|slot| *slot as usize).enumerate() {
            self.starts[slot] = point(turn * (at.start.x[i] - at.start.origin) - member.rest[i]);
            self.rates[slot] = Point([(rate * damping_factor(at.cues, i)) as f32, 0.0, 0.0, 0.0]);
            self.damped[slot / BLOCK].ratio.0[slot % BLOCK] = (lambda / mu) as f32;
        }
    }
}

/// What the deformation of the rest positions is, measured against the shape that is asked for, less I.
fn contraction(rest: &[DVec3; 4], gradient: &[DVec3; 4]) -> DMat3 {
    (1..4).fold(-DMat3::IDENTITY, |f, a| f + outer(rest[a] - rest[0], gradient[a]))
}

fn rows(m: DMat3) -> [f64; 9] {
    m.transpose().to_cols_array()
}

/// Gradients of the three corners that corner `a` sees.
fn put_gradients(slots: &mut [Slot; 9], lane: usize, a: usize, gradient: &[DVec3; 4]) {
    for (other, corner) in OTHERS[a].into_iter().enumerate() {
        for axis in 0..3 {
            slots[3 * other + axis].0[lane] = gradient[corner][axis] as f32;
        }
    }
}
