//! How deep cells of a body lie inside another.

use sinew_bake::Stage;
use sinew_math::DVec3;
use sinew_solve::{Cells, Flesh, StageState};

/// How deep the deepest middle of a cell is in another body, metres, with the numbers of its body and of the other. Vertices alone miss a thin body that lies between those of a
/// coarse one; the number of cells says nothing, since a body that has collapsed lies with all of them a hair's breadth inside what it lies on.
pub(crate) fn deepest_cell(stage: &Stage, state: &StageState) -> Option<(f64, usize, usize)> {
    let solids: Vec<Option<Solid>> = stage
        .bodies()
        .iter()
        .zip(&state.bodies)
        .map(|(body, now)| match &body.flesh.cells {
            Cells::Tets(tets) => Some(Solid::new(tets, surface(&body.flesh, &now.x), &now.x)),
            Cells::Shell(_) => None,
        })
        .collect();
    let mut most: Option<(f64, usize, usize)> = None;
    for (a, one) in solids.iter().enumerate() {
        for (b, other) in solids.iter().enumerate() {
            let (Some(one), Some(other)) = (one, other) else { continue };
            for p in one.tets.iter().map(middle).filter(|p| a != b && other.holds(*p)) {
                let depth_m = other.depth_m(p);
                if most.is_none_or(|most| depth_m > most.0) {
                    most = Some((depth_m, a, b));
                }
            }
        }
    }
    most
}

fn surface(flesh: &Flesh, x: &[DVec3]) -> Vec<[DVec3; 3]> {
    let at = |v: u32| flesh.anchors.at(flesh.surface_rows[v as usize], x);
    flesh.surface_triangles.iter().map(|triangle| triangle.map(at)).collect()
}

fn middle(tet: &[DVec3; 4]) -> DVec3 {
    0.25 * tet.iter().sum::<DVec3>()
}

/// Tetrahedra where they are, with the box around them.
struct Solid {
    tets: Vec<[DVec3; 4]>,
    surface: Vec<[DVec3; 3]>,
    low: DVec3,
    high: DVec3,
}

impl Solid {
    fn new(tets: &[[u32; 4]], surface: Vec<[DVec3; 3]>, x: &[DVec3]) -> Self {
        let low = x.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = x.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        Self { tets: tets.iter().map(|tet| tet.map(|corner| x[corner as usize])).collect(), surface, low, high }
    }

    /// From its surface.
    fn depth_m(&self, p: DVec3) -> f64 {
        self.surface.iter().map(|triangle| distance_squared(triangle, p)).fold(f64::INFINITY, f64::min).sqrt()
    }

    fn holds(&self, p: DVec3) -> bool {
        if p.cmplt(self.low).any() || p.cmpgt(self.high).any() {
            return false;
        }
        self.tets.iter().any(|&[o, a, b, c]| {
            let (a, b, c, p) = (a - o, b - o, c - o, p - o);
            let volume = a.cross(b).dot(c);
            let weights = [p.cross(b).dot(c), a.cross(p).dot(c), a.cross(b).dot(p)].map(|part| part / volume);
            weights.iter().all(|weight| *weight >= 0.0) && weights.iter().sum::<f64>() <= 1.0
        })
    }
}

/// Of a point from a triangle: from its plane where the point lies over it, else from the nearest side.
fn distance_squared(&[a, b, c]: &[DVec3; 3], p: DVec3) -> f64 {
    let normal = (b - a).cross(c - a);
    let is_over = [(a, b), (b, c), (c, a)].iter().all(|(from, to)| normal.cross(*to - *from).dot(p - *from) >= 0.0);
    if is_over && normal != DVec3::ZERO {
        return (p - a).dot(normal).powi(2) / normal.length_squared();
    }
    let from_side = |(from, to): (DVec3, DVec3)| {
        let way = to - from;
        let along = ((p - from).dot(way) / way.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        p.distance_squared(from + way * along)
    };
    [(a, b), (b, c), (c, a)].map(from_side).into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn distances_from_a_triangle_are_those_from_its_plane_sides_and_corners() {
        let triangle = [DVec3::ZERO, dvec3(2.0, 0.0, 0.0), dvec3(0.0, 2.0, 0.0)];
        for (p, wanted) in [
            (dvec3(0.5, 0.5, -3.0), 9.0),
            (dvec3(1.0, -2.0, 0.0), 4.0),
            (dvec3(-1.0, -1.0, 1.0), 3.0),
            (dvec3(2.0, 2.0, 0.0), 2.0),
        ] {
            assert!((distance_squared(&triangle, p) - wanted).abs() < 1e-12, "{p}");
        }
    }
}
