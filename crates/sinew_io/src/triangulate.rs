//! Polygons of mesh files, cut into triangles by clipping ears: also right where they are not convex.

use sinew_math::{DVec2, DVec3};

/// Corners up to which ears are looked for: the search grows with the square of their number, or worse, and a file must
/// not be able to stall the program with one face. Larger polygons are round lids in practice, which are cut in halves.
const EAR_CORNERS: usize = 500;

/// Appends the triangles of a polygon (three corners or more), turned as it is. A polygon too bent or folded to have an
/// ear is cut into a fan, so that every file gives corner count − 2 triangles. What is wrong with it where it is none.
pub(crate) fn triangulate(positions: &[DVec3], corners: &[u32], triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
    if let &[a, b, c] = corners {
        triangles.push([a, b, c]);
        return Ok(());
    }
    // A hole is joined to the outline by a cut, whose ends are named twice. More often is no polygon, and two letters of
    // a file would become a triangle of two hundred bytes.
    if corners.len() > EAR_CORNERS.max(2 * positions.len()) {
        return Err(format!("a face of {} corners on {} vertices", corners.len(), positions.len()));
    }
    if corners.len() > EAR_CORNERS {
        halve(corners, triangles);
        return Ok(());
    }
    let flat = flattened(positions, corners);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    while left.len() > 3 {
        let i = next_ear(&flat, &left);
        triangles.push(around(&left, i).map(|corner| corners[corner]));
        left.remove(i);
    }
    triangles.push([corners[left[0]], corners[left[1]], corners[left[2]]]);
    Ok(())
}

/// Cuts a round polygon in halves, and those in halves. A fan would have slivers across all of it, which no search tree can
/// tell apart.
fn halve(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let mut open = vec![(0usize, corners.len() - 1)];
    while let Some((first, last)) = open.pop() {
        let middle = first.midpoint(last);
        if middle > first && middle < last {
            triangles.push([corners[first], corners[middle], corners[last]]);
            open.extend([(middle, last), (first, middle)]);
        }
    }
}

/// An ear: of four corners the rounder one, so that a quad is cut along its better diagonal, else the first there is.
/// Without any, the second corner, which makes a fan.
fn next_ear(flat: &[DVec2], left: &[usize]) -> usize {
    let mut ears = (0..left.len()).filter_map(|i| ear_quality(flat, left, i).map(|quality| (i, quality)));
    let ear = if left.len() == 4 { ears.max_by(|(_, a), (_, b)| a.total_cmp(b)) } else { ears.next() };
    ear.map_or(1, |(i, _)| i)
}

/// The polygon in the plane of its mean normal (Newell's), counter-clockwise.
fn flattened(positions: &[DVec3], corners: &[u32]) -> Vec<DVec2> {
    let at = |i: usize| positions[corners[i % corners.len()] as usize];
    let normal = (0..corners.len()).fold(DVec3::ZERO, |sum, i| sum + (at(i) - at(0)).cross(at(i + 1) - at(0)));
    let normal = normal.try_normalize().unwrap_or(DVec3::Z);
    let right = normal.any_orthonormal_vector();
    let up = normal.cross(right);
    (0..corners.len()).map(|i| DVec2::new((at(i) - at(0)).dot(right), (at(i) - at(0)).dot(up))).collect()
}

fn around(left: &[usize], i: usize) -> [usize; 3] {
    [left[(i + left.len() - 1) % left.len()], left[i], left[(i + 1) % left.len()]]
}

/// How round the triangle at a corner is (its area over its longest side squared); none if it is not an ear.
fn ear_quality(flat: &[DVec2], left: &[usize], i: usize) -> Option<f64> {
    let ear = around(left, i);
    let [a, b, c] = ear.map(|corner| flat[corner]);
    let area2 = (b - a).perp_dot(c - a);
    if area2.is_nan() || area2 <= 0.0 {
        return None;
    }
    let inside = |p: DVec2| [(a, b), (b, c), (c, a)].iter().all(|(from, to)| (*to - *from).perp_dot(p - *from) >= 0.0);
    let others = left.iter().filter(|corner| !ear.contains(corner)).map(|corner| flat[*corner]);
    // A corner that only repeats a point of the ear does not cut into it.
    let blocked = others.filter(|p| ![a, b, c].contains(p)).any(inside);
    let longest2 =
        [(a, b), (b, c), (c, a)].iter().fold(0.0, |max: f64, (from, to)| max.max(from.distance_squared(*to)));
    (!blocked).then_some(area2 / longest2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 3]]) -> (Vec<[u32; 3]>, f64, f64) {
        let positions: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(*p)).collect();
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = Vec::new();
        triangulate(&positions, &corners, &mut triangles).unwrap();
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| positions[v as usize]);
            0.5 * (b - a).cross(c - a).dot(DVec3::Z)
        };
        let smallest = triangles.iter().map(area).fold(f64::INFINITY, f64::min);
        let total = triangles.iter().map(area).sum();
        (triangles, smallest, total)
    }

    #[test]
    fn a_dart_is_cut_at_its_dent() {
        let (triangles, smallest, total) = cut(&[[0., 0., 0.], [2., -1., 0.], [0.5, 0., 0.], [2., 1., 0.]]);
        assert_eq!(triangles.len(), 2);
        assert!(smallest > 0.0 && (total - 0.5).abs() < 1e-12, "{triangles:?}");
    }

    #[test]
    fn a_comb_keeps_its_area_and_turns_no_triangle() {
        let comb = [
            [0., 0.],
            [6., 0.],
            [6., 3.],
            [5., 3.],
            [5., 1.],
            [3.5, 1.],
            [3.5, 3.],
            [2.5, 3.],
            [2.5, 1.],
            [1., 1.],
            [1., 3.],
            [0., 3.],
        ];
        let (triangles, smallest, total) = cut(&comb.map(|[x, y]| [x, y, 0.0]));
        assert_eq!(triangles.len(), 10);
        assert!(smallest >= 0.0 && (total - (6.0 + 3.0 * 2.0)).abs() < 1e-12, "{total}");
    }

    #[test]
    fn a_square_with_a_low_corner_is_cut_along_its_short_diagonal() {
        let (triangles, ..) = cut(&[[0., 0., 0.], [1., 0., 0.], [4., 4., 0.], [0., 1., 0.]]);
        assert!(triangles.iter().all(|t| t.contains(&1) && t.contains(&3)), "{triangles:?}");
    }

    #[test]
    fn a_face_of_many_corners_does_not_stall() {
        let turn = |i: i32| f64::from(i) * std::f64::consts::TAU / 100_000.0;
        let lid: Vec<_> = (0..100_000).map(|i| [turn(i).cos(), turn(i).sin(), 0.0]).collect();
        assert_eq!(cut(&lid).0.len(), 99_998);
    }

    #[test]
    fn a_face_of_more_corners_than_its_vertices_can_have_is_none() {
        let positions = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let corners = [0, 1, 2].repeat(1000);
        let refused = triangulate(&positions, &corners, &mut Vec::new()).unwrap_err();
        assert_eq!(refused, "a face of 3000 corners on 3 vertices");
    }

    #[test]
    fn a_polygon_without_area_still_gives_its_triangles() {
        assert_eq!(cut(&[[1.0; 3]; 5]).0.len(), 3);
    }
}
