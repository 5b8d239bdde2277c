//! The section of a limb: where a plane cuts its tetrahedra, with the moments of its area.

use sinew_math::DVec3;

/// A cut across the x axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Section {
    pub(super) area_m2: f64,
    pub(super) centre: DVec3,
    /// Second moments of area about y and about z, through the centre.
    pub(super) second_m4: [f64; 2],
    /// How far it reaches from its centre along z and along y.
    pub(super) reach_m: [f64; 2],
}

impl Section {
    /// The section at `x` of tetrahedra whose middles are within `radius_m` of the axis; none where the plane meets none of them.
    pub(super) fn cut(tets: &[[u32; 4]], places: &[DVec3], x: f64, radius_m: f64) -> Option<Self> {
        let mut sums = Sums::NONE;
        for tet in tets {
            let corners = tet.map(|corner| places[corner as usize]);
            let middle = corners.iter().sum::<DVec3>() / 4.0;
            let is_crossed = corners.iter().any(|at| at.x < x) && corners.iter().any(|at| at.x >= x);
            if is_crossed && middle.y.hypot(middle.z) <= radius_m {
                let (polygon, count) = crossed(corners, x);
                (2..count).for_each(|i| sums.add([polygon[0], polygon[i - 1], polygon[i]]));
            }
        }
        sums.section(x)
    }

    pub(super) fn polar_m4(&self) -> f64 {
        self.second_m4[0] + self.second_m4[1]
    }
}

/// Where the plane at `x` meets a tetrahedron: the corners of a triangle or a quadrilateral in order, and how many they are.
fn crossed(corners: [DVec3; 4], x: f64) -> ([DVec3; 4], usize) {
    let (mut below, mut above) = (Vec::with_capacity(4), Vec::with_capacity(4));
    corners.into_iter().for_each(|corner| if corner.x < x { below.push(corner) } else { above.push(corner) });
    let at = |a: DVec3, b: DVec3| a + (b - a) * ((x - a.x) / (b.x - a.x));
    let mut polygon = [DVec3::ZERO; 4];
    let count = match (&below[..], &above[..]) {
        ([a], [b, c, d]) | ([b, c, d], [a]) => {
            polygon[..3].copy_from_slice(&[at(*a, *b), at(*a, *c), at(*a, *d)]);
            3
        }
        ([a, b], [c, d]) => {
            polygon = [at(*a, *c), at(*a, *d), at(*b, *d), at(*b, *c)];
            4
        }
        _ => 0,
    };
    (polygon, count)
}

/// Integrals over the section, about the axis.
struct Sums {
    area_m2: f64,
    first_m3: [f64; 2],
    second_m4: [f64; 2],
    low_m: [f64; 2],
    high_m: [f64; 2],
}

impl Sums {
    const NONE: Self = Self {
        area_m2: 0.0,
        first_m3: [0.0; 2],
        second_m4: [0.0; 2],
        low_m: [f64::INFINITY; 2],
        high_m: [f64::NEG_INFINITY; 2],
    };

    fn add(&mut self, triangle: [DVec3; 3]) {
        let [a, b, c] = triangle;
        let area = 0.5 * (b - a).cross(c - a).x.abs();
        self.area_m2 += area;
        // z is what counts about y, and the other way round.
        for (axis, across) in [triangle.map(|p| p.z), triangle.map(|p| p.y)].into_iter().enumerate() {
            let [p, q, r] = across;
            self.first_m3[axis] += area * (p + q + r) / 3.0;
            self.second_m4[axis] += area * (p * p + q * q + r * r + p * q + q * r + r * p) / 6.0;
            self.low_m[axis] = self.low_m[axis].min(p).min(q).min(r);
            self.high_m[axis] = self.high_m[axis].max(p).max(q).max(r);
        }
    }

    fn section(&self, x: f64) -> Option<Section> {
        if self.area_m2 <= 0.0 {
            return None;
        }
        let middle = self.first_m3.map(|first| first / self.area_m2);
        let second = |axis: usize| self.second_m4[axis] - self.area_m2 * middle[axis] * middle[axis];
        let reach = |axis: usize| (self.high_m[axis] - middle[axis]).max(middle[axis] - self.low_m[axis]);
        Some(Section {
            area_m2: self.area_m2,
            centre: DVec3::new(x, middle[1], middle[0]),
            second_m4: [second(0), second(1)],
            reach_m: [reach(0), reach(1)],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    /// A bar off the axis: area b h, second moments h b³/12 and b h³/12 about its own middle, whatever the cut.
    #[test]
    fn a_bar_has_the_moments_of_its_rectangle() {
        let mesh = bar(dvec3(1.0, 0.2, 0.3), [7, 3, 2]);
        let off = dvec3(0.0, 0.05, -0.02);
        let places: Vec<DVec3> = mesh.positions.iter().map(|x| *x + off).collect();
        for x in [-0.41, 0.0, 0.123] {
            let section = Section::cut(&mesh.tets, &places, x, 1.0).unwrap();
            let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
            close(section.area_m2, 0.06);
            close(section.second_m4[0], 0.2 * 0.3f64.powi(3) / 12.0);
            close(section.second_m4[1], 0.3 * 0.2f64.powi(3) / 12.0);
            close(section.reach_m[0], 0.15);
            close(section.reach_m[1], 0.1);
            assert!(section.centre.distance(dvec3(x, 0.05, -0.02)) < 1e-12);
        }
        assert_eq!(Section::cut(&mesh.tets, &places, 0.6, 1.0), None);
    }
}
