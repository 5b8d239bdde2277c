//! Structured meshes with sharp edges: bars, cylinders and cloths, and a thin-walled bell.
//!
//! Cubes are cut into five tets, alternating so that faces match (the same cut as the benchmark bars).

use crate::{TetMesh, TriangleMesh};
use sinew_math::libm::{atan2, cos, exp, pow, sin};
use sinew_math::{DVec2, DVec3, dvec2, dvec3};

/// A box of `cells` cubes centred at the origin.
pub fn bar(size_m: DVec3, cells: [usize; 3]) -> TetMesh {
    block(cells, |u| (u - DVec3::splat(0.5)) * size_m)
}

/// A solid cylinder about the y axis: `rings` cells from axis to rim, `slices` along it.
pub fn cylinder(radius_m: f64, height_m: f64, rings: usize, slices: usize) -> TetMesh {
    round_block(rings, slices, |disk, up| dvec3(disk.x * radius_m, (up - 0.5) * height_m, disk.y * radius_m))
}

/// A dome open below whose wall thins towards the rim: a jellyfish's bell. Its apex is at `height_m`, its rim at 0.
pub fn bell(radius_m: f64, height_m: f64, thickness_m: f64, rings: usize, layers: usize) -> TetMesh {
    /// From the apex to the rim as seen from the sphere's centre: a little past the equator, so that the rim turns in.
    const RIM_ANGLE: f64 = 1.75;
    /// The wall at the rim as a share of the wall at the apex.
    const RIM_THINNESS: f64 = 0.4;
    /// Lappets: the rim hangs lower by this share at so many places. Nine of them suit nine rings of flesh and up.
    const LAPPETS: (f64, f64) = (9.0, 0.05);
    let apex = height_m / (1.0 - cos(RIM_ANGLE));
    round_block(rings, layers, |disk, outward| {
        let rho = disk.length();
        let around = disk.try_normalize().unwrap_or(DVec2::X);
        let inset = (1.0 - outward) * thickness_m * (1.0 - (1.0 - RIM_THINNESS) * rho * rho);
        let lappet = LAPPETS.1 * pow(rho, 6.0) * cos(LAPPETS.0 * atan2(around.y, around.x));
        let polar = rho * RIM_ANGLE * (1.0 + lappet);
        let (side, up) = (sin(polar), cos(polar));
        let out = around * side * (radius_m - inset);
        dvec3(out.x, up * (apex - inset) + height_m - apex, out.y)
    })
}

/// A flat sheet in the xz plane, centred at the origin, with alternating diagonals.
pub fn cloth(width_m: f64, depth_m: f64, cells: [usize; 2]) -> TriangleMesh {
    let [nx, nz] = cells;
    let vertex = |i: usize, k: usize| (k * (nx + 1) + i) as u32;
    let mut positions = Vec::with_capacity((nx + 1) * (nz + 1));
    for k in 0..=nz {
        for i in 0..=nx {
            positions.push(dvec3((i as f64 / nx as f64 - 0.5) * width_m, 0.0, (k as f64 / nz as f64 - 0.5) * depth_m));
        }
    }
    let mut triangles = Vec::with_capacity(2 * nx * nz);
    for k in 0..nz {
        for i in 0..nx {
            let [a, b, c, d] = [vertex(i, k), vertex(i + 1, k), vertex(i + 1, k + 1), vertex(i, k + 1)];
            triangles.extend(if (i + k) % 2 == 0 { [[a, c, b], [a, d, c]] } else { [[a, d, b], [b, d, c]] });
        }
    }
    TriangleMesh { positions, triangles }
}

/// Cells of about equal edge for a box of `size_m` so that the bar has about `vertices` vertices.
pub fn bar_cells(size_m: DVec3, vertices: usize) -> [usize; 3] {
    let counts = |edge: f64| size_m.to_array().map(|s| ((s / edge).round() as usize).max(1));
    let total = |cells: [usize; 3]| cells.iter().map(|c| c + 1).product::<usize>();
    let longest = size_m.max_element();
    // The count falls as the edge grows, so the best edge of a fine scan is the best there is.
    (1..4000)
        .map(|i| counts(longest * exp(-0.002 * f64::from(i))))
        .min_by_key(|cells| total(*cells).abs_diff(vertices))
        .unwrap_or([1; 3])
}

fn block(cells: [usize; 3], place: impl Fn(DVec3) -> DVec3) -> TetMesh {
    let [nx, ny, nz] = cells;
    let vertex = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    let mut positions = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                positions.push(place(dvec3(i as f64 / nx as f64, j as f64 / ny as f64, k as f64 / nz as f64)));
            }
        }
    }
    let mut tets = Vec::with_capacity(5 * nx * ny * nz);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let c = |n: usize| vertex(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2 & 1));
                let cut = if (i + j + k) % 2 == 0 { EVEN_CUT } else { ODD_CUT };
                tets.extend(cut.map(|tet| tet.map(c)));
            }
        }
    }
    TetMesh { positions, tets }
}

/// Corners of a cube are numbered by bits: 1 is +x, 2 is +y, 4 is +z. The last tet is the inner one.
const EVEN_CUT: [[usize; 4]; 5] = [[1, 3, 0, 5], [2, 0, 3, 6], [4, 5, 0, 6], [7, 3, 5, 6], [0, 3, 6, 5]];
const ODD_CUT: [[usize; 4]; 5] = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 1, 4, 7], [6, 4, 2, 7], [1, 2, 4, 7]];

/// Vertices of a disk of `rings` rings.
pub fn disk_vertices(rings: usize) -> usize {
    1 + 3 * rings * (rings + 1)
}

/// A triangulated disk (ring `k` has `6k` vertices) pulled through `layers` layers of prisms.
pub(crate) fn round_block(rings: usize, layers: usize, place: impl Fn(DVec2, f64) -> DVec3) -> TetMesh {
    let (disk, triangles) = disk(rings);
    let mut positions = Vec::with_capacity(disk.len() * (layers + 1));
    for layer in 0..=layers {
        positions.extend(disk.iter().map(|p| place(*p, layer as f64 / layers as f64)));
    }
    let mut tets = Vec::with_capacity(3 * triangles.len() * layers);
    for layer in 0..layers {
        let lift = |vertex: u32, by: usize| vertex + ((layer + by) * disk.len()) as u32;
        for triangle in &triangles {
            tets.extend(prism_tets(*triangle, |vertex| lift(vertex, 0), |vertex| lift(vertex, 1)));
        }
    }
    TetMesh { positions, tets }
}

/// The same block, its prisms cut so that it is its own mirror image in the disk's x axis and every other layer stands on its
/// head. Cut alike, side faces would wind one way about the axis, and so would a long body that bends.
pub(crate) fn even_round_block(rings: usize, layers: usize, place: impl Fn(DVec2, f64) -> DVec3) -> TetMesh {
    let mut mesh = round_block(rings, layers, place);
    let (disk, triangles) = disk(rings);
    let order = mirrored_order(rings);
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, old)| rank[*old as usize] = new as u32);
    mesh.tets.clear();
    for layer in 0..layers {
        let lift = |rank: u32, by: usize| order[rank as usize] + ((layer + by) * disk.len()) as u32;
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|vertex| rank[vertex as usize]);
            mesh.tets.extend(match layer % 2 {
                0 => prism_tets([a, b, c], |rank| lift(rank, 0), |rank| lift(rank, 1)),
                _ => prism_tets([a, c, b], |rank| lift(rank, 1), |rank| lift(rank, 0)),
            });
        }
    }
    mesh
}

/// The vertices of a disk, ring by ring, so that mirror images in the x axis follow one another.
fn mirrored_order(rings: usize) -> Vec<u32> {
    let mut order = vec![0];
    for ring in 1..=rings {
        let first = 1 + 3 * ring * (ring - 1);
        let pairs = (1..3 * ring).flat_map(|i| [i, 6 * ring - i]);
        order.extend(std::iter::once(0).chain(pairs).chain([3 * ring]).map(|i| (first + i) as u32));
    }
    order
}

/// Three tets of the prism over a triangle. Each side face is cut from its lower-numbered column's foot, so that
/// the prisms on both sides of it cut it alike.
pub(crate) fn prism_tets(triangle: [u32; 3], low: impl Fn(u32) -> u32, high: impl Fn(u32) -> u32) -> [[u32; 4]; 3] {
    let smallest = (0..3).min_by_key(|&i| triangle[i]).unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|i| triangle[(smallest + i) % 3]);
    let apart = if b < c {
        [[low(a), low(b), low(c), high(c)], [low(a), low(b), high(c), high(b)]]
    } else {
        [[low(a), low(b), low(c), high(b)], [low(a), high(b), low(c), high(c)]]
    };
    [apart[0], apart[1], [low(a), high(b), high(c), high(a)]]
}

/// Points of the unit disk and its triangles, clockwise in (x, z) so that prisms over them stand upright in y.
fn disk(rings: usize) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let first = |ring: usize| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) };
    let mut points = vec![DVec2::ZERO];
    for ring in 1..=rings {
        for i in 0..6 * ring {
            let angle = i as f64 / (6 * ring) as f64 * std::f64::consts::TAU;
            points.push(dvec2(cos(angle), sin(angle)) * (ring as f64 / rings as f64));
        }
    }
    let mut triangles = Vec::with_capacity(6 * rings * rings);
    for ring in 1..=rings {
        let outer = |i: usize| (first(ring) + i % (6 * ring)) as u32;
        let inner = |i: usize| if ring == 1 { 0 } else { (first(ring - 1) + i % (6 * (ring - 1))) as u32 };
        for side in 0..6 {
            for i in 0..ring {
                let (o, n) = (side * ring + i, side * (ring - 1) + i);
                triangles.push([outer(o), inner(n), outer(o + 1)]);
                if i + 1 < ring {
                    triangles.push([inner(n), inner(n + 1), outer(o + 1)]);
                }
            }
        }
    }
    (points, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mirror image of an even block is the block itself, but for faces that lie across the mirror.
    #[test]
    fn even_blocks_are_their_own_mirror_image() {
        let mesh = even_round_block(3, 4, |disk, up| DVec3::new(disk.x, up, disk.y));
        let twin: Vec<u32> = mesh
            .positions
            .iter()
            .map(|x| {
                let mirrored = DVec3::new(x.x, x.y, -x.z);
                let nearest = |a: &usize, b: &usize| {
                    let off = |n: usize| mesh.positions[n].distance_squared(mirrored);
                    off(*a).total_cmp(&off(*b))
                };
                (0..mesh.positions.len()).min_by(nearest).unwrap() as u32
            })
            .collect();
        let sorted = |tet: [u32; 4]| {
            let mut tet = tet;
            tet.sort_unstable();
            tet
        };
        let tets: std::collections::HashSet<[u32; 4]> = mesh.tets.iter().map(|tet| sorted(*tet)).collect();
        let alone = mesh.tets.iter().filter(|tet| !tets.contains(&sorted(tet.map(|v| twin[v as usize]))));
        let crosses = |tet: &[u32; 4]| {
            let z = tet.map(|v| mesh.positions[v as usize].z);
            z.iter().any(|z| *z > 1e-9) && z.iter().any(|z| *z < -1e-9)
        };
        assert!(alone.clone().all(crosses), "{}", alone.count());
    }

    /// Edges that wind about the axis: as many one way as the other, so that what bends does not twist.
    #[test]
    fn even_blocks_have_no_hand() {
        let mesh = even_round_block(2, 6, |disk, up| DVec3::new(disk.x, 5.0 * up, disk.y));
        let hand = |[a, b]: [DVec3; 2]| {
            let across = |x: DVec3| DVec3::new(x.x, 0.0, x.z);
            across(a).cross(across(b)).y * (b.y - a.y)
        };
        let mut edges: Vec<[u32; 2]> = (mesh.tets.iter())
            .flat_map(|[a, b, c, d]| {
                [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].map(|[a, b]| [*a.min(b), *a.max(b)])
            })
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let hands: Vec<f64> = edges.iter().map(|edge| hand(edge.map(|v| mesh.positions[v as usize]))).collect();
        let winding: f64 = hands.iter().map(|hand| hand.abs()).sum();
        assert!(winding > 1.0 && hands.iter().sum::<f64>().abs() < 1e-9 * winding, "{}", hands.iter().sum::<f64>());
    }

    fn checked(mesh: TetMesh) -> TetMesh {
        TetMesh::new(mesh.positions, mesh.tets).unwrap()
    }

    #[test]
    fn a_bar_fills_its_box_with_good_tets() {
        let mesh = checked(bar(dvec3(2.0, 0.5, 0.25), [8, 2, 1]));
        assert!((mesh.volume() - 0.25).abs() < 1e-12);
        assert_eq!(mesh.positions.len(), 9 * 3 * 2);
        assert_eq!(mesh.tets.len(), 5 * 16);
        // A closed surface of the box: area 2 (ab + bc + ca).
        let skin = TriangleMesh::new(mesh.positions.clone(), mesh.boundary()).unwrap();
        assert!((skin.area() - 2.0 * (1.0 + 0.125 + 0.5)).abs() < 1e-12);
    }

    #[test]
    fn a_cylinder_approaches_its_volume_from_below() {
        let exact = std::f64::consts::PI * 0.25 * 2.0;
        let errors: Vec<f64> =
            [2, 4, 8].map(|rings| 1.0 - checked(cylinder(0.5, 2.0, rings, 8)).volume() / exact).to_vec();
        assert!(errors.iter().all(|e| *e > 0.0) && errors[2] < 0.011, "{errors:?}");
        assert!(errors[1] / errors[2] > 3.5, "second order: {errors:?}");
    }

    #[test]
    fn a_bell_is_a_valid_thin_dome() {
        let mesh = checked(bell(0.5, 0.45, 0.1, 9, 2));
        let (low, high) = mesh.dihedral_range_deg();
        assert!(low > 12.0 && high < 150.0, "{low} {high}");
    }

    #[test]
    fn asked_vertex_counts_are_met_closely() {
        for (size, asked) in [(dvec3(1.0, 0.2, 0.2), 315), (dvec3(4.0, 1.0, 1.0), 1575), (dvec3(1.0, 1.0, 1.0), 20_000)]
        {
            let cells = bar_cells(size, asked);
            let count: usize = cells.iter().map(|c| c + 1).product();
            assert!(count.abs_diff(asked) * 10 <= asked, "{count} for {asked}");
        }
    }

    #[test]
    fn a_cloth_faces_up() {
        let mesh = cloth(2.0, 1.0, [6, 3]);
        assert!((mesh.area() - 2.0).abs() < 1e-12);
        assert!(mesh.vertex_normals().iter().all(|n| n.y > 0.999));
    }
}
