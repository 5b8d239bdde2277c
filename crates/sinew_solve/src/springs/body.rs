//! One body's implicit step: springs as energies of the displacement, their gradients and projected Hessians.
//!
//! A spring of length l and direction d has the energy `½ k (l − L)²` and the Hessian `k (d dᵀ + (1 − L/l)(I − d dᵀ))`; the second part is
//! left out where it would be negative (a pressed spring buckles), so that Newton's matrix is positive (Choi, Ko: "Stable but
//! Responsive Cloth", SIGGRAPH 2002, do the same). Its damper is that of the change of length, `c/2h (l − l₀)²`, which no rotation changes;
//! what it pulls with counts with the rest.

use super::Prepared;
use super::adaptive::{self, Inner};
use super::params::SpringsMethod;
use super::rest_springs::{PIECE, RestSpring, direction, find_rest_springs};
use super::turned_cells::TurnedCells;
use crate::implicit::{
    BlockMatrix, BodyModel, Implicit, InitialGuess, Interval, LinearSolve, Member, NewtonParams, Stiffness, Unknowns,
    is_even,
};
use crate::spin::Rule;
use crate::{BodyContact, BodyState, Cues, Memory};
use rayon::prelude::*;
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3};

/// A contact spring against what the springs give a point: stiff enough that penetration does not show.
const CONTACT_STIFFNESS: f64 = 10.0;
/// How far a contact gives way within a step before it stiffens, as a share of the mean spring.
const DEEP_CONTACT: f64 = 0.005;
/// Each linear solve stops when its residual has fallen to this share.
const LINEAR_TOLERANCE: f64 = 1e-2;

/// A spring as one of its ends sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Incidence {
    pub spring: u32,
    /// −1 at the first end, 1 at the second.
    pub sign: f64,
    /// Blocks of the end and of the spring in the end's row; none for what is above the diagonal.
    slots: [u32; 2],
}

/// No block.
const ABOVE: u32 = u32::MAX;

/// Everything a body's step works in, sized once.
pub(crate) struct SpringsScratch {
    pub(super) unknowns: Unknowns,
    pub(super) asked: Vec<RestSpring>,
    /// Where all points are at the present displacement.
    places: Vec<DVec3>,
    incident_start: Vec<u32>,
    incident: Vec<Incidence>,
    /// Lengths when the interval began.
    first_length_m: Vec<f64>,
    /// What each spring does to its second end, and its block of the Hessian.
    gradients: Vec<DVec3>,
    blocks: Vec<DMat3>,
    pub(super) inner: Inner,
    pub(super) cells: TurnedCells,
}

type At<'a> = Interval<'a, Prepared>;

impl Prepared {
    pub(super) fn model(&self) -> BodyModel<'_> {
        BodyModel { flesh: &self.flesh, material: &self.material }
    }
}

impl SpringsScratch {
    pub(crate) fn new(body: &Prepared) -> Self {
        let points = body.flesh.point_count();
        let unknowns = Unknowns::new(BlockMatrix::new(&body.network.one_rings(points)));
        let mut of_point = vec![Vec::new(); points];
        for (number, spring) in body.network.springs.iter().enumerate() {
            for (end, sign) in [(0, -1.0), (1, 1.0)] {
                let (mine, other) = (spring.ends[end], spring.ends[1 - end]);
                let slots = [mine, other].map(|column| unknowns.matrix.slot(mine as usize, column).unwrap_or(ABOVE));
                of_point[mine as usize].push(Incidence { spring: number as u32, sign, slots });
            }
        }
        let incident_start = std::iter::once(0).chain(of_point.iter().scan(0, |sum, of| {
            *sum += of.len() as u32;
            Some(*sum)
        }));
        let springs = body.network.springs.len();
        Self {
            unknowns,
            asked: Vec::new(),
            places: vec![DVec3::ZERO; points],
            incident_start: incident_start.collect(),
            incident: of_point.into_iter().flatten().collect(),
            first_length_m: vec![0.0; springs],
            gradients: vec![DVec3::ZERO; springs],
            blocks: vec![DMat3::ZERO; springs],
            inner: Inner::default(),
            cells: TurnedCells::default(),
        }
    }

    /// Finishes the implicit step of a body that may have taken adaptive steps before: lengths go on from here.
    pub(crate) fn finish_among_others(&mut self, body: &Prepared, state: &mut BodyState, cues: &Cues, h: f64) {
        self.inner.gave_up = body.params.method == SpringsMethod::Adaptive;
        self.finish(body, state, cues, h);
    }

    /// The springs at a point.
    pub(super) fn at_point(&self, point: usize) -> &[Incidence] {
        &self.incident[self.incident_start[point] as usize..self.incident_start[point + 1] as usize]
    }

    fn place_all(&mut self) {
        for (i, place) in self.places.iter_mut().enumerate() {
            *place = self.unknowns.place(i);
        }
    }

    /// Length and direction of a spring, and the tension of its elasticity and damping.
    fn pulled(&self, at: &At<'_>, number: usize) -> (f64, DVec3, f64) {
        let (spring, asked) = (&at.body.network.springs[number], &self.asked[number]);
        let (length, along) = direction(&at.body.flesh, spring, &self.places);
        let lengthened = length - self.first_length_m[number];
        (length, along, asked.k * (length - asked.length_m) + asked.c / at.h * lengthened)
    }

    fn block_of(&self, at: &At<'_>, number: usize) -> DMat3 {
        let asked = &self.asked[number];
        let (length, along, tension) = self.pulled(at, number);
        let lengthwise = outer(along, along);
        let stretched = (asked.k * (length - asked.length_m)).max(0.0);
        let sideways = if length > 0.0 { stretched.max(tension) / length } else { 0.0 };
        lengthwise * (asked.k + asked.c / at.h) + (DMat3::IDENTITY - lengthwise) * sideways
    }

    fn energy_of(&self, at: &At<'_>, number: usize) -> f64 {
        let (spring, asked) = (&at.body.network.springs[number], &self.asked[number]);
        let (length, _) = direction(&at.body.flesh, spring, &self.places);
        let lengthened = length - self.first_length_m[number];
        0.5 * (asked.k * (length - asked.length_m).powi(2) + asked.c / at.h * lengthened * lengthened)
    }
}

impl Implicit for SpringsScratch {
    type Body = Prepared;

    fn params(body: &Prepared) -> NewtonParams {
        NewtonParams {
            iterations: body.params.newton_iterations,
            tolerance: body.params.newton_tolerance,
            linear_tolerance: LINEAR_TOLERANCE,
            linear: LinearSolve::Auto,
        }
    }

    fn contact_stiffness(at: &At<'_>, terms: impl Iterator<Item = (usize, f64)>) -> Stiffness {
        let own = &at.body.stiffness_n_per_m;
        let mass = &at.body.flesh.mass_kg;
        let spring = |(dof, weight): (usize, f64)| weight * (mass[dof] / (at.h * at.h) + own[dof]);
        Stiffness {
            n_per_m: CONTACT_STIFFNESS * terms.map(spring).sum::<f64>(),
            deep_m: DEEP_CONTACT * at.body.mean_length_m,
            size_m: at.body.flesh.size_m(),
        }
    }

    fn begin(&mut self, at: &At<'_>) {
        let anchors = &at.body.flesh.anchors;
        self.unknowns.begin(at.body.model(), at, |row| Self::contact_stiffness(at, anchors.terms(row)));
        find_rest_springs(&at.body.flesh, &at.body.network, at.cues, &mut self.asked);
        self.cells.begin(at.body, at.cues);
        let springs = &at.body.network.springs;
        self.first_length_m
            .par_iter_mut()
            .zip(springs)
            .with_min_len(PIECE)
            .for_each(|(first, spring)| *first = direction(&at.body.flesh, spring, &at.start.x).0);
    }

    fn initial_guesses(at: &At<'_>) -> &'static [InitialGuess] {
        // What is pushed in one place, or held in one, would fly far beyond where its springs hold it, and be found inside out from there.
        let is_free = at.contacts.is_empty() && at.cues.pins.is_empty();
        let flies = is_free && is_even(&at.cues.force_n, &at.body.flesh.mass_kg);
        if flies { &[InitialGuess::Ballistic] } else { &InitialGuess::ALL }
    }

    fn evaluate(&mut self, at: &At<'_>) {
        self.unknowns.find_pressing(at.body.model(), at);
        self.place_all();
        let mut gradients = std::mem::take(&mut self.gradients);
        gradients.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(number, gradient)| {
            let (_, along, tension) = self.pulled(at, number);
            *gradient = along * tension;
        });
        self.gradients = gradients;
        let mut gradient = std::mem::take(&mut self.unknowns.gradient);
        gradient.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(i, g)| {
            let of_springs = self.at_point(i).iter();
            *g = of_springs.fold(self.unknowns.inertia_at(at.body.model(), at, i), |sum, one| {
                sum + self.gradients[one.spring as usize] * one.sign
            });
        });
        self.cells.gradients(&self.places, |point, add| gradient[point] += add);
        self.unknowns.gradient = gradient;
        self.unknowns.add_row_gradients(at.body.model());
    }

    fn assemble(&mut self, at: &At<'_>) {
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(number, block)| {
            *block = self.block_of(at, number);
        });
        self.blocks = blocks;
        let Self { unknowns, blocks, incident, incident_start, cells, places, .. } = self;
        unknowns.matrix.fill_rows(|i, row| {
            for one in &incident[incident_start[i] as usize..incident_start[i + 1] as usize] {
                let block = blocks[one.spring as usize];
                row[one.slots[0] as usize] += block;
                if let Some(between) = row.get_mut(one.slots[1] as usize) {
                    *between -= block;
                }
            }
        });
        cells.blocks(places, |i, j, block| {
            if let Some(of_pair) = unknowns.matrix.block_mut(i, j) {
                *of_pair += block;
            }
        });
        unknowns.add_diagonals(at.body.model(), at);
    }

    fn objective(&mut self, at: &At<'_>) -> f64 {
        let numbers: Vec<usize> = (0..self.asked.len()).collect();
        let piece = |numbers: &[usize]| numbers.iter().map(|&number| self.energy_of(at, number)).sum::<f64>();
        let energies: Vec<f64> = numbers.par_chunks(PIECE).map(piece).collect();
        let of_cells = self.cells.energy_j(&self.places);
        self.unknowns.objective(at.body.model(), at) + energies.iter().sum::<f64>() + of_cells
    }

    fn finish(&mut self, body: &Prepared, state: &mut BodyState, cues: &Cues, h: f64) {
        self.unknowns.write(body.model(), state, cues, h, Rule::Euler);
        self.unknowns.settle(body.model(), state, cues, h);
        if let Memory::Springs { length_m, inner_secs } = &mut state.memory {
            // An implicit step takes lengths at the interval's end and has no use for those before.
            length_m.clear();
            *inner_secs = 0.0;
            if self.inner.gave_up {
                length_m.extend(self.asked.iter().map(|asked| asked.length_m));
            }
        }
    }

    fn model(body: &Prepared) -> BodyModel<'_> {
        body.model()
    }

    fn unknowns(&self) -> &Unknowns {
        &self.unknowns
    }

    fn unknowns_mut(&mut self) -> &mut Unknowns {
        &mut self.unknowns
    }

    fn has_moved(&mut self) {
        self.place_all();
    }

    fn step_together(members: &mut [Member<'_, Self>], contacts: &[BodyContact]) -> bool {
        adaptive::step(members, contacts)
    }
}
