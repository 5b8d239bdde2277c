//! Lines on layers: directions without sign, smooth along the layers that they lie in.
//!
//! Knöppel, Crane, Pinkall, Schröder. "Globally Optimal Direction Fields". SIGGRAPH 2013, from surfaces to the layers of a body: a line across `d`
//! has an angle θ in the plane across `d` and is written as z = (cos 2θ, sin 2θ), so that θ and θ + π are one. Two neighbours' planes
//! are laid onto one another by the smallest turn of their `d`, and Σ w |zᵢ − rᵢⱼ zⱼ|² is least, with penalties where strokes are.
//! So a ring that is drawn in a few places closes around the body, where lines interpolated in space would turn the short way.
//!
//! Departures: a few given lines instead of an eigenproblem; weights are volume over squared length of an edge.

use super::canvas::Canvas;
use sinew_geom::adjacency::edges;
use sinew_math::sparse::{Analysis, FactorError, SymmetricMatrix};
use sinew_math::{DQuat, DVec2, DVec3, dvec2};
use sinew_solve::{Cells, Flesh};

/// A line asked for at a point, and how strongly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Asked {
    pub point: usize,
    pub along: DVec3,
    pub weight: f64,
}

/// Against smoothness, of which an edge's share is 1 in the mean.
const PENALTY: f64 = 1e4;
/// Far from all that is asked, lines fade; below this they are rounding.
const FADED: f64 = 1e-9;

/// The edges of a flesh and the order of elimination, for any layers on it.
pub(super) struct LineSolver {
    edges: Vec<([u32; 2], f64)>,
    analysis: Analysis,
}

impl LineSolver {
    pub(super) fn new(flesh: &Flesh) -> Result<Self, FactorError> {
        let pairs = match &flesh.cells {
            Cells::Tets(tets) => edges(flesh.point_count(), tets),
            Cells::Shell(triangles) => edges(flesh.point_count(), triangles),
        };
        let weight = |[a, b]: &[u32; 2]| {
            let (a, b) = (*a as usize, *b as usize);
            (flesh.mass_kg[a] + flesh.mass_kg[b]) / flesh.rest[a].distance_squared(flesh.rest[b]).max(f64::MIN_POSITIVE)
        };
        let mean = pairs.iter().map(weight).sum::<f64>() / pairs.len().max(1) as f64;
        let edges: Vec<([u32; 2], f64)> = pairs.iter().map(|pair| (*pair, weight(pair) / mean)).collect();
        let level = vec![Plane::across(DVec3::Y); flesh.point_count()];
        let analysis = Analysis::new(&smoothness(&edges, &level))?;
        Ok(Self { edges, analysis })
    }

    /// Lines across `across`, one per point; none where nothing that was asked for reaches.
    fn solve(&self, across: &[DVec3], asked: &[Asked]) -> Result<Vec<Option<DVec3>>, FactorError> {
        let planes: Vec<Plane> = across.iter().map(|d| Plane::across(*d)).collect();
        let mut matrix = smoothness(&self.edges, &planes);
        let mut right = vec![0.0; 2 * across.len()];
        for Asked { point, along, weight } in asked {
            // A stroke that runs across the layer says nothing about lines on it.
            let Some(z) = planes[*point].doubled(*along) else { continue };
            for (n, value) in z.to_array().into_iter().enumerate() {
                let row = 2 * point + n;
                let slot = matrix.slot(row as u32, row as u32).ok_or(FactorError::OtherPattern)?;
                matrix.values_mut()[slot] += PENALTY * weight;
                right[row] += PENALTY * weight * value;
            }
        }
        self.analysis.factor(&matrix)?.solve(&mut right);
        let line = |(plane, z): (&Plane, &[f64])| plane.line(dvec2(z[0], z[1]));
        Ok(planes.iter().zip(right.chunks_exact(2)).map(line).collect())
    }
}

/// Lines on the layers whose normals are `across`, through what is asked for.
pub(super) fn on_layers(canvas: &Canvas, across: &[DVec3], asked: &[Asked]) -> Result<Vec<Option<DVec3>>, FactorError> {
    canvas.lines()?.solve(across, asked)
}

/// Two unit vectors across a direction.
#[derive(Debug, Clone, Copy)]
struct Plane {
    normal: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Plane {
    fn across(normal: DVec3) -> Self {
        let u = normal.any_orthonormal_vector();
        Self { normal, u, v: normal.cross(u) }
    }

    /// (cos 2θ, sin 2θ) of a vector's part in the plane, shorter for vectors that stick out of it; none for those that stand on it.
    fn doubled(&self, d: DVec3) -> Option<DVec2> {
        const UPRIGHT: f64 = 1e-4;
        let (c, s) = (d.dot(self.u), d.dot(self.v));
        (c * c + s * s > UPRIGHT).then(|| dvec2(c * c - s * s, 2.0 * c * s))
    }

    fn line(&self, z: DVec2) -> Option<DVec3> {
        let z = z.try_normalize().filter(|_| z.length() > FADED)?;
        // Half the angle: cos θ = √((1 + cos 2θ)/2), and the sign of sin θ is that of sin 2θ.
        let c = (0.5 * (1.0 + z.x)).max(0.0).sqrt();
        let s = (0.5 * (1.0 - z.x)).max(0.0).sqrt();
        Some(self.u * c + self.v * if z.y < 0.0 { -s } else { s })
    }

    /// The matrix that takes z of another plane's lines to z of this one's, as rows.
    fn doubled_turn_of(&self, other: &Self) -> [[f64; 2]; 2] {
        // Layers that face opposite ways are the same layers; angles then run the other way round.
        let facing = if self.normal.dot(other.normal) < 0.0 { -1.0 } else { 1.0 };
        let u = DQuat::from_rotation_arc(other.normal * facing, self.normal) * other.u;
        let (c, s) = (u.dot(self.u), u.dot(self.v));
        let (c2, s2) = (c * c - s * s, 2.0 * c * s);
        [[c2, -facing * s2], [s2, facing * c2]]
    }
}

/// The matrix of Σ w |zᵢ − rᵢⱼ zⱼ|², two rows per point, and a little more on the diagonal for points without edges.
fn smoothness(edges: &[([u32; 2], f64)], planes: &[Plane]) -> SymmetricMatrix {
    const LITTLE: f64 = 1e-12;
    let mut entries: Vec<(u32, u32, f64)> = (0..2 * planes.len() as u32).map(|row| (row, row, LITTLE)).collect();
    for ([i, j], weight) in edges {
        let turn = planes[*i as usize].doubled_turn_of(&planes[*j as usize]);
        for n in 0..2 {
            let (row_i, row_j) = (2 * i + n, 2 * j + n);
            entries.extend([(row_i, row_i, *weight), (row_j, row_j, *weight)]);
            for m in 0..2 {
                entries.push((row_i, 2 * j + m, -weight * turn[n as usize][m as usize]));
            }
        }
    }
    SymmetricMatrix::from_entries(2 * planes.len(), entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::cylinder;
    use sinew_math::{DMat3, dvec3};
    use std::sync::Arc;

    /// Two short strokes on opposite sides of a tube of layers: rings close around it, on every layer.
    #[test]
    fn rings_drawn_in_two_places_close() {
        let flesh = Arc::new(Flesh::from_tets(cylinder(0.5, 0.6, 6, 8), 1000.0).unwrap());
        let canvas = Canvas::new(flesh.clone());
        let out: Vec<DVec3> = flesh.rest.iter().map(|x| dvec3(x.x, 0.0, x.z).normalize_or(DVec3::X)).collect();
        let asked: Vec<Asked> = flesh
            .rest
            .iter()
            .enumerate()
            .filter(|(_, x)| x.x.abs() > 0.45 && x.y.abs() < 0.1)
            .map(|(point, _)| Asked { point, along: DVec3::Y.cross(out[point]), weight: 1.0 })
            .collect();
        assert!((3..40).contains(&asked.len()), "{}", asked.len());
        let lines = on_layers(&canvas, &out, &asked).unwrap();
        for ((line, out), x) in lines.iter().zip(&out).zip(&flesh.rest) {
            // On the axis layers have no normal.
            if dvec3(x.x, 0.0, x.z).length() > 0.1 {
                let along = line.unwrap().dot(DVec3::Y.cross(*out)).abs();
                assert!(along > 0.95, "{x}: {along}");
            }
        }
    }

    #[test]
    fn planes_of_opposite_normals_are_the_same() {
        let (a, b) =
            (Plane::across(dvec3(0.3, -0.8, 0.5).normalize()), Plane::across(dvec3(0.2, -0.9, 0.45).normalize()));
        let flipped = Plane::across(-b.normal);
        let turn = DMat3::from_quat(DQuat::from_rotation_arc(b.normal, a.normal));
        for plane in [b, flipped] {
            let d = b.u * 0.6 + b.v * 0.8;
            let (z, m) = (plane.doubled(d).unwrap(), a.doubled_turn_of(&plane));
            let carried = dvec2(m[0][0] * z.x + m[0][1] * z.y, m[1][0] * z.x + m[1][1] * z.y);
            let line = a.line(carried).unwrap();
            assert!((line.dot(turn * d).abs() - 1.0).abs() < 1e-12);
        }
    }
}
