//! Bodies that are swept together: one law, one number of sweeps, one set of lanes.

mod load;

use super::dampers::{self, Damped, Dampers};
use super::kernel::{self, Answer, Contractions, Incidences, Sweep, Turns, Vertices};
use super::layout::Layout;
use super::member::place_of;
use crate::implicit::PenaltyForce;
use crate::simd::Path;
use crate::simd::gather::Point;
use crate::simd::{BLOCK, Slot};
use crate::{Row, StretchLaw};
use sinew_math::{DVec3, Sym3};

/// Groups that one thread takes at a time.
const PIECE: usize = 24;

pub(super) struct Batch {
    pub(super) law: StretchLaw,
    path: Path,
    pub(super) layout: Layout,
    incidences: Vec<Incidences>,
    contractions: Vec<Contractions>,
    turns: Vec<Turns>,
    dampers: Vec<Dampers>,
    damped: Vec<Damped>,
    starts: Vec<Point>,
    /// β/h at every slot.
    rates: Vec<Point>,
    vertices: Vec<Vertices>,
    pub(super) points: Vec<Point>,
    /// Where the vertices of a colour go.
    next: Vec<Point>,
    /// Where the present sweep began, and where the one before had led.
    pub(super) entered: Vec<Point>,
    pub(super) before: Vec<Point>,
    /// Gradients, where pins ask for them.
    pub(super) gradient: Vec<Point>,
    is_contracted: bool,
    is_damped: bool,
    /// Whether rotations were found in this step.
    is_near: bool,
    pub(super) found: Vec<(Row, PenaltyForce)>,
}

impl Batch {
    /// For bodies given by their number of points and tetrahedra.
    pub(super) fn new(law: StretchLaw, path: Path, bodies: &[(usize, &[[u32; 4]])]) -> Self {
        let (layout, incidences) = Layout::new(bodies);
        let turn = [Slot::ZERO, Slot::ZERO, Slot::ZERO, Slot([1.0; BLOCK])];
        let turns = if law == StretchLaw::Corotated { vec![turn; incidences.len()] } else { Vec::new() };
        Self {
            law,
            path,
            vertices: vec![Vertices::EMPTY; layout.groups.len()],
            points: vec![Point::ZERO; layout.slots()],
            next: vec![Point::ZERO; layout.slots()],
            entered: vec![Point::ZERO; layout.slots()],
            before: vec![Point::ZERO; layout.slots()],
            gradient: Vec::new(),
            contractions: Vec::new(),
            turns,
            dampers: Vec::new(),
            damped: Vec::new(),
            starts: Vec::new(),
            rates: Vec::new(),
            layout,
            incidences,
            is_contracted: false,
            is_damped: false,
            is_near: false,
            found: Vec::new(),
        }
    }

    /// What of the bodies' wishes needs lanes of its own in this interval.
    pub(super) fn begin(&mut self, is_contracted: bool, is_damped: bool) {
        (self.is_contracted, self.is_damped, self.is_near) = (is_contracted, is_damped, false);
        self.vertices.iter_mut().for_each(Vertices::clear);
        if is_contracted && self.contractions.is_empty() {
            self.contractions.resize(self.incidences.len(), [Slot::ZERO; 9]);
        }
        if is_damped && self.dampers.is_empty() {
            self.dampers.resize(self.incidences.len(), Dampers::EMPTY);
            self.damped.resize(self.layout.groups.len(), Damped::EMPTY);
            self.starts.resize(self.points.len(), Point::ZERO);
            self.rates.resize(self.points.len(), Point::ZERO);
        }
    }

    /// Makes dampers of what all bodies began with.
    pub(super) fn start_dampers(&mut self, parallel: bool) {
        if !self.is_damped {
            return;
        }
        let path = self.path;
        let start = dampers::Start {
            groups: &self.layout.groups,
            first: 0,
            damped: &mut self.damped,
            dampers: &mut self.dampers,
            turns: &self.turns,
            incidences: &self.incidences,
            starts: &self.starts,
            rates: &self.rates,
        };
        share_out(start, &|start| dampers::start(path, start), if parallel { PIECE } else { usize::MAX });
    }

    pub(super) fn place(&self, point: usize) -> DVec3 {
        place_of(&self.points, &self.layout.slot_of, point)
    }

    pub(super) fn set_place(&mut self, number: usize, u: DVec3) {
        self.points[self.layout.slot_of[number] as usize] = point(u);
    }

    /// How far a point has moved since sweeps began.
    pub(super) fn swept_by(&self, point: usize) -> DVec3 {
        self.place(point) - place_of(&self.entered, &self.layout.slot_of, point)
    }

    pub(super) fn clear_external(&mut self, point: usize) {
        let slot = self.layout.slot_of[point] as usize;
        let (vertices, lane) = (&mut self.vertices[slot / BLOCK], slot % BLOCK);
        put(&mut vertices.push, lane, [0.0; 3]);
        put(&mut vertices.grip, lane, [0.0; 6]);
    }

    /// Whether contact or a term on several points acts on a point.
    pub(super) fn is_gripped(&self, point: usize) -> bool {
        let slot = self.layout.slot_of[point] as usize;
        self.vertices[slot / BLOCK].grip[..3].iter().any(|grip| grip.0[slot % BLOCK] != 0.0)
    }

    /// Adds what acts on a row to its points. They may all move at once, in which case the row moves by the sum: each
    /// point's matrix is |w| Σ|w| times the row's, which bounds the sum from above (Jensen), so that nothing overshoots.
    pub(super) fn spread(&mut self, terms: impl Iterator<Item = (usize, f64)> + Clone, penalty: &PenaltyForce) {
        let reach: f64 = terms.clone().map(|(_, weight)| weight.abs()).sum();
        self.spread_within(terms, penalty, reach);
    }

    /// The same for a part of a row whose weights sum to `reach`.
    pub(super) fn spread_within(
        &mut self,
        terms: impl Iterator<Item = (usize, f64)>,
        penalty: &PenaltyForce,
        reach: f64,
    ) {
        for (point, weight) in terms {
            let slot = self.layout.slot_of[point] as usize;
            let (vertices, lane) = (&mut self.vertices[slot / BLOCK], slot % BLOCK);
            add(&mut vertices.push, lane, (penalty.gradient * weight).to_array());
            add(&mut vertices.grip, lane, six(penalty.bound * (weight.abs() * reach)));
        }
    }

    /// Sweeps begin here.
    pub(super) fn enter(&mut self) {
        self.entered.copy_from_slice(&self.points);
    }

    /// Every vertex once, colour after colour.
    pub(super) fn sweep(&mut self, parallel: bool) {
        for colour in self.layout.colours.clone() {
            let slots = colour.start * BLOCK..colour.end * BLOCK;
            let mut next = std::mem::take(&mut self.next);
            self.run(colour, &mut next[slots.clone()], Answer::Places, parallel);
            self.points[slots.clone()].copy_from_slice(&next[slots]);
            self.next = next;
        }
        self.is_near = true;
    }

    /// The gradient of the objective in every vertex.
    pub(super) fn find_gradient(&mut self, parallel: bool) {
        let mut gradient = std::mem::take(&mut self.gradient);
        gradient.resize(self.points.len(), Point::ZERO);
        self.run(0..self.layout.groups.len(), &mut gradient, Answer::Gradients, parallel);
        self.gradient = gradient;
    }

    fn run(&mut self, groups: std::ops::Range<usize>, out: &mut [Point], answer: Answer, parallel: bool) {
        let (law, path) = (self.law, self.path);
        let all = &self.layout.groups[groups.clone()];
        let blocks =
            all.first().map_or(0, |group| group.blocks().start)..all.last().map_or(0, |group| group.blocks().end);
        let sweep = Sweep {
            groups: all,
            first: groups.start,
            vertices: &self.vertices[groups.clone()],
            damped: if self.is_damped { &self.damped[groups] } else { &[] },
            turns: if self.turns.is_empty() { &mut [] } else { &mut self.turns[blocks] },
            out,
            answer,
            is_near: self.is_near && answer == Answer::Places,
            incidences: &self.incidences,
            contractions: if self.is_contracted { &self.contractions } else { &[] },
            dampers: if self.is_damped { &self.dampers } else { &[] },
            points: &self.points,
        };
        let kernel = match law {
            StretchLaw::NeoHookean => kernel::neo_hookean,
            StretchLaw::Corotated => kernel::corotated,
            StretchLaw::StVenantKirchhoff => kernel::st_venant_kirchhoff,
        };
        share_out(sweep, &|sweep| kernel(path, sweep), if parallel { PIECE } else { usize::MAX });
    }
}

/// Work on groups that can be shared out.
trait Halves: Send + Sized {
    fn groups(&self) -> usize;
    fn in_halves(self) -> (Self, Self);
}

impl Halves for Sweep<'_> {
    fn groups(&self) -> usize {
        self.groups.len()
    }

    fn in_halves(self) -> (Self, Self) {
        self.halves()
    }
}

impl Halves for dampers::Start<'_> {
    fn groups(&self) -> usize {
        self.groups.len()
    }

    fn in_halves(self) -> (Self, Self) {
        self.halves()
    }
}

/// Halves until pieces are small, on as many threads as there are. Vertices of one colour do not look at each other.
fn share_out<W: Halves>(work: W, kernel: &(impl Fn(W) + Sync), piece: usize) {
    if work.groups() <= piece {
        return kernel(work);
    }
    let (first, second) = work.in_halves();
    rayon::join(|| share_out(first, kernel, piece), || share_out(second, kernel, piece));
}

fn six(m: Sym3) -> [f64; 6] {
    [m.xx, m.yy, m.zz, m.xy, m.yz, m.zx]
}

pub(super) fn point(u: DVec3) -> Point {
    Point([u.x as f32, u.y as f32, u.z as f32, 0.0])
}

fn put<const K: usize>(slots: &mut [Slot; K], lane: usize, values: [f64; K]) {
    for (slot, value) in slots.iter_mut().zip(values) {
        slot.0[lane] = value as f32;
    }
}

fn add<const K: usize>(slots: &mut [Slot; K], lane: usize, values: [f64; K]) {
    for (slot, value) in slots.iter_mut().zip(values) {
        slot.0[lane] += value as f32;
    }
}
