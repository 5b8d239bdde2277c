//! Pieces of surface too small to be anything: where a body is thinner than a cell, single grid corners inside it stand alone,
//! and a skin would show them as crumbs beside it.

use crate::TriangleMesh;
use crate::adjacency::components;
use sinew_math::DVec3;

/// Around one grid corner there are 8 vertices, around two neighbours 12, around three 16: no more than a cell or two across.
const SPECK_VERTICES: usize = 16;
/// Longer pieces of a thin end enclose little for their area: their volume is less than this many cells times it. A needle of
/// radius r has r/2, a plate half its thickness, a ball a third of its radius.
const THIN_CELLS: f64 = 0.5;
/// A thin piece with more than one vertex in so many of the largest one's is a part of the body, not of an end.
const LARGE_SHARE: usize = 16;

/// Takes specks off, unless nothing larger is left; says how many there were.
pub(super) fn drop_specks(mesh: &mut TriangleMesh, normals: &mut Vec<DVec3>, cell_m: f64) -> usize {
    let component = components(mesh.positions.len(), &mesh.triangles);
    let pieces = Piece::all(mesh, &component);
    let largest = pieces.iter().map(|piece| piece.vertices).max().unwrap_or(0);
    let is_speck = |piece: &Piece| {
        let thin = piece.volume_m3 < THIN_CELLS * cell_m * piece.area_m2 && piece.vertices * LARGE_SHARE < largest;
        piece.vertices <= SPECK_VERTICES || thin
    };
    let specks = pieces.iter().filter(|piece| piece.vertices > 0 && is_speck(piece)).count();
    if specks == 0 || largest <= SPECK_VERTICES {
        return 0;
    }
    let stays = |vertex: usize| !is_speck(&pieces[component[vertex] as usize]);
    let mut next = 0;
    let place: Vec<u32> = (0..component.len())
        .map(|vertex| {
            let place = next;
            next += u32::from(stays(vertex));
            place
        })
        .collect();
    mesh.triangles.retain(|triangle| stays(triangle[0] as usize));
    mesh.triangles.iter_mut().for_each(|triangle| *triangle = triangle.map(|vertex| place[vertex as usize]));
    let mut vertex = 0..component.len();
    mesh.positions.retain(|_| vertex.next().is_some_and(stays));
    let mut vertex = 0..component.len();
    normals.retain(|_| vertex.next().is_some_and(stays));
    specks
}

/// One connected part of the surface.
#[derive(Clone, Default)]
struct Piece {
    vertices: usize,
    volume_m3: f64,
    area_m2: f64,
}

impl Piece {
    fn all(mesh: &TriangleMesh, component: &[u32]) -> Vec<Self> {
        let mut pieces = vec![Self::default(); component.iter().map(|c| *c as usize + 1).max().unwrap_or(0)];
        component.iter().for_each(|c| pieces[*c as usize].vertices += 1);
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
            let piece = &mut pieces[component[triangle[0] as usize] as usize];
            piece.volume_m3 += a.dot(b.cross(c)) / 6.0;
            piece.area_m2 += 0.5 * (b - a).cross(c - a).length();
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use crate::adjacency::component_count;
    use crate::distance::Shape;
    use crate::extraction::extract;
    use crate::stuffing::Fineness;
    use sinew_math::dvec3;

    /// A spike that is thinner than a cell at its end, on a ball: what is left of the end hangs on the ball, or is gone.
    #[test]
    fn thin_ends_leave_no_crumbs() {
        let spike = Shape::sweep([(dvec3(0.0, 0.4, 0.0), 0.12), (dvec3(0.3, 2.0, 0.2), 0.004)]);
        let body = Shape::sphere(0.5).union(spike, 0.05);
        let mut crumbs = 0;
        for cell_m in [0.03, 0.05, 0.07, 0.09] {
            let skin = extract(&body, Fineness::CellM(cell_m)).unwrap();
            crumbs += skin.specks;
            assert_eq!(component_count(skin.mesh.positions.len(), &skin.mesh.triangles), 1, "cells of {cell_m} m");
            assert_eq!(skin.normals.len(), skin.mesh.positions.len());
        }
        assert!(crumbs > 0, "no cell size here makes crumbs: the test shows nothing");
    }

    /// At every fineness of its skin a jellyfish is one piece beside its tentacles, which are drawn as tubes.
    #[test]
    fn tentacles_leave_no_pieces() {
        for (vertices, tentacles) in [(5000, 8), (9000, 8), (20_000, 8), (5000, 18), (20_000, 18)] {
            let skin = crate::cast::Member::Jellyfish { tentacles }.skin(vertices, None).unwrap().mesh;
            let pieces = component_count(skin.positions.len(), &skin.triangles);
            assert_eq!(pieces, 1 + tentacles as usize, "{vertices} vertices, {tentacles} tentacles");
        }
    }

    /// A small ball beside a large one is a part of the body, however small, once it is resolved.
    #[test]
    fn small_parts_stay() {
        let body = Shape::sphere(1.0).union(Shape::sphere(0.12).moved(dvec3(1.5, 0.0, 0.0)), 0.0);
        let skin = extract(&body, Fineness::CellM(0.05)).unwrap();
        assert_eq!((component_count(skin.mesh.positions.len(), &skin.mesh.triangles), skin.specks), (2, 0));
    }

    #[test]
    fn a_body_that_is_nothing_but_a_speck_stays() {
        let skin = extract(&Shape::sphere(0.5), Fineness::CellM(0.9)).unwrap();
        assert!(skin.mesh.positions.len() <= super::SPECK_VERTICES && skin.specks == 0);
    }
}
