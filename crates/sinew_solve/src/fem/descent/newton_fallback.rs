//! The fallback to Newton's method for bodies that sweeps do not reach across.
//!
//! A sweep passes a push on by about a cell. Where pressure waves cross many more cells in a step than there are sweeps, the low modes
//! (stretching, bending, twisting) stay unfinished: the body looks soft, and since the next step starts from the motion that
//! was left over, it may even gain energy. Conjugate gradients on the assembled matrix reach across the body for a third of the time
//! that a sweep takes, so that they are the coarse correction. Both methods minimise the same objective.
//!
//! A body goes to Newton's method with its whole island: at once where its stiffness says that sweeps cannot reach
//! ([`CELLS_PER_SWEEP`]), or after them where its residual says so.

use crate::fem::body::FemScratch;
use crate::fem::{FemBody, FemError};
use crate::implicit::Islands;
use crate::{BodyState, Cells, Row, StepInput};
use sinew_math::DVec3;

/// Cells that pressure may cross in a step for each sweep; beyond, sweeps are not even begun. Measured on bars of 1e4 to 1e8 Pa: the
/// residual of sweeps passes a hundredth at about 0.6.
const CELLS_PER_SWEEP: f64 = 0.6;

/// The same for bodies that touch others: contacts keep sweeps busy. Measured on piles of 1e5 to 1e7 Pa: from here on Newton's method takes no longer
/// than ten sweeps do and lies a hundred times as still.
const CELLS_TOGETHER: f64 = 0.3;

/// Bodies that touch and have no more points than this together go to Newton's method at once: it takes about as long as ten sweeps, and slides, rests and bounces by few sweeps are wrong. A block of
/// 0.1 MPa stuck on a slope of 0.7 with friction of 0.5 at ten sweeps, and stacks of two stirred at a centimetre a second at forty.
const FEW_POINTS: usize = 2000;

/// A step that goes on from sweeps and ends with more than this share of the forces unbalanced is begun anew.
const FAR: f64 = 0.1;

/// Up to this many bodies that touch may go on by Newton's method after sweeps. In a larger pile that takes ten times as long (scene `pile`): its residual is told instead.
const FEW: u32 = 6;

/// Bodies that touch, up to [`FEW`], go on by Newton's method where sweeps leave more than this share of the forces unbalanced.
const MOST_UNBALANCED: f64 = 0.3;

/// What an island has.
#[derive(Debug, Clone, Copy, Default)]
struct Crowd {
    bodies: u32,
    points: usize,
}

/// How a step ended: state, residual and pins' forces.
type Ended = (BodyState, f64, Vec<(Row, DVec3)>);

pub(super) struct NewtonFallback {
    bodies: Vec<FemBody>,
    scratch: Vec<FemScratch>,
    islands: Islands,
    /// Whether Newton's method takes a body in this step.
    taken: Vec<bool>,
    /// Whether somebody else steps a body.
    elsewhere: Vec<bool>,
    /// Cells that pressure crosses in a second, over the body's sweeps.
    cells_per_sec: Vec<f64>,
    /// Sums of squares of each island: forces that do not balance, and those that move it.
    sums: Vec<(f64, f64)>,
    crowds: Vec<Crowd>,
}

impl NewtonFallback {
    pub(super) fn new<'a>(bodies: impl Iterator<Item = &'a FemBody>) -> Result<Self, FemError> {
        let bodies: Vec<FemBody> = bodies.cloned().collect();
        let scratch = bodies.iter().map(FemScratch::new).collect::<Result<_, _>>()?;
        let count = bodies.len();
        let cells_per_sec = bodies.iter().map(|body| pressure_cells_per_sec(body) / f64::from(super::iterations(body)));
        Ok(Self {
            cells_per_sec: cells_per_sec.collect(),
            scratch,
            islands: Islands::new(count),
            taken: vec![false; count],
            elsewhere: vec![false; count],
            sums: vec![(0.0, 0.0); count],
            crowds: vec![Crowd::default(); count],
            bodies,
        })
    }

    /// Takes islands with a body that sweeps cannot reach across; bodies that do not take part are left out.
    pub(super) fn choose(&mut self, input: &StepInput<'_>, takes_part: impl Fn(usize) -> bool) {
        let count = self.taken.len();
        self.elsewhere = (0..count).map(|number| !takes_part(number)).collect();
        self.taken = (0..count).map(|number| !self.reaches(number, CELLS_PER_SWEEP, input.h_secs)).collect();
        if !input.touching.is_empty() {
            self.islands.divide(input.touching);
            self.count_crowds();
            for number in 0..count {
                let Crowd { bodies, points } = self.crowds[self.islands.of(number)];
                if bodies > 1 {
                    let most = if points <= FEW_POINTS { 0.0 } else { CELLS_TOGETHER };
                    self.taken[number] = !self.reaches(number, most, input.h_secs);
                }
            }
            self.spread();
        }
        self.taken.iter_mut().zip(&self.elsewhere).for_each(|(taken, elsewhere)| *taken |= elsewhere);
        self.scratch.iter_mut().for_each(|scratch| scratch.unknowns.give(std::iter::empty()));
    }

    /// Whether sweeps reach across a body where pressure may cross `most` cells for each.
    fn reaches(&self, number: usize, most: f64, h_secs: f64) -> bool {
        let is_exact = self.bodies[number].params.sweep_tolerance.is_infinite();
        is_exact || self.cells_per_sec[number] * h_secs <= most
    }

    fn count_crowds(&mut self) {
        self.crowds.fill(Crowd::default());
        for (number, body) in self.bodies.iter().enumerate() {
            let crowd = &mut self.crowds[self.islands.of(number)];
            crowd.bodies += 1;
            crowd.points += body.flesh.point_count();
        }
    }

    /// What touches a body that is taken is taken with it.
    fn spread(&mut self) {
        let Self { islands, taken, .. } = self;
        for number in 0..taken.len() {
            let island = islands.of(number);
            taken[island] |= taken[number];
        }
        for number in 0..taken.len() {
            taken[number] = taken[islands.of(number)];
        }
    }

    pub(super) fn is_all(&self) -> bool {
        self.taken.iter().all(|taken| *taken)
    }

    pub(super) fn takes(&self, body: usize) -> bool {
        self.taken[body]
    }

    /// Takes bodies that sweeps leave far from equilibrium. `unbalanced` are sums of squares for each body: forces that do not balance,
    /// and those that move it. Answers each body's residual.
    pub(super) fn judge(
        &mut self,
        input: &StepInput<'_>,
        unbalanced: impl Iterator<Item = (f64, f64)>,
        residuals: &mut [f64],
    ) {
        self.islands.divide(input.touching);
        self.sums.fill((0.0, 0.0));
        for (number, (left, moving)) in unbalanced.enumerate() {
            let sums = &mut self.sums[self.islands.of(number)];
            *sums = (sums.0 + left, sums.1 + moving);
        }
        self.count_crowds();
        for (number, residual) in residuals.iter_mut().enumerate() {
            let (left, moving) = self.sums[self.islands.of(number)];
            *residual = if left > 0.0 { (left / moving).sqrt() } else { 0.0 };
            let tolerance = self.bodies[number].params.sweep_tolerance;
            let most = match self.crowds[self.islands.of(number)].bodies {
                0..=1 => tolerance,
                2..=FEW => tolerance.max(MOST_UNBALANCED),
                _ => f64::INFINITY,
            };
            self.taken[number] |= *residual > most;
        }
        self.spread();
    }

    /// Gives Newton's method the places where sweeps have led, or none.
    pub(super) fn give(&mut self, body: usize, places: impl Iterator<Item = DVec3>) {
        self.scratch[body].unknowns.give(places);
    }

    /// Steps what is taken. Where it went on from places that sweeps had led astray and did not get to the end, it begins anew from its own guesses, and what
    /// ends closer to equilibrium is kept: a bar that is pulled to twenty times its length gained a thousand times its energy in one step.
    pub(super) fn step(&mut self, states: &mut [BodyState], input: &StepInput<'_>) {
        let Self { bodies, scratch, islands, taken, elsewhere, .. } = self;
        let takes = |number: usize| taken[number] && !elsewhere[number];
        if !(0..taken.len()).any(takes) {
            return;
        }
        let was_given = |scratch: &[FemScratch], number: usize| takes(number) && scratch[number].unknowns.is_given();
        let kept = |number: usize| was_given(scratch, number).then(|| states[number].clone());
        let before: Vec<Option<BodyState>> = (0..taken.len()).map(kept).collect();
        islands.step(bodies, scratch, states, input, takes);
        let is_far = |number: usize| before[number].is_some() && scratch[number].unknowns.residual > FAR;
        let far: Vec<bool> = (0..taken.len()).map(is_far).collect();
        if !far.contains(&true) {
            return;
        }
        let mut first: Vec<Option<Ended>> = vec![None; taken.len()];
        for number in (0..taken.len()).filter(|&number| far[number]) {
            let Some(before) = &before[number] else { continue };
            let unknowns = &mut scratch[number].unknowns;
            first[number] = Some((states[number].clone(), unknowns.residual, unknowns.reactions.clone()));
            states[number].clone_from(before);
            unknowns.give(std::iter::empty());
        }
        islands.step(bodies, scratch, states, input, |number| far[number]);
        for (number, first) in first.into_iter().enumerate() {
            let Some((state, residual, reactions)) = first else { continue };
            let unknowns = &mut scratch[number].unknowns;
            if residual < unknowns.residual {
                states[number] = state;
                (unknowns.residual, unknowns.reactions) = (residual, reactions);
            }
        }
    }

    /// Pins' forces and residual of a body that was taken.
    pub(super) fn answer(&self, body: usize) -> Option<(&Vec<(Row, DVec3)>, f64)> {
        let unknowns = &self.scratch[body].unknowns;
        self.taken[body].then_some((&unknowns.reactions, unknowns.residual))
    }
}

/// How many cells pressure waves cross in a second.
fn pressure_cells_per_sec(body: &FemBody) -> f64 {
    let Cells::Tets(tets) = &body.flesh.cells else { return 0.0 };
    let (lambda_pa, mu_pa) = body.material.lame();
    let density = body.material.density_kg_m3;
    // Five tetrahedra make a cube.
    let cell_m = (5.0 * body.flesh.total_mass_kg() / density / tets.len().max(1) as f64).cbrt();
    ((lambda_pa + 2.0 * mu_pa) / density).sqrt() / cell_m
}
