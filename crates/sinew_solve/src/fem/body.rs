//! One body's implicit step.

use super::element::{Blocks, ElementStiffness, RestElement, Strained, block_at};
use super::{FemBody, FemError};
use crate::implicit::{BlockMatrix, Constraints, Predicted, RowTerm};
use crate::{BodyState, Cells, Cues, Memory, Row, damp_wobble};
use rayon::prelude::*;
use sinew_math::libm;
use sinew_math::{DMat3, DQuat, DVec3};

/// A contact spring against the diagonal of the matrix there: stiff enough that penetration does not show.
const CONTACT_STIFFNESS: f64 = 10.0;
/// Unbalanced force that counts as none: what would move the body by this share of its size in a step.
const NEGLIGIBLE: f64 = 1e-11;
/// Elements per parallel piece.
const PIECE: usize = 256;

/// Where a vertex's share of an element goes in the matrix.
#[derive(Debug, Clone, Copy)]
struct Incidence {
    tet: u32,
    corner: u8,
    slots: [u32; 4],
}

/// Everything a body's step works in, sized once.
pub(super) struct FemScratch {
    tets: Vec<[u32; 4]>,
    incident_start: Vec<u32>,
    incident: Vec<Incidence>,
    rest: Vec<RestElement>,
    strained: Vec<Strained>,
    blocks: Vec<Blocks>,
    damper: Vec<ElementStiffness>,
    /// Gradients of the damping energy at each element's corners.
    damping: Vec<[DVec3; 4]>,
    pub(super) matrix: BlockMatrix,
    pub(super) constraints: Constraints,
    pub(super) predicted: Vec<DVec3>,
    /// The displacement from the prediction.
    pub(super) moved: Vec<DVec3>,
    trial: Vec<DVec3>,
    pub(super) gradient: Vec<DVec3>,
    smooth: Vec<RowTerm>,
    pressing: Vec<RowTerm>,
    pub reactions: Vec<(Row, DVec3)>,
}

pub(super) type Interval<'a> = crate::implicit::Interval<'a, FemBody>;

impl FemScratch {
    pub(super) fn new(body: &FemBody) -> Result<Self, FemError> {
        let Cells::Tets(tets) = &body.flesh.cells else { return Err(FemError::NotTets) };
        let n = body.flesh.point_count();
        let matrix = BlockMatrix::new(&body.flesh.one_rings());
        let mut of_vertex = vec![Vec::new(); n];
        for (tet, corners) in tets.iter().enumerate() {
            for (corner, &vertex) in corners.iter().enumerate() {
                let slots = corners.map(|other| matrix.slot(vertex as usize, other).unwrap_or(0));
                of_vertex[vertex as usize].push(Incidence { tet: tet as u32, corner: corner as u8, slots });
            }
        }
        let incident_start = std::iter::once(0).chain(of_vertex.iter().scan(0, |sum, of| {
            *sum += of.len() as u32;
            Some(*sum)
        }));
        Ok(Self {
            tets: tets.clone(),
            incident_start: incident_start.collect(),
            incident: of_vertex.into_iter().flatten().collect(),
            rest: Vec::new(),
            strained: Vec::new(),
            blocks: Vec::new(),
            damper: Vec::new(),
            damping: Vec::new(),
            matrix,
            constraints: Constraints::default(),
            predicted: vec![DVec3::ZERO; n],
            moved: vec![DVec3::ZERO; n],
            trial: vec![DVec3::ZERO; n],
            gradient: vec![DVec3::ZERO; n],
            smooth: Vec::new(),
            pressing: Vec::new(),
            reactions: Vec::new(),
        })
    }

    /// Everything that does not change while the step is solved for.
    pub(super) fn begin(&mut self, at: &Interval<'_>) {
        self.predict(at);
        self.measure_rest(at);
        self.constraints.prepare(&at.body.flesh, at.cues);
        let predicted = Predicted { flesh: &at.body.flesh, start: at.start, x: &self.predicted, h_secs: at.h };
        predicted.smooth_terms(at.cues, &mut self.smooth);
        self.start_at_pins(at);
    }

    /// Gradient of the body's own objective at its present displacement.
    pub(super) fn evaluate(&mut self, at: &Interval<'_>) {
        self.strain_all();
        self.find_pressing(at);
        self.evaluate_gradient(at);
    }

    /// x̂ = x + h v + h² f/m.
    fn predict(&mut self, at: &Interval<'_>) {
        let mass = &at.body.flesh.mass_kg;
        for (i, predicted) in self.predicted.iter_mut().enumerate() {
            let force = at.cues.force_n.get(i).copied().unwrap_or_default();
            *predicted = at.start.x[i] + (at.start.v[i] + force * (at.h / mass[i])) * at.h;
        }
        self.moved.fill(DVec3::ZERO);
    }

    /// Rest shapes of all elements as asked; an element asked to be inverted keeps its own rest shape.
    fn measure_rest(&mut self, at: &Interval<'_>) {
        let (flesh, lame) = (&at.body.flesh, at.body.material.lame());
        let none = Cues::default();
        let rest_of = |corners: &[u32; 4]| {
            RestElement::asked(flesh, *corners, at.cues, lame)
                .or_else(|| RestElement::asked(flesh, *corners, &none, lame))
        };
        let unused = RestElement { gradient: [DVec3::ZERO; 4], volume_m3: 0.0, lambda_pa: 0.0, mu_pa: 0.0 };
        self.rest.resize(self.tets.len(), unused);
        let pieces = self.rest.par_chunks_mut(PIECE).zip(self.tets.par_chunks(PIECE));
        pieces.for_each(|(rest, tets)| {
            for (rest, corners) in rest.iter_mut().zip(tets) {
                *rest = rest_of(corners).unwrap_or(unused);
            }
        });
        let Memory::Fem { rotation } = &at.start.memory else { return };
        self.strain_at_start(at, rotation);
        self.damper.clear();
        if at.body.material.damping.rayleigh_stiffness_secs > 0.0 {
            self.damper.extend(self.strained.iter().zip(&self.rest).map(|(s, rest)| s.turned_linear(rest)));
        }
    }

    /// Deformation of all elements at the start of the interval, from the rotations of the step before.
    fn strain_at_start(&mut self, at: &Interval<'_>, warm: &[DQuat]) {
        let Self { tets, rest, strained, .. } = self;
        strained.clear();
        let start =
            |(tet, rest): (usize, &RestElement)| rest.strained(tets[tet].map(|v| at.start.x[v as usize]), warm[tet]);
        strained.extend(rest.iter().enumerate().map(start));
    }

    /// Deformation of all elements at the present displacement.
    fn strain_all(&mut self) {
        let Self { tets, rest, strained, predicted, moved, .. } = self;
        let place = |v: u32| predicted[v as usize] + moved[v as usize];
        strained.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(tet, strained)| {
            *strained = rest[tet].strained(tets[tet].map(place), strained.turn);
        });
    }

    fn start_at_pins(&mut self, at: &Interval<'_>) {
        if self.constraints.is_empty() {
            return;
        }
        self.trial.copy_from_slice(&self.predicted);
        self.constraints.meet(&at.body.flesh, at.cues, |pin| pin.to, &mut self.trial);
        for ((moved, trial), predicted) in self.moved.iter_mut().zip(&self.trial).zip(&self.predicted) {
            *moved = *trial - *predicted;
        }
    }

    /// Unbalanced force that counts as none.
    pub(super) fn negligible_force(&self, at: &Interval<'_>) -> f64 {
        let flesh = &at.body.flesh;
        NEGLIGIBLE * flesh.size_m() * flesh.total_mass_kg() / (at.h * at.h) / (flesh.point_count() as f64).sqrt()
    }

    fn find_pressing(&mut self, at: &Interval<'_>) {
        let flesh = &at.body.flesh;
        let predicted = Predicted { flesh, start: at.start, x: &self.predicted, h_secs: at.h };
        let spring = |row: Row| contact_stiffness(at, flesh.anchors.terms(row));
        predicted.contact_terms(at.contacts, &self.moved, spring, &mut self.pressing);
    }

    /// What damping asks of every element at the present displacement.
    fn damp_all(&mut self, at: &Interval<'_>) {
        let Self { damper, damping, tets, predicted, moved, .. } = self;
        damping.resize(damper.len(), [DVec3::ZERO; 4]);
        let gone = |v: u32| predicted[v as usize] + moved[v as usize] - at.start.x[v as usize];
        damping.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(tet, damping)| {
            let rate = element_damping(at, &tets[tet]) / at.h;
            *damping = damper[tet].times(tets[tet].map(gone)).map(|force| force * rate);
        });
    }

    /// ∇ of the objective at the present displacement.
    fn evaluate_gradient(&mut self, at: &Interval<'_>) {
        self.damp_all(at);
        let Self { gradient, rest, strained, incident, incident_start, predicted, moved, damping: damped, .. } = self;
        let damping = at.body.material.damping;
        let mass = &at.body.flesh.mass_kg;
        gradient.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(i, g)| {
            let velocity = (predicted[i] + moved[i] - at.start.x[i]) / at.h;
            *g = moved[i] * (mass[i] / (at.h * at.h))
                + velocity * (damping.rayleigh_mass_per_sec * damping_factor(at.cues, i) * mass[i]);
            for one in &incident[incident_start[i] as usize..incident_start[i + 1] as usize] {
                let (tet, a) = (one.tet as usize, one.corner as usize);
                *g += strained[tet].gradient_at(&rest[tet], a);
                if let Some(damped) = damped.get(tet) {
                    *g += damped[a];
                }
            }
        });
        let anchors = &at.body.flesh.anchors;
        for term in self.smooth.iter().chain(&self.pressing) {
            let force = term.gradient(anchors.at(term.at, moved));
            for (dof, weight) in anchors.terms(term.at) {
                gradient[dof] += force * weight;
            }
        }
    }

    pub(super) fn assemble(&mut self, at: &Interval<'_>) {
        self.find_blocks(at);
        let Self { matrix, blocks, incident, incident_start, .. } = self;
        matrix.fill_rows(|i, row| {
            for one in &incident[incident_start[i] as usize..incident_start[i + 1] as usize] {
                for (b, &slot) in one.slots.iter().enumerate() {
                    let (block, transposed) = block_at(one.corner as usize, b);
                    let block = &blocks[one.tet as usize][block];
                    row[slot as usize] += if transposed { block.transpose() } else { *block };
                }
            }
        });
        for (i, mass) in at.body.flesh.mass_kg.iter().enumerate() {
            let drag = at.body.material.damping.rayleigh_mass_per_sec * damping_factor(at.cues, i) * mass / at.h;
            *matrix.diagonal_mut(i) += DMat3::from_diagonal(DVec3::splat(mass / (at.h * at.h) + drag));
        }
        let anchors = &at.body.flesh.anchors;
        for term in self.smooth.iter().chain(&self.pressing) {
            for (dof, weight) in anchors.terms(term.at) {
                *matrix.diagonal_mut(dof) += term.matrix.to_mat() * (weight * weight);
            }
        }
    }

    /// The matrices of all elements, elastic and damping.
    fn find_blocks(&mut self, at: &Interval<'_>) {
        let Self { blocks, rest, strained, damper, tets, .. } = self;
        blocks.resize(tets.len(), [DMat3::ZERO; 10]);
        blocks.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(tet, blocks)| {
            *blocks = strained[tet].stiffness(&rest[tet]).blocks();
            if let Some(damper) = damper.get(tet) {
                let rate = element_damping(at, &tets[tet]) / at.h;
                blocks.iter_mut().zip(damper.blocks()).for_each(|(block, damping)| *block += damping * rate);
            }
        });
    }

    /// Adds what does not fit the mesh's sparsity: rows of several weights couple degrees of freedom beyond their
    /// diagonal blocks.
    pub(super) fn multiply_rows(&self, at: &Interval<'_>, direction: &[DVec3], image: &mut [DVec3]) {
        let anchors = &at.body.flesh.anchors;
        for term in self.smooth.iter().chain(&self.pressing).filter(|term| anchors.single(term.at).is_none()) {
            let whole = anchors.at(term.at, direction);
            for (dof, weight) in anchors.terms(term.at) {
                image[dof] += term.matrix * (whole - direction[dof] * weight) * weight;
            }
        }
    }

    /// Keeps the present displacement, from which steps are tried.
    pub(super) fn keep(&mut self) {
        self.trial.copy_from_slice(&self.moved);
    }

    /// Goes `share` of `step` from what was kept.
    pub(super) fn go(&mut self, step: &[DVec3], share: f64) {
        for ((moved, kept), step) in self.moved.iter_mut().zip(&self.trial).zip(step) {
            *moved = *kept + *step * share;
        }
    }

    pub(super) fn objective(&self, at: &Interval<'_>) -> f64 {
        let flesh = &at.body.flesh;
        let damping = at.body.material.damping;
        let place = |v: usize| self.predicted[v] + self.moved[v];
        let inertia: f64 = (0..self.moved.len())
            .map(|i| {
                let gone = place(i) - at.start.x[i];
                let drag = damping.rayleigh_mass_per_sec * damping_factor(at.cues, i);
                0.5 * flesh.mass_kg[i]
                    * (self.moved[i].length_squared() / (at.h * at.h) + drag / at.h * gone.length_squared())
            })
            .sum();
        let energies: Vec<f64> = self
            .tets
            .par_chunks(PIECE)
            .enumerate()
            .map(|(piece, tets)| {
                let first = piece * PIECE;
                tets.iter().enumerate().map(|(k, corners)| self.element_energy(at, first + k, corners)).sum()
            })
            .collect();
        let anchors = &flesh.anchors;
        let rows: f64 = self.smooth.iter().map(|term| term.energy(anchors.at(term.at, &self.moved))).sum();
        let pressing: f64 = self.pressing.iter().map(|term| term.energy(anchors.at(term.at, &self.moved))).sum();
        inertia + energies.iter().sum::<f64>() + rows + pressing
    }

    fn element_energy(&self, at: &Interval<'_>, tet: usize, corners: &[u32; 4]) -> f64 {
        let rest = &self.rest[tet];
        let x = corners.map(|v| self.predicted[v as usize] + self.moved[v as usize]);
        let mut energy = rest.strained(x, self.strained[tet].turn).energy(rest);
        if let Some(damper) = self.damper.get(tet) {
            let gone = [0, 1, 2, 3].map(|a| x[a] - at.start.x[corners[a] as usize]);
            let work: f64 = damper.times(gone).iter().zip(gone).map(|(force, gone)| force.dot(gone)).sum();
            energy += 0.5 * element_damping(at, corners) / at.h * work;
        }
        energy
    }

    /// Elastic forces sum to zero; what the inexact solve left of a net force is taken back as a translation. `others` is
    /// the force of other bodies.
    pub(super) fn balance_momentum(&mut self, at: &Interval<'_>, others: DVec3) {
        if !self.constraints.is_empty() {
            return;
        }
        let flesh = &at.body.flesh;
        let outside = self.smooth.iter().chain(&self.pressing).fold(others, |sum, term| {
            let reach: f64 = flesh.anchors.terms(term.at).map(|(_, w)| w).sum();
            sum - term.gradient(flesh.anchors.at(term.at, &self.moved)) * reach
        });
        let drag = at.body.material.damping.rayleigh_mass_per_sec;
        let net = (0..self.moved.len()).fold(DVec3::ZERO, |sum, i| {
            let velocity = (self.predicted[i] + self.moved[i] - at.start.x[i]) / at.h;
            sum + (self.moved[i] / (at.h * at.h) + velocity * (drag * damping_factor(at.cues, i))) * flesh.mass_kg[i]
        });
        if net == DVec3::ZERO && outside == DVec3::ZERO {
            return;
        }
        let back = (outside - net) * (at.h * at.h / flesh.total_mass_kg());
        self.moved.iter_mut().for_each(|moved| *moved += back);
    }

    /// Forces of pins; the gradient must be that of the solution.
    pub(super) fn report_reactions(&mut self, at: &Interval<'_>) {
        self.reactions.clear();
        if self.constraints.is_empty() {
            return;
        }
        let reactions = &mut self.reactions;
        self.constraints.reactions(&at.body.flesh, at.cues, &self.gradient, |row, force| reactions.push((row, force)));
    }

    /// Writes the new state: v = v + h f/m + Δ/h, x = x + h v, so that a body nothing holds moves exactly.
    pub(super) fn finish(&mut self, body: &FemBody, state: &mut BodyState, cues: &Cues, h: f64) {
        let mass = &body.flesh.mass_kg;
        for (i, (moved, mass)) in self.moved.iter().zip(mass).enumerate() {
            let force = cues.force_n.get(i).copied().unwrap_or_default();
            state.v[i] += force * (h / mass) + *moved / h;
            state.x[i] += state.v[i] * h;
        }
        let rate = body.material.damping.wobble_per_sec;
        if rate > 0.0 {
            damp_wobble(mass, state, |i| libm::exp(-rate * damping_factor(cues, i) * h));
        }
        self.constraints.meet(&body.flesh, cues, |pin| pin.to, &mut state.x);
        self.constraints.meet(&body.flesh, cues, |pin| pin.velocity, &mut state.v);
        if let Memory::Fem { rotation } = &mut state.memory {
            for (r, s) in rotation.iter_mut().zip(&self.strained) {
                *r = s.turn;
            }
        }
        state.recentre(mass);
    }
}

/// The spring of a contact, N/m: stiff against what an element gives a vertex, taken from rest data so that it does not
/// change within a step.
pub(super) fn contact_stiffness(at: &Interval<'_>, terms: impl Iterator<Item = (usize, f64)>) -> f64 {
    let (lambda, mu) = at.body.material.lame();
    let mass: f64 = terms.map(|(dof, weight)| weight * at.body.flesh.mass_kg[dof]).sum();
    let volume = mass / at.body.material.density_kg_m3;
    CONTACT_STIFFNESS * (mass / (at.h * at.h) + (lambda + 2.0 * mu) * volume.cbrt())
}

fn damping_factor(cues: &Cues, point: usize) -> f64 {
    cues.damping.get(point).copied().unwrap_or(1.0)
}

fn element_damping(at: &Interval<'_>, corners: &[u32; 4]) -> f64 {
    at.body.material.damping.rayleigh_stiffness_secs
        * corners.iter().map(|&v| damping_factor(at.cues, v as usize)).sum::<f64>()
        / 4.0
}

/// The elastic energy of a body under its asked rest shape.
pub(super) fn elastic_energy(body: &FemBody, state: &BodyState, cues: &Cues) -> f64 {
    let Cells::Tets(tets) = &body.flesh.cells else { return 0.0 };
    let energy = |corners: &[u32; 4]| {
        let rest = RestElement::asked(&body.flesh, *corners, cues, body.material.lame())?;
        let f = corners.map(|v| state.x[v as usize]);
        Some(rest.strained(f, rest.best_turn(f)).energy(&rest))
    };
    tets.iter().filter_map(energy).sum()
}
