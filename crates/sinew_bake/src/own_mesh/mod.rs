//! What a mesh that nobody described is made of: flesh fine enough for its thinnest limbs, and a stiffness at which it stands.

mod standing;

use rayon::prelude::*;
use sinew_geom::TriangleMesh;
use sinew_geom::distance::{Distance, SurfaceDistance};
use sinew_geom::stuffing::{Fineness, Inside, stuff_keeping_thin_parts};
use sinew_math::{DVec3, libm};
use standing::Standing;
use std::ops::ControlFlow;

/// Numbers of a body that its shape suggests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Suggested {
    pub(crate) vertices: u32,
    pub(crate) graded: bool,
    pub(crate) young_pa: f64,
}

/// Fewer vertices do not look alive, more do not run at once on a usual machine.
const VERTICES: [f64; 2] = [500.0, 3000.0];
/// Cells across the thinnest limbs.
const CELLS_ACROSS: f64 = 1.6;
/// A share of the surface that may be thinner: eyelashes, tips of ears.
const THINNER: f64 = 0.06;
/// Share of its height by which a standing body sinks under its weight.
const SAG: f64 = 0.05;
/// How many times its weight is the load under which its legs buckle. With three, a cow and Spot still fell over when they landed.
const BUCKLING_SAFETY: f64 = 9.0;
/// A mode of buckling that moves less of the mass than this is no fall: the sole of a stout block wrinkles.
const FALLING_SHARE: f64 = 0.5;
/// A body whose sag asks for this many times the stiffness at which it buckles is stout, and needs no more; Spot, at 2.4 times, fell.
const STOUT: f64 = 3.0;

impl Suggested {
    /// For a closed surface in metres, Y up. None where it encloses nothing, or nobody can say what.
    pub(crate) fn of(surface: &TriangleMesh) -> Option<Self> {
        /// Triangles to be measured at a place; of a soup there are thousands, and nothing to suggest.
        const MOST_CROWDED: usize = 200;
        let shape = SurfaceDistance::new(surface);
        if shape.crowding() > MOST_CROWDED {
            return None;
        }
        let (low, high) = shape.bounds();
        let thickness_m = thinnest(surface, &shape, (high - low).length())?;
        let cell_m = thickness_m / CELLS_ACROSS;
        let area = (0..surface.triangles.len()).map(|triangle| area_vector(surface, triangle).length()).sum::<f64>();
        let (along, inside) = (area / (cell_m * cell_m), volume(surface).abs() / (cell_m * cell_m * cell_m));
        // As the stuffing counts: two a cell inside, and about as many again along the surface.
        let even = 2.0 * inside + 1.5 * along;
        let graded = even > VERTICES[0] * 2.0;
        let wanted = if graded { 2.5 * along } else { even };
        let vertices = (wanted.clamp(VERTICES[0], VERTICES[1]) / 100.0).round() as u32 * 100;
        let young_pa = young_to_stand_pa(&shape, vertices, graded)?;
        Some(Self { vertices, graded, young_pa: two_digits(young_pa) })
    }
}

/// Young's modulus at which the flesh that the scene will have sinks by [`SAG`] and does not buckle.
fn young_to_stand_pa(shape: &SurfaceDistance, vertices: u32, graded: bool) -> Option<f64> {
    let inside = if graded { Inside::Graded } else { Inside::Even };
    let watch = |_| ControlFlow::Continue(());
    let flesh = stuff_keeping_thin_parts(shape, Fineness::Vertices(vertices as usize), inside, &watch).ok()?.mesh;
    let standing = Standing::of(&flesh)?;
    let sag_pa = standing.sag_m_pa / (SAG * standing.height_m);
    let may_fall = standing.buckling_share > FALLING_SHARE && sag_pa < STOUT * standing.buckling_pa;
    let safety = if may_fall { BUCKLING_SAFETY } else { 1.0 };
    Some(sag_pa.max(safety * standing.buckling_pa))
}

/// The thickness that all but the thinnest parts of the surface have: of balls that touch it from inside.
fn thinnest(surface: &TriangleMesh, shape: &SurfaceDistance, size_m: f64) -> Option<f64> {
    const SAMPLES: usize = 600;
    let count = surface.triangles.len();
    let every = count.div_ceil(SAMPLES).max(1);
    let mut found: Vec<(f64, f64)> = (0..count)
        .into_par_iter()
        .step_by(every)
        .filter_map(|triangle| {
            let area = area_vector(surface, triangle);
            let normal = area.try_normalize()?;
            let corners = surface.triangles[triangle].map(|corner| surface.positions[corner as usize]);
            let middle = corners.iter().sum::<DVec3>() / 3.0;
            Some((2.0 * ball_radius(shape, middle, normal, size_m), area.length()))
        })
        .filter(|(thickness_m, _)| *thickness_m > 1e-4 * size_m)
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole: f64 = found.iter().map(|(_, area)| area).sum();
    let mut covered = 0.0;
    found.into_iter().find_map(|(thickness_m, area)| {
        covered += area;
        (covered >= THINNER * whole).then_some(thickness_m)
    })
}

/// The largest ball inside that touches the surface at a place; surfaces may face either way.
fn ball_radius(shape: &SurfaceDistance, at: DVec3, normal: DVec3, size_m: f64) -> f64 {
    /// Of the radius, for the distance is that of a faceted surface.
    const SLACK: f64 = 0.05;
    let inwards = if shape.at(at - normal * (1e-3 * size_m)) < 0.0 { -normal } else { normal };
    let fits = |radius: f64| -shape.at(at + inwards * radius) >= radius * (1.0 - SLACK);
    let (mut fitting, mut too_large) = (0.0, 0.5 * size_m);
    for _ in 0..16 {
        let radius = 0.5 * (fitting + too_large);
        if fits(radius) { fitting = radius } else { too_large = radius }
    }
    fitting
}

fn area_vector(surface: &TriangleMesh, triangle: usize) -> DVec3 {
    let [a, b, c] = surface.triangles[triangle].map(|corner| surface.positions[corner as usize]);
    0.5 * (b - a).cross(c - a)
}

/// Of a closed surface; negative where it is inside out.
fn volume(surface: &TriangleMesh) -> f64 {
    let corner = |v: u32| surface.positions[v as usize];
    surface.triangles.iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
}

fn two_digits(number: f64) -> f64 {
    let step = libm::pow(10.0, libm::floor(libm::log10(number.max(f64::MIN_POSITIVE))) - 1.0);
    (number / step).round() * step
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    /// A box from one corner to another.
    fn add_box(mesh: &mut TriangleMesh, low: DVec3, high: DVec3) {
        let first = mesh.positions.len() as u32;
        for n in 0..8u32 {
            let pick = |axis: u32, low: f64, high: f64| if n >> axis & 1 == 1 { high } else { low };
            mesh.positions.push(dvec3(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z)));
        }
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for [a, b, c, d] in faces {
            mesh.triangles.extend([[a, b, c], [a, c, d]].map(|corners| corners.map(|corner| first + corner)));
        }
    }

    fn block(width: f64, height: f64) -> Suggested {
        let mut block = TriangleMesh::default();
        add_box(&mut block, dvec3(-0.5 * width, 0.0, -0.5 * width), dvec3(0.5 * width, height, 0.5 * width));
        Suggested::of(&block).unwrap()
    }

    /// A column buckles under its own weight where E I = ρ g A L³ / 7.837 (Greenhill 1881).
    #[test]
    fn a_column_is_as_stiff_as_its_slenderness_asks() {
        let found = block(0.4, 1.0);
        let wanted = BUCKLING_SAFETY * standing::WEIGHT_N_M3 * 12.0 / (0.4 * 0.4 * 7.837);
        assert!((0.8..1.3).contains(&(found.young_pa / wanted)), "{found:?}, wanted {wanted}");
        assert!(found.vertices >= 500 && found.vertices < 1500, "{found:?}");
    }

    /// A wide block under its own weight sinks by ρ g L² / (2 E), or less as far as its sole cannot spread.
    #[test]
    fn a_block_is_as_stiff_as_its_weight_asks() {
        let found = block(1.0, 0.35);
        let wanted = standing::WEIGHT_N_M3 * 0.35 / (2.0 * SAG);
        assert!((0.5..1.3).contains(&(found.young_pa / wanted)), "{found:?}, wanted {wanted}");
    }

    #[test]
    fn thin_legs_ask_for_finer_and_stiffer_flesh() {
        let mut table = TriangleMesh::default();
        add_box(&mut table, dvec3(-0.5, 0.5, -0.3), dvec3(0.5, 0.9, 0.3));
        for (x, z) in [(-0.45, -0.25), (0.45, -0.25), (-0.45, 0.25), (0.45, 0.25)] {
            add_box(&mut table, dvec3(x - 0.04, 0.0, z - 0.04), dvec3(x + 0.04, 0.52, z + 0.04));
        }
        let found = Suggested::of(&table).unwrap();
        let mut slab = TriangleMesh::default();
        add_box(&mut slab, dvec3(-0.5, 0.5, -0.3), dvec3(0.5, 0.9, 0.3));
        let plain = Suggested::of(&slab).unwrap();
        assert!(found.vertices > 2 * plain.vertices && found.graded, "{found:?} {plain:?}");
        assert!(found.young_pa > 8.0 * plain.young_pa, "{found:?} {plain:?}");
    }
}
