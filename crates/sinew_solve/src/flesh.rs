//! What is simulated: points with mass, the cells between them, and the surface that touches the world.

use serde::{Deserialize, Serialize};
use sinew_geom::structured::bar;
use sinew_geom::{MeshError, Row, Rows, TetMesh, TriangleMesh, adjacency, order};
use sinew_math::DVec3;

/// Fixed once built. The order of vertices is chosen here, for locality, and is the order of ids, cues, takes and
/// embeddings from then on; [`Flesh::file_order`] leads back to the file's.
#[derive(Debug, Clone, PartialEq)]
pub struct Flesh {
    /// Rest positions x0 of the degrees of freedom, metres, about the body's own rest frame.
    pub rest: Vec<DVec3>,
    pub mass_kg: Vec<f64>,
    pub cells: Cells,
    /// Where the points are a grid: how many along x, y and z. Its boxes are cut into `cells`.
    pub lattice: Option<[u32; 3]>,
    /// Material points as rows over the degrees of freedom. Row `i` below [`Flesh::point_count`] is point `i`.
    pub anchors: Rows,
    /// Rows of the surface's vertices, and triangles over them (indices into `surface_rows`).
    pub surface_rows: Vec<Row>,
    pub surface_triangles: Vec<[u32; 3]>,
    /// `file_order[i]` is where point `i` stands in the mesh it came from.
    pub file_order: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Cells {
    Tets(Vec<[u32; 4]>),
    Shell(Vec<[u32; 3]>),
}

impl Flesh {
    /// Tetrahedral flesh of even density. Vertices are put in order for locality.
    pub fn from_tets(mesh: TetMesh, density_kg_m3: f64) -> Result<Self, MeshError> {
        let mesh = TetMesh::new(mesh.positions, mesh.tets)?;
        let file_order = order::morton(&mesh.positions);
        let to = order::inverse(&file_order);
        let positions: Vec<DVec3> = file_order.iter().map(|&old| mesh.positions[old as usize]).collect();
        let mut tets: Vec<[u32; 4]> = mesh.tets.iter().map(|tet| tet.map(|v| to[v as usize])).collect();
        tets.sort_unstable_by_key(|tet| tet.iter().copied().min());
        let mesh = TetMesh { positions, tets };
        let mass_kg = mesh.vertex_volumes().iter().map(|v| v * density_kg_m3).collect();
        let (surface_rows, surface_triangles) = used_vertices(&mesh.boundary());
        Ok(Self {
            mass_kg,
            anchors: Rows::identity(mesh.positions.len()),
            surface_rows,
            surface_triangles,
            file_order,
            rest: mesh.positions,
            cells: Cells::Tets(mesh.tets),
            lattice: None,
        })
    }

    /// A grid of `points` along x, y and z (2 or more) that fills a box centred at the origin. Its boxes are cut into tets, so that
    /// contact, skins and fields find what they need; the spring solver joins all corners of each.
    pub fn from_lattice(size_m: DVec3, points: [u32; 3], density_kg_m3: f64) -> Result<Self, MeshError> {
        let points = points.map(|n| n.max(2));
        let cells = points.map(|n| n as usize - 1);
        let mut flesh = Self::from_tets(bar(size_m, cells), density_kg_m3)?;
        // Tets would make every other point heavier.
        let box_kg = flesh.total_mass_kg() / cells.iter().product::<usize>() as f64;
        let [nx, ny, nz] = points;
        for (mass, &place) in flesh.mass_kg.iter_mut().zip(&flesh.file_order) {
            let grid = [place % nx, place / nx % ny, place / (nx * ny)];
            let inner = grid.iter().zip([nx, ny, nz]).filter(|(at, n)| (1..n - 1).contains(*at)).count();
            *mass = box_kg / 8.0 * f64::from(1u32 << inner);
        }
        Ok(Self { lattice: Some(points), ..flesh })
    }

    /// A sheet of even area density (kg/m²).
    pub fn from_shell(mesh: &TriangleMesh, density_kg_m2: f64) -> Self {
        let file_order = order::morton(&mesh.positions);
        let to = order::inverse(&file_order);
        let rest: Vec<DVec3> = file_order.iter().map(|&old| mesh.positions[old as usize]).collect();
        let mut triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| to[v as usize])).collect();
        triangles.sort_unstable_by_key(|t| t.iter().copied().min());
        let ordered = TriangleMesh { positions: rest, triangles };
        let mass_kg = ordered.vertex_areas().iter().map(|a| a * density_kg_m2).collect();
        let (surface_rows, surface_triangles) = used_vertices(&ordered.triangles);
        Self {
            mass_kg,
            anchors: Rows::identity(ordered.positions.len()),
            surface_rows,
            surface_triangles,
            file_order,
            rest: ordered.positions,
            cells: Cells::Shell(ordered.triangles),
            lattice: None,
        }
    }

    /// The same flesh of another density at each point: kg/m³, of a sheet kg/m².
    pub fn with_density(&self, density: impl Fn(usize) -> f64) -> Self {
        let measures = match &self.cells {
            Cells::Tets(tets) => TetMesh { positions: self.rest.clone(), tets: tets.clone() }.vertex_volumes(),
            Cells::Shell(triangles) => {
                TriangleMesh { positions: self.rest.clone(), triangles: triangles.clone() }.vertex_areas()
            }
        };
        let mass_kg = measures.iter().enumerate().map(|(point, measure)| measure * density(point)).collect();
        Self { mass_kg, ..self.clone() }
    }

    /// Whether the points and cells are those of `other`, whatever they weigh: a state of the one is one of the other.
    pub fn has_points_of(&self, other: &Self) -> bool {
        self.rest == other.rest && self.cells == other.cells && self.anchors == other.anchors
    }

    /// Points that are not on the surface of a solid; none of a sheet.
    pub fn inner_points(&self) -> Vec<Row> {
        let mut on_surface = vec![false; self.point_count()];
        for &row in &self.surface_rows {
            self.anchors.terms(row).for_each(|(point, _)| on_surface[point] = true);
        }
        (0..self.point_count()).filter(|&point| !on_surface[point]).map(|point| Row(point as u32)).collect()
    }

    pub fn point_count(&self) -> usize {
        self.rest.len()
    }

    pub fn total_mass_kg(&self) -> f64 {
        self.mass_kg.iter().sum()
    }

    /// Each point's neighbours over cell edges, in rising order, without itself.
    pub fn one_rings(&self) -> Vec<Vec<u32>> {
        match &self.cells {
            Cells::Tets(tets) => adjacency::one_rings(self.rest.len(), tets),
            Cells::Shell(triangles) => adjacency::one_rings(self.rest.len(), triangles),
        }
    }

    /// How long the edges at each point are with points at `x`, over their length at rest.
    pub fn stretch(&self, x: &[DVec3]) -> Vec<f64> {
        let mut lengths = vec![[0.0; 2]; self.point_count()];
        let mut add = |cell: &[u32]| {
            for (i, &a) in cell.iter().enumerate() {
                for &b in &cell[i + 1..] {
                    let (a, b) = (a as usize, b as usize);
                    let (long, rest) = (x[a].distance(x[b]), self.rest[a].distance(self.rest[b]));
                    for point in [a, b] {
                        lengths[point][0] += long;
                        lengths[point][1] += rest;
                    }
                }
            }
        };
        match &self.cells {
            Cells::Tets(tets) => tets.iter().for_each(|tet| add(tet)),
            Cells::Shell(triangles) => triangles.iter().for_each(|triangle| add(triangle)),
        }
        lengths.iter().map(|[long, rest]| if *rest > 0.0 { long / rest } else { 1.0 }).collect()
    }

    /// Diagonal of the rest shape's bounding box: "the size" that tolerances refer to.
    pub fn size_m(&self) -> f64 {
        let low = self.rest.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = self.rest.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        (high - low).length()
    }

    /// BLAKE3 of rest positions, masses and cells: equal where the numbers of a state mean the same.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (x, mass) in self.rest.iter().zip(&self.mass_kg) {
            for number in [x.x, x.y, x.z, *mass] {
                hasher.update(&number.to_le_bytes());
            }
        }
        let corners: Vec<u32> = match &self.cells {
            Cells::Tets(tets) => tets.iter().flatten().copied().collect(),
            Cells::Shell(triangles) => triangles.iter().flatten().copied().collect(),
        };
        for corner in corners.into_iter().chain(self.lattice.into_iter().flatten()) {
            hasher.update(&corner.to_le_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// The material point nearest to `at` in the rest shape.
    pub fn nearest_point(&self, at: DVec3) -> Row {
        let nearest = (0..self.rest.len())
            .min_by(|&a, &b| self.rest[a].distance_squared(at).total_cmp(&self.rest[b].distance_squared(at)));
        Row(nearest.unwrap_or(0) as u32)
    }
}

/// The vertices that triangles use, as rows in rising order, and the triangles over them.
fn used_vertices(triangles: &[[u32; 3]]) -> (Vec<Row>, Vec<[u32; 3]>) {
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let place = |vertex: u32| used.binary_search(&vertex).map_or(0, |i| i as u32);
    let triangles = triangles.iter().map(|t| t.map(place)).collect();
    (used.iter().map(|&v| Row(v)).collect(), triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn flesh_keeps_mass_volume_and_the_way_back_to_the_file() {
        let mesh = bar(dvec3(1.0, 0.2, 0.2), [10, 2, 2]);
        let flesh = Flesh::from_tets(mesh.clone(), 1000.0).unwrap();
        assert!((flesh.total_mass_kg() - 40.0).abs() < 1e-9);
        for (i, &old) in flesh.file_order.iter().enumerate() {
            assert_eq!(flesh.rest[i], mesh.positions[old as usize]);
        }
        assert_eq!(flesh.nearest_point(flesh.rest[7]), Row(7));
    }

    #[test]
    fn another_density_weighs_as_if_it_had_been_built_so() {
        let mesh = bar(dvec3(1.0, 0.2, 0.2), [10, 2, 2]);
        let (light, heavy) = (Flesh::from_tets(mesh.clone(), 920.0).unwrap(), Flesh::from_tets(mesh, 1060.0).unwrap());
        assert_eq!(light.with_density(|_| 1060.0), heavy);
        assert!(light.has_points_of(&heavy));
        let left = light.with_density(|point| if light.rest[point].x < 0.0 { 2.0 } else { 1.0 });
        assert!((left.total_mass_kg() - 0.04 * 1.5).abs() < 4e-3 && left.has_points_of(&light));
    }

    #[test]
    fn stretch_is_the_factor_of_an_even_scale() {
        let flesh = Flesh::from_tets(bar(DVec3::new(1.0, 0.3, 0.2), [3, 1, 1]), 1000.0).unwrap();
        let grown: Vec<DVec3> = flesh.rest.iter().map(|x| *x * 1.3).collect();
        assert!(flesh.stretch(&grown).iter().all(|stretch| (stretch - 1.3).abs() < 1e-12));
    }
}
