//! Tetrahedra as elements, eight at once: what `elements.rs` does for any element, with the arithmetic of `element.rs` in lanes.
//!
//! Points are split into pieces, each with all the tetrahedra that reach it, in order. A piece adds up what its own points and its own
//! rows of the matrix get, so that pieces go side by side and every sum has the same order whatever the number of threads; a
//! tetrahedron on a border is computed by each piece that it reaches.

mod blocks;
mod kernel;
mod laws;
mod principal;

use super::element::RestTet;
use super::law::Law;
use crate::StretchLaw;
use crate::implicit::BlockMatrix;
use crate::material::with_poisson_shifted;
use crate::simd::Path;
use crate::simd::double::{OCTET, Octet, Place};
use crate::{Cues, Flesh, Material};
use blocks::PAIRS;
use kernel::{Damper, NO_TURNS, Octets, Targets, Turns, Where};
use rayon::prelude::*;
use sinew_math::{DQuat, DVec3};
use std::ops::Range;

/// Points of a piece at most.
const LARGEST_PIECE: usize = 4096;
/// A body has up to [`WORTH_SHARING`] pieces, for as many threads, that have at least so many points: tetrahedra between pieces are worked out by each.
const SMALLEST_PIECE: usize = 1024;
const WORTH_SHARING: usize = 4;
/// Tetrahedra measured at a time.
const MEASURED: usize = 256;
/// Of what a piece does not own.
const NOT_HERE: u32 = u32::MAX;

/// β/h of a tetrahedron, by its points.
pub(super) type Rate<'a> = &'a (dyn Fn(&[u32]) -> f64 + Sync);

type GradientKernel = fn(Path, &[Octets], &mut [Turns], &[Targets], &Where<'_>, &mut [Place], &mut f64);

pub(super) struct Tets {
    tets: Vec<[u32; 4]>,
    law: StretchLaw,
    path: Path,
    pieces: Vec<Piece>,
    /// Points of a piece; the last one may have fewer.
    piece_points: usize,
    /// The piece that counts a tetrahedron's energy, and its number there.
    home: Vec<(u32, u32)>,
    places: Vec<Place>,
    /// Where points were when the interval began; empty where nothing is damped.
    starts: Vec<Place>,
    rest: Vec<RestTet>,
    /// Whether `rest` is that of flesh of which nothing is asked.
    is_own_rest: bool,
}

struct Piece {
    rows: Range<usize>,
    tets: Vec<u32>,
    octets: Vec<Octets>,
    turns: Vec<Turns>,
    targets: Vec<Targets>,
    dampers: Vec<Damper>,
    pulls: Vec<Place>,
}

impl Tets {
    pub(super) fn new(tets: &[[u32; 4]], points: usize, law: StretchLaw) -> Self {
        let mut home = vec![(NOT_HERE, 0); tets.len()];
        let piece_points = piece_points(points);
        let mut reached = vec![Vec::new(); points.div_ceil(piece_points).max(1)];
        for (number, corners) in tets.iter().enumerate() {
            let mut pieces = corners.map(|v| v as usize / piece_points);
            pieces.sort_unstable();
            home[number] = (pieces[0] as u32, reached[pieces[0]].len() as u32);
            for (k, &piece) in pieces.iter().enumerate() {
                if k == 0 || pieces[k - 1] != piece {
                    reached[piece].push(number as u32);
                }
            }
        }
        let pieces = reached.into_iter().enumerate();
        let piece = |(number, of): (usize, Vec<u32>)| {
            let rows = number * piece_points..points.min((number + 1) * piece_points);
            Piece::new(tets, rows, of, |tet| home[tet as usize].0 as usize == number)
        };
        Self {
            pieces: pieces.map(piece).collect(),
            piece_points,
            tets: tets.to_vec(),
            law,
            path: Path::best(),
            home,
            places: vec![Place::ZERO; points],
            starts: Vec::new(),
            rest: vec![RestTet::NONE; tets.len()],
            is_own_rest: false,
        }
    }

    /// A matrix with a place for every pair of points that share a tetrahedron.
    pub(super) fn matrix(&mut self) -> BlockMatrix {
        let mut rings = vec![Vec::new(); self.places.len()];
        for corners in &self.tets {
            for &v in corners {
                rings[v as usize].extend(corners.iter().copied().filter(|&other| other != v));
            }
        }
        for ring in &mut rings {
            ring.sort_unstable();
            ring.dedup();
        }
        let matrix = BlockMatrix::new(&rings);
        for piece in &mut self.pieces {
            piece.find_blocks(&self.tets, &matrix);
        }
        matrix
    }

    /// Rest shapes as asked; a tetrahedron asked to be inverted keeps its own rest shape.
    pub(super) fn measure_rest(&mut self, flesh: &Flesh, material: &Material, cues: &Cues) {
        let is_own_rest = cues.log_stretch.is_empty()
            && cues.rest_offset.is_empty()
            && cues.stiffness.is_empty()
            && cues.poisson.is_empty();
        if is_own_rest && self.is_own_rest {
            return;
        }
        self.is_own_rest = is_own_rest;
        let none = Cues::default();
        self.rest.par_iter_mut().with_min_len(MEASURED).zip(&self.tets).for_each(|(rest, corners)| {
            let asked = RestTet::asked(flesh, *corners, cues).or_else(|| RestTet::asked(flesh, *corners, &none));
            *rest = asked.unwrap_or(RestTet::NONE);
        });
        let even = material.lame();
        let (rest, tets) = (&self.rest, &self.tets);
        self.pieces.par_iter_mut().for_each(|piece| {
            for (at, &tet) in piece.tets.iter().enumerate() {
                let (rest, order) = (&rest[tet as usize], order_of(tets[tet as usize]));
                let shift = rest.poisson_shift;
                let (lambda_pa, mu_pa) = if shift == 0.0 { even } else { with_poisson_shifted(even, shift) };
                let law = Law { kind: material.law, lambda_pa, mu_pa };
                piece.octets[at / OCTET].set_rest(rest, order, &law, at % OCTET);
            }
        });
    }

    /// Takes up the rotations of the step before, and what damps from `x` on with `rate` per tetrahedron; none where nothing does.
    pub(super) fn begin(&mut self, x: &[DVec3], warm: impl Fn(usize) -> DQuat + Sync, rate: Option<Rate<'_>>) {
        let (tets, path) = (&self.tets, self.path);
        self.starts.clear();
        if rate.is_some() {
            self.starts.extend(x.iter().map(|x| Place([x.x, x.y, x.z, 0.0])));
        }
        let starts = &self.starts;
        self.pieces.par_iter_mut().for_each(|piece| {
            for (at, &tet) in piece.tets.iter().enumerate() {
                let turn = warm(tet as usize).to_array();
                for (octet, value) in piece.turns[at / OCTET].iter_mut().zip(turn) {
                    octet.0[at % OCTET] = value;
                }
            }
            piece.dampers.clear();
            let Some(rate) = rate else { return };
            kernel::find_turns(path, &piece.octets, &mut piece.turns, starts);
            piece.dampers.extend(piece.turns.iter().map(|turn| Damper { turn: *turn, rate: Octet::ZERO }));
            for (at, &tet) in piece.tets.iter().enumerate() {
                piece.dampers[at / OCTET].rate.0[at % OCTET] = rate(&tets[tet as usize]);
            }
        });
    }

    fn place_points(&mut self, place: impl Fn(usize) -> DVec3) {
        for (v, to) in self.places.iter_mut().enumerate() {
            let x = place(v);
            *to = Place([x.x, x.y, x.z, 0.0]);
        }
    }

    /// Finds the gradients of elasticity and damping with the points at `place`, for [`Self::add_pulls`]; gives their energy.
    pub(super) fn find_pulls(&mut self, place: impl Fn(usize) -> DVec3) -> f64 {
        self.place_points(place);
        let run = self.gradient_kernel();
        let Self { path, pieces, places, starts, .. } = self;
        let mut energies = vec![0.0; pieces.len()];
        pieces.par_iter_mut().zip(&mut energies).for_each(|(piece, energy)| {
            let Piece { octets, turns, targets, dampers, pulls, .. } = piece;
            pulls.fill(Place::ZERO);
            run(*path, octets, turns, targets, &Where { now: places, start: starts, dampers }, pulls, energy);
        });
        energies.iter().sum()
    }

    /// Finds and adds them for corotated tetrahedra, and fills the matrix of the classic linearised step on the way: linear elasticity turned, without how rotations
    /// change.
    pub(super) fn linearise(
        &mut self,
        place: impl Fn(usize) -> DVec3,
        gradient: &mut [DVec3],
        matrix: &mut BlockMatrix,
    ) -> f64 {
        self.place_points(place);
        let Self { path, pieces, piece_points, places, starts, .. } = self;
        let mut energies = vec![0.0; pieces.len()];
        let values = matrix.split_rows(*piece_points);
        pieces.par_iter_mut().zip(&mut energies).zip(values).for_each(|((piece, energy), values)| {
            let values: &mut [[f64; 9]] = bytemuck::cast_slice_mut(values);
            values.fill([0.0; 9]);
            let Piece { octets, turns, targets, dampers, pulls, .. } = piece;
            pulls.fill(Place::ZERO);
            let at = Where { now: places, start: starts, dampers };
            kernel::linearise(*path, octets, turns, targets, &at, pulls, values, energy);
        });
        self.add_pulls(gradient);
        energies.iter().sum()
    }

    /// Adds the gradients at the points that are `wanted`, and perhaps parts of those at others.
    pub(super) fn add_gradient_at(
        &mut self,
        wanted: impl Fn(usize) -> bool + Sync,
        place: impl Fn(usize) -> DVec3,
        gradient: &mut [DVec3],
    ) {
        self.place_points(place);
        let run = self.gradient_kernel();
        let Self { path, pieces, places, starts, .. } = self;
        pieces.par_iter_mut().for_each(|piece| {
            let Piece { octets, turns, targets, dampers, pulls, .. } = piece;
            pulls.fill(Place::ZERO);
            for number in 0..octets.len() {
                let mut corners = octets[number].corners.iter().flatten();
                if corners.any(|&corner| wanted(corner as usize)) {
                    let only = number..number + 1;
                    let dampers = dampers.get(only.clone()).unwrap_or_default();
                    let at = Where { now: places, start: starts, dampers };
                    let turns = &mut turns[only.clone()];
                    run(*path, &octets[only.clone()], turns, &targets[only], &at, pulls, &mut 0.0);
                }
            }
        });
        self.add_pulls(gradient);
    }

    /// Adds the gradients that were found last.
    pub(super) fn add_pulls(&self, gradient: &mut [DVec3]) {
        for piece in &self.pieces {
            for (gradient, Place([x, y, z, _])) in gradient[piece.rows.clone()].iter_mut().zip(&piece.pulls) {
                *gradient += DVec3::new(*x, *y, *z);
            }
        }
    }

    fn gradient_kernel(&self) -> GradientKernel {
        match self.law {
            StretchLaw::Corotated => kernel::corotated_gradient,
            StretchLaw::StVenantKirchhoff => kernel::st_venant_gradient,
            StretchLaw::NeoHookean => kernel::neo_hookean_gradient,
        }
    }

    /// Energy of elasticity and damping with the points at `place`.
    pub(super) fn energy(&mut self, place: impl Fn(usize) -> DVec3) -> f64 {
        self.energy_of(place, true)
    }

    /// Energy of elasticity alone.
    pub(super) fn elastic_energy(&mut self, place: impl Fn(usize) -> DVec3) -> f64 {
        self.energy_of(place, false)
    }

    fn energy_of(&mut self, place: impl Fn(usize) -> DVec3, is_damped: bool) -> f64 {
        self.place_points(place);
        let Self { law, path, pieces, places, starts, .. } = self;
        let run = match law {
            StretchLaw::Corotated => kernel::corotated_energy,
            StretchLaw::StVenantKirchhoff => kernel::st_venant_energy,
            StretchLaw::NeoHookean => kernel::neo_hookean_energy,
        };
        let mut energies = vec![0.0; pieces.len()];
        pieces.par_iter().zip(&mut energies).for_each(|(piece, energy)| {
            let dampers = if is_damped { &piece.dampers[..] } else { &[] };
            run(*path, &piece.octets, &piece.turns, &Where { now: places, start: starts, dampers }, energy);
        });
        energies.iter().sum()
    }

    /// Fills the matrix with the second derivatives of elasticity and damping where gradients were asked for last.
    pub(super) fn assemble(&mut self, matrix: &mut BlockMatrix) {
        let Self { law, path, pieces, piece_points, places, starts, .. } = self;
        let run = match law {
            StretchLaw::Corotated => kernel::corotated_hessian,
            StretchLaw::StVenantKirchhoff => kernel::st_venant_hessian,
            StretchLaw::NeoHookean => kernel::neo_hookean_hessian,
        };
        let values = matrix.split_rows(*piece_points);
        pieces.par_iter_mut().zip(values).for_each(|(piece, values)| {
            let values: &mut [[f64; 9]] = bytemuck::cast_slice_mut(values);
            values.fill([0.0; 9]);
            let Piece { octets, turns, targets, dampers, .. } = piece;
            run(*path, octets, turns, targets, &Where { now: places, start: starts, dampers }, values);
        });
    }

    /// The rotations found last.
    pub(super) fn turns(&self) -> impl Iterator<Item = DQuat> {
        self.home.iter().map(|&(piece, at)| {
            let (turn, lane) = (&self.pieces[piece as usize].turns[at as usize / OCTET], at as usize % OCTET);
            DQuat::from_array([turn[0].0[lane], turn[1].0[lane], turn[2].0[lane], turn[3].0[lane]])
        })
    }
}

/// Even pieces, which depend on the body alone: any number of threads gives the same bits.
fn piece_points(points: usize) -> usize {
    let pieces = points.div_ceil(LARGEST_PIECE).max((points / SMALLEST_PIECE).min(WORTH_SHARING)).max(1);
    points.div_ceil(pieces).max(1)
}

/// Corners in order of their points.
fn order_of(corners: [u32; 4]) -> [usize; 4] {
    let mut order = [0, 1, 2, 3];
    order.sort_unstable_by_key(|&corner: &usize| corners[corner]);
    order
}

impl Octets {
    fn set_rest(&mut self, rest: &RestTet, order: [usize; 4], law: &Law, lane: usize) {
        for (a, &corner) in order[1..].iter().enumerate() {
            for (j, value) in rest.gradient[corner].to_array().into_iter().enumerate() {
                self.gradient[3 * a + j].0[lane] = value;
            }
        }
        self.stiffness.0[lane] = rest.volume_m3 * rest.stiffness * law.mu_pa;
        self.ratio.0[lane] = if law.mu_pa > 0.0 { law.lambda_pa / law.mu_pa } else { 0.0 };
    }
}

impl Piece {
    fn new(tets: &[[u32; 4]], rows: Range<usize>, of: Vec<u32>, is_home: impl Fn(u32) -> bool) -> Self {
        let count = of.len().div_ceil(OCTET);
        let nowhere = Targets { rows: [[NOT_HERE; OCTET]; 4], blocks: [[NOT_HERE; OCTET]; PAIRS] };
        let (mut octets, mut targets) = (vec![Octets::EMPTY; count], vec![nowhere; count]);
        for (at, &tet) in of.iter().enumerate() {
            let (octet, lane, corners) = (at / OCTET, at % OCTET, tets[tet as usize]);
            for (a, corner) in order_of(corners).into_iter().enumerate() {
                let vertex = corners[corner];
                octets[octet].corners[a][lane] = vertex;
                if rows.contains(&(vertex as usize)) {
                    targets[octet].rows[a][lane] = vertex - rows.start as u32;
                }
            }
            octets[octet].own.0[lane] = f64::from(u8::from(is_home(tet)));
        }
        let pulls = vec![Place::ZERO; rows.len()];
        Self { rows, tets: of, octets, turns: vec![NO_TURNS; count], targets, dampers: Vec::new(), pulls }
    }

    /// Where blocks of the tetrahedra are among the blocks of the piece's rows.
    fn find_blocks(&mut self, tets: &[[u32; 4]], matrix: &BlockMatrix) {
        let first = matrix.slots_of(self.rows.start).start;
        for (at, &tet) in self.tets.iter().enumerate() {
            let corners = tets[tet as usize];
            let sorted = order_of(corners).map(|corner| corners[corner]);
            let mut pair = 0;
            for (a, &row) in sorted.iter().enumerate() {
                for &column in &sorted[..=a] {
                    if self.rows.contains(&(row as usize))
                        && let Some(slot) = matrix.slot(row as usize, column)
                    {
                        let block = matrix.slots_of(row as usize).start + slot as usize - first;
                        self.targets[at / OCTET].blocks[pair][at % OCTET] = block as u32;
                    }
                    pair += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
