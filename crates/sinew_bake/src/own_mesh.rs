//! What a mesh that nobody described is made of: flesh fine enough for its thinnest limbs, and a stiffness at which it stands.

use rayon::prelude::*;
use sinew_geom::TriangleMesh;
use sinew_geom::distance::{Distance, SurfaceDistance};
use sinew_math::{DVec3, libm};

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
/// Limbs bend as well as shorten.
const BENDING: f64 = 1.5;
/// Where gravity pulls, and how heavy flesh is.
const WEIGHT_N_M3: f64 = 9.81 * 1050.0;

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
        let slices = Slices::of(&shape, low, high)?;
        let thickness_m = thinnest(surface, &shape, (high - low).length())?;
        let cell_m = thickness_m / CELLS_ACROSS;
        let area = (0..surface.triangles.len()).map(|triangle| area_vector(surface, triangle).length()).sum::<f64>();
        let (along, inside) = (area / (cell_m * cell_m), slices.volume() / (cell_m * cell_m * cell_m));
        // As the stuffing counts: two a cell inside, and about as many again along the surface.
        let even = 2.0 * inside + 1.5 * along;
        let graded = even > VERTICES[0] * 2.0;
        let wanted = if graded { 2.5 * along } else { even };
        let vertices = (wanted.clamp(VERTICES[0], VERTICES[1]) / 100.0).round() as u32 * 100;
        let young_pa = slices.young_to_carry_pa().max(slices.young_to_stand_pa(thickness_m));
        Some(Self { vertices, graded, young_pa: two_digits(young_pa) })
    }
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

/// A body cut into level slices.
struct Slices {
    /// Their areas from the lowest to the highest, square metres.
    areas: Vec<f64>,
    thick_m: f64,
}

impl Slices {
    fn of(shape: &SurfaceDistance, low: DVec3, high: DVec3) -> Option<Self> {
        const ALONG: usize = 40;
        const ACROSS: usize = 30;
        let step = (high - low) / DVec3::new(ACROSS as f64, ALONG as f64, ACROSS as f64);
        if step.min_element() <= 0.0 {
            return None;
        }
        let area_of = |slice: usize| {
            let inside = |n: usize| {
                let cell = DVec3::new((n % ACROSS) as f64, slice as f64, (n / ACROSS) as f64);
                shape.at(low + step * (cell + DVec3::splat(0.5))) < 0.0
            };
            (0..ACROSS * ACROSS).filter(|n| inside(*n)).count() as f64 * step.x * step.z
        };
        let areas: Vec<f64> = (0..ALONG).into_par_iter().map(area_of).collect();
        (areas.iter().sum::<f64>() > 0.0).then_some(Self { areas, thick_m: step.y })
    }

    fn volume(&self) -> f64 {
        self.areas.iter().sum::<f64>() * self.thick_m
    }

    /// Young's modulus at which the body sinks by [`SAG`] of its height: each slice is pressed by what stands on it.
    fn young_to_carry_pa(&self) -> f64 {
        /// A slice that the grid hardly met carries no more than this many times the mean's stress.
        const LEAST: f64 = 0.02;
        let mean = self.areas.iter().sum::<f64>() / self.areas.len() as f64;
        let mut above = 0.0;
        let mut shortened = 0.0;
        for area in self.areas.iter().rev() {
            above += area * self.thick_m;
            shortened += WEIGHT_N_M3 * above / area.max(LEAST * mean) * self.thick_m;
        }
        BENDING * shortened / (SAG * self.thick_m * self.areas.len() as f64)
    }
}

impl Slices {
    /// Young's modulus at which legs do not buckle: Euler's load of columns that are held at the foot alone, P = π² E I / (2 L)².
    fn young_to_stand_pa(&self, thickness_m: f64) -> f64 {
        /// Slices of less than this share of the broadest belong to legs.
        const LEG: f64 = 0.35;
        const SAFETY: f64 = 2.0;
        let broadest = self.areas.iter().copied().fold(0.0, f64::max);
        let legs: Vec<f64> = self.areas.iter().copied().take_while(|area| *area < LEG * broadest).collect();
        let length_m = legs.len() as f64 * self.thick_m;
        let area = legs.iter().sum::<f64>() / legs.len().max(1) as f64;
        if area <= 0.0 || length_m < 2.0 * thickness_m {
            return 0.0;
        }
        let load = WEIGHT_N_M3 * (self.volume() - area * length_m);
        let inertia = area * thickness_m * thickness_m / 12.0;
        SAFETY * load * 4.0 * length_m * length_m / (std::f64::consts::PI.powi(2) * inertia)
    }
}

fn area_vector(surface: &TriangleMesh, triangle: usize) -> DVec3 {
    let [a, b, c] = surface.triangles[triangle].map(|corner| surface.positions[corner as usize]);
    0.5 * (b - a).cross(c - a)
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

    #[test]
    fn a_column_is_as_stiff_as_its_weight_asks() {
        let mut column = TriangleMesh::default();
        add_box(&mut column, dvec3(-0.1, 0.0, -0.1), dvec3(0.1, 1.0, 0.1));
        let found = Suggested::of(&column).unwrap();
        let wanted = BENDING * WEIGHT_N_M3 / (2.0 * SAG);
        assert!((found.young_pa / wanted - 1.0).abs() < 0.05, "{found:?}, wanted {wanted}");
        assert!(found.vertices >= 500 && found.vertices < 1500, "{found:?}");
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
