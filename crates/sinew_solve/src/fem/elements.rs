//! All elements of a body: tetrahedra as they are, or smoothed over edges.
//!
//! Linear tetrahedra are too stiff in bending. Smoothed (Nguyen-Thoi, Liu, Vu-Do, Nguyen-Xuan, "An edge-based smoothed finite
//! element method for visco-elastoplastic analyses of 2D solids", CMAME 2009, whose 3D form takes tetrahedra about an edge), an
//! element is an edge with a sixth of each tetrahedron around it, and its deformation gradient is their mean by volume. The unknowns
//! stay the points of the flesh, and constant strain stays exact.

use super::element::{Element, RestTet, Stiffness, Strained, block_at, block_count};
use super::law::Law;
use super::params::Smoothing;
use crate::implicit::BlockMatrix;
use crate::material::with_poisson_shifted;
use crate::{Cues, Flesh, Material};
use rayon::prelude::*;
use sinew_math::{DMat3, DQuat, DVec3};
use std::collections::BTreeMap;
use std::ops::Range;

/// Elements per parallel piece.
const PIECE: usize = 256;
/// Where the block of a pair goes that is above the diagonal: nowhere.
const ABOVE: u32 = u32::MAX;
/// Edges of a tetrahedron, by corners.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

pub(super) struct Elements {
    tets: Vec<[u32; 4]>,
    /// Corners of element e: `vertex[start[e]..start[e + 1]]`.
    start: Vec<u32>,
    vertex: Vec<u32>,
    /// What smoothed elements are made of; empty where the tetrahedra are the elements.
    parts: Vec<Part>,
    part_start: Vec<u32>,
    incident_start: Vec<u32>,
    incident: Vec<Incidence>,
    /// For each element and pair of corners, where the block goes in the matrix's row.
    slot: Vec<u32>,
    slot_start: Vec<u32>,
    block_start: Vec<u32>,
    rest_tet: Vec<RestTet>,
    gradient: Vec<DVec3>,
    rest: Vec<Rest>,
    strained: Vec<Strained>,
    blocks: Vec<DMat3>,
    damper: Vec<Stiffness>,
    /// Gradients of the damping energy at each element's corners.
    damping: Vec<DVec3>,
}

/// A tetrahedron's share in a smoothed element, and which corners of the element its corners are.
struct Part {
    tet: u32,
    corner: [u32; 4],
}

#[derive(Clone, Copy)]
struct Incidence {
    element: u32,
    corner: u32,
}

/// An element's rest data beside its gradients.
#[derive(Clone, Copy)]
struct Rest {
    volume_m3: f64,
    law: Law,
}

impl Elements {
    pub(super) fn new(tets: &[[u32; 4]], points: usize, smoothing: Smoothing) -> Self {
        let (corners, parts) = match smoothing {
            Smoothing::None => (tets.iter().map(|tet| tet.to_vec()).collect(), Vec::new()),
            Smoothing::Edges => edge_pieces(tets),
        };
        let starts = |lengths: &mut dyn Iterator<Item = usize>| {
            let sums = lengths.scan(0, |sum, length| {
                *sum += length as u32;
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect::<Vec<u32>>()
        };
        let mut of_vertex = vec![Vec::new(); points];
        for (element, corners) in corners.iter().enumerate() {
            for (corner, &vertex) in corners.iter().enumerate() {
                of_vertex[vertex as usize].push(Incidence { element: element as u32, corner: corner as u32 });
            }
        }
        let start = starts(&mut corners.iter().map(Vec::len));
        let block_start = starts(&mut corners.iter().map(|c| block_count(c.len())));
        let no_law = Rest { volume_m3: 0.0, law: Law::NONE };
        Self {
            slot_start: starts(&mut corners.iter().map(|c| c.len() * c.len())),
            slot: Vec::new(),
            incident_start: starts(&mut of_vertex.iter().map(Vec::len)),
            incident: of_vertex.into_iter().flatten().collect(),
            part_start: starts(&mut parts.iter().map(Vec::len)),
            parts: parts.into_iter().flatten().collect(),
            rest_tet: vec![RestTet::NONE; tets.len()],
            gradient: vec![DVec3::ZERO; *start.last().unwrap_or(&0) as usize],
            rest: vec![no_law; corners.len()],
            strained: vec![Strained::REST; corners.len()],
            blocks: vec![DMat3::ZERO; *block_start.last().unwrap_or(&0) as usize],
            damper: Vec::new(),
            damping: Vec::new(),
            tets: tets.to_vec(),
            vertex: corners.into_iter().flatten().collect(),
            start,
            block_start,
        }
    }

    /// How many elements flesh of these tetrahedra has.
    pub(super) fn count(tets: &[[u32; 4]], smoothing: Smoothing) -> usize {
        match smoothing {
            Smoothing::None => tets.len(),
            Smoothing::Edges => edge_pieces(tets).0.len(),
        }
    }

    /// A matrix with a place for every pair of points that share an element.
    pub(super) fn matrix(&mut self) -> BlockMatrix {
        let points = self.incident_start.len() - 1;
        let neighbours = |i: usize| {
            let all = self.incident_of(i).iter().flat_map(|one| &self.vertex[self.corners(one.element as usize)]);
            let mut all: Vec<u32> = all.copied().filter(|&j| j as usize != i).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let matrix = BlockMatrix::new(&(0..points).map(neighbours).collect::<Vec<_>>());
        let slots = (0..self.rest.len()).flat_map(|element| {
            let corners = &self.vertex[self.corners(element)];
            corners.iter().flat_map(|&a| corners.iter().map(move |&b| (a, b)))
        });
        self.slot = slots.map(|(a, b)| matrix.slot(a as usize, b).unwrap_or(ABOVE)).collect();
        matrix
    }

    fn corners(&self, element: usize) -> Range<usize> {
        self.start[element] as usize..self.start[element + 1] as usize
    }

    fn incident_of(&self, vertex: usize) -> &[Incidence] {
        &self.incident[self.incident_start[vertex] as usize..self.incident_start[vertex + 1] as usize]
    }

    fn element(&self, element: usize) -> Element<'_> {
        let Rest { volume_m3, law } = self.rest[element];
        Element { gradient: &self.gradient[self.corners(element)], volume_m3, law }
    }

    /// Rest shapes as asked; a tetrahedron asked to be inverted keeps its own rest shape.
    pub(super) fn measure_rest(&mut self, flesh: &Flesh, material: &Material, cues: &Cues) {
        let Self { tets, rest_tet, .. } = self;
        let none = Cues::default();
        rest_tet.par_iter_mut().with_min_len(PIECE).zip(&*tets).for_each(|(rest, corners)| {
            let asked = RestTet::asked(flesh, *corners, cues).or_else(|| RestTet::asked(flesh, *corners, &none));
            *rest = asked.unwrap_or(RestTet::NONE);
        });
        let even = material.lame();
        let law = |factor: f64, shift: f64| {
            let (lambda_pa, mu_pa) = if shift == 0.0 { even } else { with_poisson_shifted(even, shift) };
            Law { kind: material.law, lambda_pa: lambda_pa * factor, mu_pa: mu_pa * factor }
        };
        if self.parts.is_empty() {
            for (tet, (rest, gradient)) in self.rest.iter_mut().zip(self.gradient.chunks_exact_mut(4)).enumerate() {
                let of = &self.rest_tet[tet];
                gradient.copy_from_slice(&of.gradient);
                *rest = Rest { volume_m3: of.volume_m3, law: law(of.stiffness, of.poisson_shift) };
            }
            return;
        }
        for element in 0..self.rest.len() {
            let parts = &self.parts[self.part_start[element] as usize..self.part_start[element + 1] as usize];
            let gradient = &mut self.gradient[self.start[element] as usize..self.start[element + 1] as usize];
            gradient.fill(DVec3::ZERO);
            let (mut volume, mut stiffness, mut shift) = (0.0, 0.0, 0.0);
            for part in parts {
                let of = &self.rest_tet[part.tet as usize];
                volume += of.volume_m3 / 6.0;
                stiffness += of.stiffness * of.volume_m3 / 6.0;
                shift += of.poisson_shift * of.volume_m3 / 6.0;
                for (corner, b) in part.corner.iter().zip(of.gradient) {
                    gradient[*corner as usize] += b * (of.volume_m3 / 6.0);
                }
            }
            if volume > 0.0 {
                gradient.iter_mut().for_each(|b| *b /= volume);
                self.rest[element] = Rest { volume_m3: volume, law: law(stiffness / volume, shift / volume) };
            }
        }
    }

    /// Deformation of all elements at `x`, from the rotations of the step before; with what damps from there on.
    pub(super) fn strain_at_start(&mut self, x: &[DVec3], warm: impl Fn(usize) -> DQuat, is_damped: bool) {
        for (element, strained) in self.strained.iter_mut().enumerate() {
            strained.turn = warm(element);
        }
        self.strain(|v| x[v]);
        self.damper.clear();
        if is_damped {
            let damper = |element: usize| self.strained[element].turned_linear(&self.element(element));
            self.damper = (0..self.rest.len()).map(damper).collect();
        }
    }

    /// Deformation of all elements with the points at `place`.
    pub(super) fn strain(&mut self, place: impl Fn(usize) -> DVec3 + Sync) {
        let mut strained = std::mem::take(&mut self.strained);
        strained.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(element, strained)| {
            let vertex = &self.vertex[self.corners(element)];
            *strained = self.element(element).strained(|a| place(vertex[a] as usize), strained.turn);
        });
        self.strained = strained;
    }

    /// What damping asks of every element whose points have moved by `gone`; `rate` per element's points.
    pub(super) fn damp(&mut self, gone: impl Fn(usize) -> DVec3 + Sync, rate: impl Fn(&[u32]) -> f64 + Sync) {
        if self.damper.is_empty() {
            self.damping.clear();
            return;
        }
        let mut damping = std::mem::take(&mut self.damping);
        damping.resize(self.vertex.len(), DVec3::ZERO);
        let mut rest = damping.as_mut_slice();
        for element in 0..self.rest.len() {
            let range = self.corners(element);
            let vertex = &self.vertex[range.clone()];
            let (own, others) = rest.split_at_mut(range.len());
            self.damper[element].times(&self.gradient[range], |a| gone(vertex[a] as usize), own);
            let rate = rate(vertex);
            own.iter_mut().for_each(|force| *force *= rate);
            rest = others;
        }
        self.damping = damping;
    }

    /// What elasticity and damping pull at a point with (gradients: minus the forces).
    pub(super) fn gradient_at(&self, vertex: usize) -> DVec3 {
        self.incident_of(vertex).iter().fold(DVec3::ZERO, |sum, one| {
            let (element, corner) = (one.element as usize, one.corner as usize);
            let damped = self.damping.get(self.start[element] as usize + corner).copied().unwrap_or_default();
            sum + self.strained[element].gradient_at(&self.element(element), corner) + damped
        })
    }

    /// Elastic and damping energy with the points at `place` and moved by `gone`.
    pub(super) fn energy(
        &self,
        place: impl Fn(usize) -> DVec3 + Sync,
        gone: impl Fn(usize) -> DVec3 + Sync,
        rate: impl Fn(&[u32]) -> f64 + Sync,
    ) -> f64 {
        let damping = |element: usize| {
            let Some(damper) = self.damper.get(element) else { return 0.0 };
            let vertex = &self.vertex[self.corners(element)];
            0.5 * rate(vertex) * damper.work(self.element(element).gradient, |a| gone(vertex[a] as usize))
        };
        self.sum(|element| self.elastic_energy_of(element, &place) + damping(element))
    }

    /// Elastic energy alone.
    pub(super) fn elastic_energy(&self, place: impl Fn(usize) -> DVec3 + Sync) -> f64 {
        self.sum(|element| self.elastic_energy_of(element, &place))
    }

    fn elastic_energy_of(&self, element: usize, place: &impl Fn(usize) -> DVec3) -> f64 {
        let (vertex, of) = (&self.vertex[self.corners(element)], self.element(element));
        of.strained(|a| place(vertex[a] as usize), self.strained[element].turn).energy(&of)
    }

    /// Over all elements, piece by piece.
    fn sum(&self, energy: impl Fn(usize) -> f64 + Sync) -> f64 {
        let count = self.rest.len();
        let pieces: Vec<f64> = (0..count.div_ceil(PIECE))
            .into_par_iter()
            .map(|piece| (piece * PIECE..count.min((piece + 1) * PIECE)).map(&energy).sum())
            .collect();
        pieces.iter().sum()
    }

    /// Fills the matrix with the second derivatives of elasticity and damping.
    pub(super) fn assemble(&mut self, matrix: &mut BlockMatrix, rate: impl Fn(&[u32]) -> f64 + Sync) {
        self.find_blocks(rate);
        matrix.fill_rows(|i, row| {
            for one in self.incident_of(i) {
                let (element, a) = (one.element as usize, one.corner as usize);
                let corners = self.corners(element).len();
                let blocks = &self.blocks[self.block_start[element] as usize..];
                let slots = &self.slot[self.slot_start[element] as usize + a * corners..][..corners];
                for (b, &slot) in slots.iter().enumerate() {
                    let (at, transposed) = block_at(corners, a, b);
                    let Some(block) = row.get_mut(slot as usize) else { continue };
                    *block += if transposed { blocks[at].transpose() } else { blocks[at] };
                }
            }
        });
    }

    fn find_blocks(&mut self, rate: impl Fn(&[u32]) -> f64 + Sync) {
        let mut all = std::mem::take(&mut self.blocks);
        let mut pieces = Vec::with_capacity(self.rest.len().div_ceil(PIECE));
        let mut rest = all.as_mut_slice();
        for first in (0..self.rest.len()).step_by(PIECE) {
            let last = (first + PIECE).min(self.rest.len());
            let (piece, others) = rest.split_at_mut((self.block_start[last] - self.block_start[first]) as usize);
            pieces.push((first..last, piece));
            rest = others;
        }
        pieces.into_par_iter().for_each(|(elements, mut piece)| {
            let mut damping = Vec::new();
            for element in elements {
                let of = self.element(element);
                let (blocks, others) = piece.split_at_mut(block_count(of.gradient.len()));
                self.strained[element].stiffness(&of).blocks(of.gradient, blocks);
                if let Some(damper) = self.damper.get(element) {
                    damping.resize(blocks.len(), DMat3::ZERO);
                    damper.blocks(of.gradient, &mut damping);
                    let rate = rate(&self.vertex[self.corners(element)]);
                    blocks.iter_mut().zip(&damping).for_each(|(block, damping)| *block += *damping * rate);
                }
                piece = others;
            }
        });
        self.blocks = all;
    }

    /// The elastic energy of points at `x`, with rotations found from nothing.
    pub(super) fn energy_at(&self, x: &[DVec3]) -> f64 {
        let energy = |element: usize| {
            let of = self.element(element);
            let vertex = &self.vertex[self.corners(element)];
            let place = |a: usize| x[vertex[a] as usize];
            of.strained(place, of.best_turn(place)).energy(&of)
        };
        (0..self.rest.len()).map(energy).sum()
    }

    /// The rotations found last.
    pub(super) fn turns(&self) -> impl Iterator<Item = DQuat> {
        self.strained.iter().map(|strained| strained.turn)
    }
}

/// Smoothed elements: points around each edge, and the tetrahedra about it. In order of edges.
fn edge_pieces(tets: &[[u32; 4]]) -> (Vec<Vec<u32>>, Vec<Vec<Part>>) {
    let mut around: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for (tet, corners) in tets.iter().enumerate() {
        for edge in EDGES {
            let mut edge = edge.map(|corner| corners[corner]);
            edge.sort_unstable();
            around.entry(edge).or_default().push(tet as u32);
        }
    }
    let piece = |about: Vec<u32>| {
        let mut points: Vec<u32> = about.iter().flat_map(|&tet| tets[tet as usize]).collect();
        points.sort_unstable();
        points.dedup();
        let place = |v: u32| points.binary_search(&v).unwrap_or(0) as u32;
        let parts = about.iter().map(|&tet| Part { tet, corner: tets[tet as usize].map(place) }).collect();
        (points, parts)
    };
    around.into_values().map(piece).unzip()
}
