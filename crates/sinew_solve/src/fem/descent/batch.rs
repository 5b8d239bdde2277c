//! Bodies that are swept together: one law, one number of sweeps, one set of lanes.

use super::contract::contracted;
use super::dampers::{self, Damped, Dampers};
use super::kernel::{self, Answer, Contractions, Incidences, Sweep, Turns, Vertices};
use super::laws::{Corotated, Law, NeoHookean, StVenantKirchhoff};
use super::layout::{Layout, OTHERS};
use super::member::{Member, place_of};
use crate::fem::body::Interval;
use crate::fem::element::RestTet;
use crate::implicit::{Press, damping_factor};
use crate::shape_matching::lanes::gather::Point;
use crate::shape_matching::lanes::{BLOCK, Slot};
use crate::shape_matching::passes::Path;
use crate::{Cells, Cues, Memory, Row, StretchLaw};
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DQuat, DVec3, Sym3};

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
    pub(super) found: Vec<(Row, Press)>,
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

    /// Puts a body into the lanes.
    pub(super) fn load(&mut self, member: &mut Member, at: &Interval<'_>) {
        self.measure(member, at.cues);
        let guess = member.first_places();
        for (i, (ahead, guess)) in member.ahead.iter().zip(guess).enumerate() {
            let slot = self.layout.slot_of[member.first_point + i] as usize;
            let (inertia, pull) = member.inertia(at, i);
            let (vertices, lane) = (&mut self.vertices[slot / BLOCK], slot % BLOCK);
            put(&mut vertices.target, lane, ahead.to_array());
            vertices.matrix[..3].iter_mut().for_each(|slot| slot.0[lane] = inertia as f32);
            if pull != DVec3::ZERO {
                put(&mut vertices.pull, lane, pull.to_array());
            }
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
                // Asked to be inverted.
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
    pub(super) fn read_turns(&self, first_tet: usize, frame: DQuat, rotation: &mut [DQuat]) {
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
        let slots = &self.layout.slot_of[member.first_point..];
        for (i, slot) in slots.iter().take(member.rest.len()).map(|slot| *slot as usize).enumerate() {
            self.starts[slot] = point(member.start(at, i));
            self.rates[slot] = Point([(rate * damping_factor(at.cues, i)) as f32, 0.0, 0.0, 0.0]);
            self.damped[slot / BLOCK].ratio.0[slot % BLOCK] = (lambda / mu) as f32;
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

    pub(super) fn clear_outside(&mut self, point: usize) {
        let slot = self.layout.slot_of[point] as usize;
        let (vertices, lane) = (&mut self.vertices[slot / BLOCK], slot % BLOCK);
        put(&mut vertices.push, lane, [0.0; 3]);
        put(&mut vertices.grip, lane, [0.0; 6]);
    }

    /// Adds what acts on a row to its points. They may all move at once, in which case the row moves by the sum: each
    /// point's matrix is |w| Σ|w| times the row's, which bounds the sum from above (Jensen), so that nothing overshoots.
    pub(super) fn spread(&mut self, terms: impl Iterator<Item = (usize, f64)> + Clone, press: &Press) {
        let reach: f64 = terms.clone().map(|(_, weight)| weight.abs()).sum();
        self.spread_within(terms, press, reach);
    }

    /// The same for a part of a row whose weights sum to `reach`.
    pub(super) fn spread_within(&mut self, terms: impl Iterator<Item = (usize, f64)>, press: &Press, reach: f64) {
        for (point, weight) in terms {
            let slot = self.layout.slot_of[point] as usize;
            let (vertices, lane) = (&mut self.vertices[slot / BLOCK], slot % BLOCK);
            add(&mut vertices.push, lane, (press.gradient * weight).to_array());
            add(&mut vertices.grip, lane, six(press.matrix * (weight.abs() * reach)));
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

    /// The same in some points, and in those that share their lanes.
    pub(super) fn find_gradient_at(&mut self, points: impl Iterator<Item = usize>) {
        let mut groups: Vec<usize> = points.map(|point| self.layout.slot_of[point] as usize / BLOCK).collect();
        groups.sort_unstable();
        groups.dedup();
        let mut gradient = std::mem::take(&mut self.gradient);
        gradient.resize(self.points.len(), Point::ZERO);
        for group in groups {
            self.run(group..group + 1, &mut gradient[group * BLOCK..][..BLOCK], Answer::Gradients, false);
        }
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
