//! What planning needs of a body at rest: nodes, quadrature, its frame, and points at which it is kept clear
//! of others.

use crate::energy::ElasticForm;
use crate::interpolation::BodyFrame;
use sinew_geom::TetMesh;
use sinew_geom::meshless::{InnerSpheres, MeshlessError, MeshlessOptions, Nodes, ShapeFunctions};
use sinew_math::{DQuat, DVec3};

/// How a body is prepared.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeOptions {
    pub meshless: MeshlessOptions,
    /// Quadrature points a node.
    pub quadrature_per_node: usize,
    /// Surface points held clear of obstacles.
    pub samples: usize,
    /// Inner spheres held clear of other bodies.
    pub spheres: usize,
}

impl Default for ShapeOptions {
    fn default() -> Self {
        Self { meshless: MeshlessOptions::default(), quadrature_per_node: 4, samples: 2000, spheres: 50 }
    }
}

/// Points of the body at rest, with their shape functions.
#[derive(Debug, Clone, Default)]
pub struct BodyPoints {
    pub rest: Vec<DVec3>,
    pub functions: ShapeFunctions,
    /// Radius of the ball around each that belongs to the body; zero for points of the surface.
    pub radius_m: Vec<f64>,
}

/// A body as planning sees it. Bodies of the same shape share one.
#[derive(Debug, Clone)]
pub struct PlanShape {
    pub nodes: Nodes,
    pub elastic: ElasticForm,
    /// Its centre is the centre of mass.
    pub frame: BodyFrame,
    /// Mean of products of shape functions, N × N.
    pub mass: Vec<f64>,
    pub samples: BodyPoints,
    pub spheres: BodyPoints,
    /// Diagonal of the box around the body at rest: the unit of tolerances.
    pub size_m: f64,
    /// Root of the mean square distance from the centre of mass.
    pub gyration_m: f64,
    /// Radius of the ball around the centre of mass that holds the rest shape.
    pub reach_m: f64,
}

/// Why a body cannot be planned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ShapeError {
    #[error(transparent)]
    Meshless(#[from] MeshlessError),
    #[error("{points} points but {places} places for them")]
    PlaceCount { points: usize, places: usize },
    #[error("place {place} of the pose is not a finite number")]
    NotFinite { place: usize },
    #[error("the pose gives {points} points; the nodes of the body need at least 4 that are not coplanar")]
    TooFewPoints { points: usize },
}

impl PlanShape {
    pub fn over(mesh: &TetMesh, options: &ShapeOptions) -> Result<Self, ShapeError> {
        let nodes = Nodes::over(mesh, &options.meshless)?;
        let quadrature = nodes.quadrature(options.quadrature_per_node)?;
        let elastic = ElasticForm::new(nodes.len(), &quadrature);
        let frame = BodyFrame::of_mass(&nodes.rest, &quadrature);
        let total: f64 = quadrature.volume_m3.iter().sum();
        let squares = quadrature.points.iter().zip(&quadrature.volume_m3);
        let square = squares.map(|(x, v)| x.distance_squared(frame.rest_centre) * v).sum::<f64>() / total;
        let low = mesh.positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = mesh.positions.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        let reach_m = mesh.positions.iter().map(|x| x.distance(frame.rest_centre)).fold(0.0, f64::max);
        let samples = surface_points(mesh, &nodes, options.samples)?;
        let inner = InnerSpheres::of(mesh, options.spheres);
        let spheres = BodyPoints::new(&nodes, inner.centres, inner.radius_m)?;
        let mass = elastic.mass();
        Ok(Self {
            elastic,
            frame,
            mass,
            samples,
            spheres,
            size_m: low.distance(high),
            gyration_m: square.sqrt(),
            reach_m,
            nodes,
        })
    }

    pub fn node_count(&self) -> usize {
        self.nodes.rest.len()
    }

    /// Nodal places of the rest shape, turned about its centre of mass, which is carried to a place.
    pub fn rigid_pose(&self, centre: DVec3, turn: DQuat) -> Vec<DVec3> {
        self.frame.rigid(centre, turn)
    }

    /// Nodal places that fit a pose known at points of the body best: least squares, held by a little of the
    /// elastic form's rest shape in the best rigid place where points say nothing.
    pub fn fit_pose(&self, rest: &[DVec3], places: &[DVec3]) -> Result<Vec<DVec3>, ShapeError> {
        if rest.len() != places.len() {
            return Err(ShapeError::PlaceCount { points: rest.len(), places: places.len() });
        }
        if let Some(place) = places.iter().position(|x| !x.is_finite()) {
            return Err(ShapeError::NotFinite { place });
        }
        if rest.len() < 4 {
            return Err(ShapeError::TooFewPoints { points: rest.len() });
        }
        let functions = self.nodes.functions_at(rest)?;
        let even = vec![1.0; rest.len()];
        let turn = sinew_math::rotation::best_fit_rotation(rest, places, &even);
        let share = 1.0 / rest.len() as f64;
        let mean = |points: &[DVec3]| points.iter().fold(DVec3::ZERO, |sum, x| sum + *x) * share;
        let (from, to) = (mean(rest), mean(places));
        let guess: Vec<DVec3> = self.nodes.rest.iter().map(|x| to + turn * (*x - from)).collect();
        /// Weight of the rigid guess beside the points.
        const HOLD: f64 = 1e-7;
        let n = self.node_count();
        let mut normal = vec![0.0; n * n];
        let mut right = vec![0.0; 3 * n];
        for (point, place) in places.iter().enumerate() {
            let row = functions.row(point);
            let now = row.nodes.iter().zip(row.values).fold(DVec3::ZERO, |sum, (i, v)| sum + guess[*i as usize] * *v);
            let gap = *place - now;
            for (a, va) in row.nodes.iter().zip(row.values) {
                for (b, vb) in row.nodes.iter().zip(row.values) {
                    normal[*a as usize * n + *b as usize] += share * va * vb;
                }
                for k in 0..3 {
                    right[k * n + *a as usize] += share * va * gap[k];
                }
            }
        }
        let trace: f64 = (0..n).map(|i| normal[i * n + i]).sum::<f64>() / n as f64;
        (0..n).for_each(|i| normal[i * n + i] += HOLD * trace);
        sinew_math::dense::solve_symmetric(&normal, n, &mut right);
        let step = |i: usize| DVec3::new(right[i], right[n + i], right[2 * n + i]);
        Ok(guess.iter().enumerate().map(|(i, y)| *y + step(i)).collect())
    }
}

impl BodyPoints {
    pub fn new(nodes: &Nodes, rest: Vec<DVec3>, radius_m: Vec<f64>) -> Result<Self, MeshlessError> {
        let functions = nodes.functions_at(&rest)?;
        Ok(Self { rest, functions, radius_m })
    }

    pub fn len(&self) -> usize {
        self.rest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Place of a point for nodal places.
    pub fn place(&self, point: usize, places: &[DVec3]) -> DVec3 {
        let row = self.functions.row(point);
        row.nodes.iter().zip(row.values).fold(DVec3::ZERO, |sum, (i, v)| sum + places[*i as usize] * *v)
    }
}

/// Points of the surface, farthest first, up to a count: its vertices, edges and faces. Vertices alone would
/// let the rim of a thin wall in between them.
fn surface_points(mesh: &TetMesh, nodes: &Nodes, count: usize) -> Result<BodyPoints, MeshlessError> {
    let triangles = mesh.boundary();
    let mut on_surface: Vec<u32> = triangles.iter().flatten().copied().collect();
    on_surface.sort_unstable();
    on_surface.dedup();
    let mut places: Vec<DVec3> = on_surface.iter().map(|v| mesh.positions[*v as usize]).collect();
    /// Candidates a sample: enough to choose from, few enough to be quick.
    const CANDIDATES: usize = 8;
    let share = triangles.len().div_ceil(count.max(1) * CANDIDATES).max(1);
    for corners in triangles.iter().step_by(share) {
        let [a, b, c] = corners.map(|v| mesh.positions[v as usize]);
        places.extend([a.midpoint(b), b.midpoint(c), c.midpoint(a), (a + b + c) / 3.0]);
        let inner = |p: DVec3, q: DVec3, r: DVec3| p * (2.0 / 3.0) + (q + r) / 6.0;
        places.extend([inner(a, b, c), inner(b, c, a), inner(c, a, b)]);
    }
    let chosen: Vec<DVec3> = farthest_first(&places, count).into_iter().map(|n| places[n]).collect();
    let radius_m = vec![0.0; chosen.len()];
    BodyPoints::new(nodes, chosen, radius_m)
}

/// Numbers of points in an order in which each is the farthest from those before it.
fn farthest_first(points: &[DVec3], count: usize) -> Vec<usize> {
    if points.is_empty() || count == 0 {
        return Vec::new();
    }
    let mut chosen = vec![0];
    let mut away: Vec<f64> = points.iter().map(|x| x.distance(points[0])).collect();
    while chosen.len() < count.min(points.len()) {
        let next = (0..points.len()).fold(0, |best, n| if away[n] > away[best] { n } else { best });
        if away[next] <= 0.0 {
            break;
        }
        chosen.push(next);
        away.iter_mut().zip(points).for_each(|(a, x)| *a = a.min(x.distance(points[next])));
    }
    chosen
}
