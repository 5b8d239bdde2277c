//! Which points are joined, and how stiffly.
//!
//! A network of springs that fills a volume V evenly has, for small strains ε, the energy `½ Σ k L² (d·ε d)²`. Averaged over all
//! directions d this is an isotropic solid with λ = μ (Poisson's ratio 1/4, Cauchy's relation) and Young's modulus
//! `E = Σ k L² / 6V`; for a sheet of thickness t and area A it is ν = 1/3 and `E t = Σ k L² / 3A`. So each cell is given
//! springs with Σ k L² = 6 E V (3 E t A):
//!
//! | cell | spring | k from each cell |
//! |---|---|---|
//! | tet | edge | 6 E V / Σ L² |
//! | triangle | edge | 3 E t A / Σ L² |
//! | cube of a lattice | 12 edges | 2/15 E V / L² |
//! | | 12 face diagonals | 4/15 E V / L² |
//! | | 4 body diagonals | 3/10 E V / L² |
//! | box that is no cube | | so that E is the same along its three sides (`box_springs.rs`) |
//!
//! Van Gelder, "Approximate Simulation of Elastic Membranes by Triangulated Spring Meshes" (Journal of Graphics Tools 1998), spends
//! the same on each edge (E V / L², E t A / L²), which makes a grid of right triangles 20 % too stiff along its lines. One constant for all
//! edges of a cell makes that grid isotropic and bars of five-cut cubes nearly so (3 %). The constants of the lattice make cubes
//! isotropic: with k₁, k₂, k₃ those of inner springs, C₁₁ − C₁₂ = 2 C₄₄ asks for k₁ = k₂ + 8/3 k₃.
//!
//! Sheets: an inner edge that is the longest of both its triangles is the diagonal of a square; it and the other diagonal share
//! its stiffness (shear). Through every point its neighbours on opposite sides are joined (bend; Provot, "Deformation
//! Constraints in a Mass-Spring Model to Describe Rigid Cloth Behavior", Graphics Interface 1995).

use super::box_springs::BoxSprings;
use super::{SpringsParams, calibrate};
use crate::{Cells, Flesh, Material};
use serde::{Deserialize, Serialize};
use sinew_math::DVec3;
use std::collections::BTreeMap;

/// What a spring joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SpringKind {
    /// Two corners of a tet.
    Edge,
    /// Corners opposite an inner face of tets.
    Opposite,
    /// Two corners of a sheet's triangle.
    Structural,
    /// Along the diagonals of a sheet's squares.
    Shear,
    /// From neighbour to neighbour straight through a point of a sheet.
    Bend,
    /// Along an axis of a lattice.
    Axis,
    FaceDiagonal,
    BodyDiagonal,
}

/// A damped Hookean spring: the force `k (l − L) + c l̇` along it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    pub ends: [u32; 2],
    pub kind: SpringKind,
    /// k.
    pub stiffness_n_per_m: f64,
    /// c.
    pub damping_n_s_per_m: f64,
}

/// The springs of a body, ordered by their ends. Their numbers may be changed before the body goes to its solver.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Network {
    pub springs: Vec<Spring>,
}

/// Pairs of points on their way to becoming springs, with the stiffness found for them so far.
type Found = BTreeMap<[u32; 2], (SpringKind, f64)>;

impl Network {
    /// The network that gives `flesh` its material's Young's modulus.
    pub fn of(flesh: &Flesh, material: &Material, params: &SpringsParams) -> Self {
        let damping_secs = material.damping.rayleigh_stiffness_secs;
        let spring = |(ends, (kind, k)): ([u32; 2], (SpringKind, f64))| Spring {
            ends,
            kind,
            stiffness_n_per_m: k,
            damping_n_s_per_m: k * damping_secs,
        };
        let mut network = Self { springs: found(flesh, material, params).into_iter().map(spring).collect() };
        if let (Cells::Tets(tets), None) = (&flesh.cells, flesh.lattice) {
            network.multiply(calibrate::factor(flesh, tets, &network.springs, material.young_pa));
        }
        network
    }

    /// Makes all springs stiffer, and their dampers with them.
    fn multiply(&mut self, factor: f64) {
        for spring in &mut self.springs {
            spring.stiffness_n_per_m *= factor;
            spring.damping_n_s_per_m *= factor;
        }
    }

    pub fn count(&self, kind: SpringKind) -> usize {
        self.springs.iter().filter(|spring| spring.kind == kind).count()
    }

    /// Each point's partners, in rising order, without itself.
    pub(super) fn one_rings(&self, points: usize) -> Vec<Vec<u32>> {
        let mut rings = vec![Vec::new(); points];
        for &Spring { ends: [a, b], .. } in &self.springs {
            rings[a as usize].push(b);
            rings[b as usize].push(a);
        }
        for ring in &mut rings {
            ring.sort_unstable();
            ring.dedup();
        }
        rings
    }
}

/// The springs of an even net of this modulus.
fn found(flesh: &Flesh, material: &Material, params: &SpringsParams) -> Found {
    match (&flesh.cells, flesh.lattice) {
        (Cells::Tets(_), Some(size)) => lattice(flesh, size, material.young_pa),
        (Cells::Tets(tets), None) => of_tets(flesh, tets, material.young_pa, params.opposite),
        (Cells::Shell(triangles), _) => of_sheet(flesh, triangles, material, params),
    }
}

/// Adds `budget` (k L², joule) to the spring between two points.
fn add(found: &mut Found, rest: &[DVec3], [a, b]: [u32; 2], kind: SpringKind, budget: f64) {
    let square = rest[a as usize].distance_squared(rest[b as usize]);
    if a != b && square > 0.0 {
        let (_, k) = found.entry([a.min(b), a.max(b)]).or_insert((kind, 0.0));
        *k += budget / square;
    }
}

/// Corners of a tet in pairs.
const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

fn of_tets(flesh: &Flesh, tets: &[[u32; 4]], young_pa: f64, opposite: bool) -> Found {
    let across = if opposite { corners_across(tets) } else { BTreeMap::new() };
    let mut found = Found::new();
    let square = |a: u32, b: u32| flesh.rest[a as usize].distance_squared(flesh.rest[b as usize]);
    for tet in tets {
        let [a, b, c, d] = tet.map(|v| flesh.rest[v as usize]);
        let stretch_j = 6.0 * young_pa * ((b - a).cross(c - a).dot(d - a) / 6.0).abs();
        let squares: f64 = TET_EDGES.iter().map(|&[i, j]| square(tet[i], tet[j])).sum();
        // Half of it goes to the springs through inner faces, an eighth for each of four.
        let mut kept = 1.0;
        for corner in 0..4 {
            if let Some(&[one, other]) = across.get(&face(tet, corner)).map(Vec::as_slice).and_then(|x| x.first_chunk())
            {
                kept -= 0.125;
                add(&mut found, &flesh.rest, [one, other], SpringKind::Opposite, 0.125 * stretch_j);
            }
        }
        for [i, j] in TET_EDGES {
            let share = kept * square(tet[i], tet[j]) / squares;
            add(&mut found, &flesh.rest, [tet[i], tet[j]], SpringKind::Edge, share * stretch_j);
        }
    }
    found
}

/// The face opposite a corner, sorted.
fn face(tet: &[u32; 4], corner: usize) -> [u32; 3] {
    let mut face = [1, 2, 3].map(|k| tet[(corner + k) % 4]);
    face.sort_unstable();
    face
}

fn corners_across(tets: &[[u32; 4]]) -> BTreeMap<[u32; 3], Vec<u32>> {
    let mut across: BTreeMap<[u32; 3], Vec<u32>> = BTreeMap::new();
    for tet in tets {
        (0..4).for_each(|corner| across.entry(face(tet, corner)).or_default().push(tet[corner]));
    }
    across
}

fn of_sheet(flesh: &Flesh, triangles: &[[u32; 3]], material: &Material, params: &SpringsParams) -> Found {
    let at = |v: u32| flesh.rest[v as usize];
    let area = |[a, b, c]: [u32; 3]| 0.5 * (at(b) - at(a)).cross(at(c) - at(a)).length();
    let all: f64 = triangles.iter().map(|triangle| area(*triangle)).sum();
    // Its weight says how thick it is.
    let thickness_m = flesh.total_mass_kg() / (material.density_kg_m3 * all).max(f64::MIN_POSITIVE);
    let mut around: BTreeMap<[u32; 2], Vec<Wing>> = BTreeMap::new();
    for triangle in triangles {
        let [a, b, c] = *triangle;
        let squares = [[a, b], [b, c], [c, a]].map(|[a, b]| at(a).distance_squared(at(b)));
        let longest = squares.into_iter().fold(0.0, f64::max).sqrt();
        let stretch_j = 3.0 * material.young_pa * thickness_m * area(*triangle) / squares.iter().sum::<f64>();
        for [a, b, tip] in [[a, b, c], [b, c, a], [c, a, b]] {
            // Equal sides of a triangle are none of them its longest.
            let is_longest = at(a).distance(at(b)) > 0.999 * longest && {
                let others = at(a).distance(at(tip)).max(at(b).distance(at(tip)));
                others < 0.999 * longest
            };
            let wing = Wing { tip, stretch_j: stretch_j * at(a).distance_squared(at(b)), is_longest };
            around.entry([a.min(b), a.max(b)]).or_default().push(wing);
        }
    }
    let mut found = Found::new();
    for (edge, wings) in around {
        let stretch_j: f64 = wings.iter().map(|wing| wing.stretch_j).sum();
        match wings[..] {
            [one, other] if one.is_longest && other.is_longest => {
                for pair in [edge, [one.tip, other.tip]] {
                    add(&mut found, &flesh.rest, pair, SpringKind::Shear, 0.5 * params.shear * stretch_j);
                }
            }
            _ => add(&mut found, &flesh.rest, edge, SpringKind::Structural, stretch_j),
        }
    }
    found.extend(bends(flesh, &found, params.bend));
    found
}

/// Springs from neighbour to neighbour straight through every point of a sheet, as stiff as `bend` times the two they pass.
fn bends(flesh: &Flesh, found: &Found, bend: f64) -> Found {
    /// Cosine of the angle between neighbours that lie opposite each other, at most.
    const OPPOSITE: f64 = -0.8;
    let mut around = vec![Vec::new(); flesh.point_count()];
    for (&[a, b], &(kind, k)) in found {
        if kind == SpringKind::Structural {
            around[a as usize].push((b, k));
            around[b as usize].push((a, k));
        }
    }
    let mut bends = Found::new();
    for (middle, neighbours) in around.iter().enumerate() {
        let way = |v: u32| (flesh.rest[v as usize] - flesh.rest[middle]).normalize_or_zero();
        for &(a, k_a) in neighbours {
            let cosine = |other: &(u32, f64)| way(a).dot(way(other.0));
            let straightest = neighbours.iter().min_by(|one, other| cosine(one).total_cmp(&cosine(other)));
            if let Some(&(b, k_b)) = straightest
                && cosine(&(b, k_b)) < OPPOSITE
                && !found.contains_key(&[a.min(b), a.max(b)])
            {
                bends.insert([a.min(b), a.max(b)], (SpringKind::Bend, bend * 0.5 * (k_a + k_b)));
            }
        }
    }
    bends
}

/// A triangle seen from one of its edges.
#[derive(Clone, Copy)]
struct Wing {
    tip: u32,
    stretch_j: f64,
    is_longest: bool,
}

/// All 28 connections of every box.
fn lattice(flesh: &Flesh, size: [u32; 3], young_pa: f64) -> Found {
    let mut numbers = vec![0; flesh.point_count()];
    for (point, &place) in flesh.file_order.iter().enumerate() {
        numbers[place as usize] = point as u32;
    }
    let [nx, ny, nz] = size.map(|n| n as usize);
    let mut found = Found::new();
    for k in 0..nz - 1 {
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let corner = |n: usize| numbers[((k + (n >> 2 & 1)) * ny + j + (n >> 1 & 1)) * nx + i + (n & 1)];
                let at = |n: usize| flesh.rest[corner(n) as usize];
                let sides = [1, 2, 4].map(|n| at(n) - at(0));
                let volume_m3 = sides[0].cross(sides[1]).dot(sides[2]).abs();
                let springs = BoxSprings::of(sides.map(DVec3::length));
                for (a, b) in (0..8usize).flat_map(|a| (a + 1..8).map(move |b| (a, b))) {
                    let kind = match (a ^ b).count_ones() {
                        1 => SpringKind::Axis,
                        2 => SpringKind::FaceDiagonal,
                        _ => SpringKind::BodyDiagonal,
                    };
                    let share = springs.between(a ^ b);
                    add(&mut found, &flesh.rest, [corner(a), corner(b)], kind, share * young_pa * volume_m3);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::{bar, cloth};
    use sinew_math::dvec3;

    fn network(flesh: &Flesh, params: &SpringsParams) -> Network {
        Network::of(flesh, &Material::default(), params)
    }

    /// Known answer 13.
    #[test]
    fn a_muscle_lattice_has_112_masses_and_894_springs() {
        let flesh = Flesh::from_lattice(dvec3(0.3, 0.3, 0.6), [4, 4, 7], 1000.0).unwrap();
        let network = network(&flesh, &SpringsParams::default());
        assert_eq!((flesh.point_count(), network.springs.len()), (112, 894));
        let counts =
            [SpringKind::Axis, SpringKind::FaceDiagonal, SpringKind::BodyDiagonal].map(|kind| network.count(kind));
        assert_eq!(counts, [264, 414, 216]);
        assert!((flesh.total_mass_kg() - 54.0).abs() < 1e-9);
    }

    /// Σ k L² = 6 E V whatever the network, before it is tried; 3 E t A for a sheet whose shear is that of an even one, and no bending.
    #[test]
    fn the_budget_of_stiffness_is_spent_exactly() {
        let young = Material::default().young_pa;
        let spent = |flesh: &Flesh, params: &SpringsParams| -> f64 {
            let square = |(&[a, b], (_, k)): (&[u32; 2], &(SpringKind, f64))| {
                k * flesh.rest[a as usize].distance_squared(flesh.rest[b as usize])
            };
            found(flesh, &Material::default(), params).iter().map(square).sum()
        };
        let plain = SpringsParams::default();
        let solid = Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [10, 2, 2]), 1000.0).unwrap();
        for opposite in [false, true] {
            let share = spent(&solid, &SpringsParams { opposite, ..plain }) / (6.0 * young * 0.04);
            assert!((share - 1.0).abs() < 1e-12, "{share}");
        }
        let lattice = Flesh::from_lattice(dvec3(0.3, 0.2, 0.6), [4, 3, 7], 1000.0).unwrap();
        assert!((spent(&lattice, &plain) / (6.0 * young * 0.036) - 1.0).abs() < 1e-12);
        let sheet = Flesh::from_shell(&cloth(1.0, 2.0, [8, 16]), 0.5);
        let share = spent(&sheet, &SpringsParams { bend: 0.0, ..plain }) / (3.0 * young * 0.5e-3 * 2.0);
        assert!((share - 1.0).abs() < 1e-12, "{share}");
    }

    #[test]
    fn a_sheet_has_structure_shear_and_bend() {
        let sheet = Flesh::from_shell(&cloth(1.0, 1.0, [8, 8]), 0.5);
        let network = network(&sheet, &SpringsParams::default());
        let counts = [SpringKind::Structural, SpringKind::Shear, SpringKind::Bend].map(|kind| network.count(kind));
        // Sides of squares; both diagonals of each; from every second point of a line to the next but one.
        assert_eq!(counts, [2 * 8 * 9, 2 * 64, 2 * 7 * 9]);
    }

    #[test]
    fn opposite_corners_are_joined_through_every_inner_face() {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 1.0, 1.0), [1, 1, 1]), 1000.0).unwrap();
        let joined = network(&flesh, &SpringsParams { opposite: true, ..SpringsParams::default() });
        assert_eq!((joined.count(SpringKind::Edge), joined.count(SpringKind::Opposite)), (18, 4));
    }
}
