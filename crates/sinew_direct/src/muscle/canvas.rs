//! Flesh made ready to be painted: its surface to find places on, and what field solves need, kept from stroke to stroke.

use super::constraints::{Dab, Wanted};
use super::lines::LineSolver;
use super::paint::{Fields, Method, Painting};
use super::{Charts, Muscle, Pulls, VolumeMode, pulls};
use crate::{MaterialFields, MaterialPainting};
use sinew_geom::distance::TriangleTree;
use sinew_geom::field::{MaterialPoint, MeshDistance, Rbf, SmoothField};
use sinew_geom::{TetMesh, TriangleMesh, adjacency};
use sinew_math::sparse::FactorError;
use sinew_math::{Curve, DMat3, DVec3, Number};
use sinew_solve::{Cells, Flesh};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Made once per flesh. What only some fields need is made when the first of them asks.
pub struct Canvas {
    flesh: Arc<Flesh>,
    shape: Arc<Shape>,
}

/// What follows from where the points are and how they hang together, whatever they weigh.
#[derive(Default)]
struct Shape {
    surface: OnceLock<Surface>,
    smooth: OnceLock<Result<SmoothField, FactorError>>,
    distance: OnceLock<MeshDistance>,
    lines: OnceLock<Result<LineSolver, FactorError>>,
    muscles: Lately<Painting, Fields>,
    pulls: Lately<(Painting, ChartKey), Pulls>,
    materials: Lately<MaterialPainting, MaterialFields>,
}

/// Charts without their beat: what pulls are made of beside fields.
#[derive(Clone, PartialEq)]
struct ChartKey {
    curves: [Option<Curve>; 3],
    volume: VolumeMode,
    rate_limit: f64,
}

impl ChartKey {
    fn of(charts: &Charts) -> Self {
        let Charts { primary, secondary, tertiary, volume, rate_limit, .. } = charts.clone();
        Self { curves: [Some(primary), secondary, tertiary], volume, rate_limit }
    }
}

/// What was made lately, the last one last.
struct Lately<K, V>(Mutex<Vec<(K, Arc<V>)>>);

impl<K, V> Default for Lately<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Clone + PartialEq, V> Lately<K, V> {
    /// Several muscles, each before and after an edit.
    const KEPT: usize = 16;

    fn find_or_make<E>(&self, key: &K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = kept().iter().find(|(other, _)| other == key) {
            return Ok(value.clone());
        }
        let value = Arc::new(make()?);
        let mut kept = kept();
        kept.push((key.clone(), value.clone()));
        let too_many = kept.len().saturating_sub(Self::KEPT);
        kept.drain(..too_many);
        Ok(value)
    }
}

/// The flesh's surface, over its points.
struct Surface {
    triangles: Vec<[u32; 3]>,
    tree: TriangleTree,
    edge_m: f64,
    size_m: f64,
}

impl Canvas {
    pub fn new(flesh: Arc<Flesh>) -> Self {
        Self { flesh, shape: Arc::default() }
    }

    /// A canvas for flesh of the same points that weighs otherwise; what was made for this one serves it too.
    pub fn reweighed(&self, flesh: Arc<Flesh>) -> Self {
        if flesh.has_points_of(&self.flesh) { Self { flesh, shape: self.shape.clone() } } else { Self::new(flesh) }
    }

    /// The fields of a painting; one that was made lately is not made again. So a painting may be made on another thread
    /// while its forerunner is in use, and is at hand when it is wanted.
    pub fn paint(&self, painting: &Painting) -> Result<Arc<Fields>, FactorError> {
        self.shape.muscles.find_or_make(painting, || painting.on(self))
    }

    /// A muscle of charts on a painting. Copies of a body share its tables, which a step then finds in the cache.
    pub fn muscle(
        &self,
        charts: Charts,
        painting: &Painting,
        speed_per_sec: Option<Number>,
    ) -> Result<Muscle, FactorError> {
        let fields = self.paint(painting)?;
        let key = (painting.clone(), ChartKey::of(&charts));
        let pulls = self.shape.pulls.find_or_make(&key, || Ok::<_, FactorError>(pulls(&charts, &fields.frames)))?;
        Ok(Muscle::of_pulls(charts, fields, pulls, speed_per_sec))
    }

    /// The same for what a body is made of.
    pub fn paint_material(&self, painting: &MaterialPainting) -> Result<Arc<MaterialFields>, FactorError> {
        self.shape.materials.find_or_make(painting, || painting.on(self))
    }

    fn surface(&self) -> &Surface {
        self.shape.surface.get_or_init(|| Surface::of(&self.flesh))
    }

    pub fn flesh(&self) -> &Flesh {
        &self.flesh
    }

    /// The diagonal of the rest shape's box.
    pub(super) fn size_m(&self) -> f64 {
        self.surface().size_m
    }

    /// The mean edge of the surface.
    pub(super) fn edge_m(&self) -> f64 {
        self.surface().edge_m
    }

    /// Corners of the flesh's surface triangles, as points.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.surface().triangles
    }

    /// The surface triangle nearest to a place.
    pub(super) fn triangle_at(&self, place: DVec3) -> Option<u32> {
        self.surface().tree.nearest(place).map(|hit| hit.triangle)
    }

    /// The points farther than `reach_m` from all of `places`, through the flesh or through space.
    pub(super) fn beyond(&self, method: Method, places: &[DVec3], reach_m: f64) -> Result<Vec<u32>, FactorError> {
        match method {
            Method::Mesh => Ok(self.mesh_distance().beyond(&self.material_points(places)?, reach_m)),
            Method::Rbf => {
                let is_beyond = |x: DVec3| places.iter().all(|place| place.distance(x) > reach_m);
                let points = self.flesh.rest.iter().enumerate();
                Ok(points.filter(|(_, x)| is_beyond(**x)).map(|(point, _)| point as u32).collect())
            }
        }
    }

    /// The flesh made ready to be measured, for touches too.
    pub fn mesh_distance(&self) -> &MeshDistance {
        self.shape.distance.get_or_init(|| match &self.flesh.cells {
            Cells::Tets(tets) => MeshDistance::in_tets(&self.tet_mesh(tets)),
            Cells::Shell(triangles) => MeshDistance::on_sheet(&self.sheet(triangles)),
        })
    }

    /// Where places lie in the flesh.
    pub(super) fn material_points(&self, places: &[DVec3]) -> Result<Vec<MaterialPoint>, FactorError> {
        Ok(self.smooth()?.places(places))
    }

    pub(super) fn lines(&self) -> Result<&LineSolver, FactorError> {
        self.shape.lines.get_or_init(|| LineSolver::new(&self.flesh)).as_ref().map_err(|error| *error)
    }

    fn smooth(&self) -> Result<&SmoothField, FactorError> {
        let made = self.shape.smooth.get_or_init(|| match &self.flesh.cells {
            Cells::Tets(tets) => SmoothField::in_tets(&self.tet_mesh(tets)),
            Cells::Shell(triangles) => SmoothField::on_sheet(&self.sheet(triangles)),
        });
        made.as_ref().map_err(|error| *error)
    }

    fn tet_mesh(&self, tets: &[[u32; 4]]) -> TetMesh {
        TetMesh { positions: self.flesh.rest.clone(), tets: tets.to_vec() }
    }

    fn sheet(&self, triangles: &[[u32; 3]]) -> TriangleMesh {
        TriangleMesh { positions: self.flesh.rest.clone(), triangles: triangles.to_vec() }
    }

    /// `N` fields through the same places, at every point.
    pub(super) fn fields<const N: usize>(
        &self,
        method: Method,
        wanted: &Wanted<N>,
    ) -> Result<[Vec<f64>; N], FactorError> {
        let (mut places, mut values): (Vec<DVec3>, Vec<[f64; N]>) =
            wanted.dabs.iter().map(|dab| (dab.at, dab.value)).unzip();
        values.extend(wanted.points.iter().map(|(_, value)| *value));
        match method {
            Method::Mesh => {
                let smooth = self.smooth()?;
                let mut material = smooth.places(&places);
                material.extend(wanted.points.iter().map(|(point, _)| MaterialPoint::vertex(*point)));
                smooth.through(&material, &values)
            }
            Method::Rbf => {
                places.extend(wanted.points.iter().map(|(point, _)| self.flesh.rest[*point as usize]));
                let mut fields: [Vec<f64>; N] = std::array::from_fn(|_| vec![0.0; self.flesh.point_count()]);
                if let Some(rbf) = Rbf::through(&places, &values, RBF_SOFTNESS) {
                    for (i, x) in self.flesh.rest.iter().enumerate() {
                        for (field, value) in fields.iter_mut().zip(rbf.value(*x)) {
                            field[i] = value;
                        }
                    }
                }
                Ok(fields)
            }
        }
    }

    /// One field and its slope at every point.
    pub(super) fn field_and_slope(
        &self,
        method: Method,
        dabs: Vec<Dab<1>>,
    ) -> Result<(Vec<f64>, Vec<DVec3>), FactorError> {
        let [field] = self.fields(method, &Wanted { dabs, points: Vec::new() })?;
        let slope = self.slope(&field);
        Ok((field, slope))
    }

    /// The slope of a field at every point: the mean of its cells' slopes, weighted by their measure.
    fn slope(&self, field: &[f64]) -> Vec<DVec3> {
        let x = &self.flesh.rest;
        let mut sums = vec![(DVec3::ZERO, 0.0); x.len()];
        let mut add = |cell: &[u32], slope: DVec3, measure: f64| {
            for &v in cell {
                sums[v as usize].0 += slope * measure;
                sums[v as usize].1 += measure;
            }
        };
        match &self.flesh.cells {
            Cells::Tets(tets) => {
                for tet in tets {
                    let [a, b, c, d] = tet.map(|v| x[v as usize]);
                    let [fa, fb, fc, fd] = tet.map(|v| field[v as usize]);
                    let edges = DMat3::from_cols(b - a, c - a, d - a);
                    let rises = DVec3::new(fb - fa, fc - fa, fd - fa);
                    add(tet, edges.inverse().transpose() * rises, edges.determinant());
                }
            }
            Cells::Shell(triangles) => {
                for triangle in triangles {
                    let [a, b, c] = triangle.map(|v| x[v as usize]);
                    let [fa, fb, fc] = triangle.map(|v| field[v as usize]);
                    let normal = (b - a).cross(c - a);
                    let around = (c - b) * fa + (a - c) * fb + (b - a) * fc;
                    let squared = normal.length_squared().max(f64::MIN_POSITIVE);
                    add(triangle, normal.cross(around) / squared, squared.sqrt());
                }
            }
        }
        sums.into_iter().map(|(sum, measure)| if measure > 0.0 { sum / measure } else { DVec3::ZERO }).collect()
    }
}

impl Surface {
    fn of(flesh: &Flesh) -> Self {
        let point = |corner: u32| flesh.surface_rows[corner as usize].0;
        let triangles: Vec<[u32; 3]> = flesh.surface_triangles.iter().map(|t| t.map(point)).collect();
        let tree = TriangleTree::new(&flesh.rest, &triangles);
        let edges = adjacency::edges(flesh.point_count(), &triangles);
        let length = |[a, b]: &[u32; 2]| flesh.rest[*a as usize].distance(flesh.rest[*b as usize]);
        let edge_m = edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64;
        let bounds = |from: DVec3, pick: fn(DVec3, DVec3) -> DVec3| flesh.rest.iter().fold(from, |b, x| pick(b, *x));
        let size_m = bounds(DVec3::INFINITY, DVec3::min).distance(bounds(DVec3::NEG_INFINITY, DVec3::max));
        Self { triangles, tree, edge_m, size_m }
    }
}

/// Dabs that lie almost in one place would make the system of radial functions ill-conditioned.
const RBF_SOFTNESS: f64 = 1e-9;
