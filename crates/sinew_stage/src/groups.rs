//! Bodies under their solvers, and where all of them begin.

use crate::{BodySetup, Method, SetupError};
use sinew_math::DVec3;
use sinew_solve::contact::Spot;
use sinew_solve::fem::{DescentSolver, FemBody, FemError, FemMethod, FemSolver};
use sinew_solve::mixed::{MixedError, MixedSolver};
use sinew_solve::shape_matching::{ShapeMatchingBody, ShapeMatchingSolver};
use sinew_solve::springs::{SpringsBody, SpringsSolver};
use sinew_solve::{BodyId, BodyState, Cells, Cues, RigidMotion, Solver, StageState};
use std::ops::Range;

/// Bodies that one solver moves.
pub(crate) struct Group {
    pub(crate) solver: Box<dyn Solver>,
    pub(crate) bodies: Range<usize>,
}

impl Group {
    /// How easily an impulse moves a row of a contact on one of its bodies, 1/kg.
    fn inverse_mass(&self, row: &Spot) -> f64 {
        self.solver.inverse_mass(row.body.0 as usize - self.bodies.start, row)
    }

    /// Whether nothing moves any point of a body, by its number on the stage.
    pub(crate) fn is_given(&self, body: usize) -> bool {
        let points = self.solver.flesh(body - self.bodies.start).point_count();
        let row = |point: usize| Spot::of_point(BodyId(body as u32), point as u32);
        (0..points).all(|point| self.inverse_mass(&row(point)) == 0.0)
    }

    /// Elastic energy of one of its bodies, by its number on the stage.
    pub(crate) fn energy_j(&self, body: usize, state: &BodyState, cues: &Cues) -> f64 {
        self.solver.energy(body - self.bodies.start, state, cues)
    }
}

/// How easily an impulse moves a row of a contact, 1/kg, as the solver of its body says.
pub(crate) fn inverse_mass(groups: &[Group], row: &Spot) -> f64 {
    let group = groups.iter().find(|group| group.bodies.contains(&(row.body.0 as usize)));
    group.map_or(0.0, |group| group.inverse_mass(row))
}

/// One solver for shape matching and one for all implicit methods, over their bodies (which stand together).
pub(crate) fn group_by_method(bodies: &[BodySetup]) -> Result<Vec<Group>, SetupError> {
    let mut groups = Vec::new();
    for mates in bodies.chunk_by(|a, b| a.method.is_implicit() == b.method.is_implicit()) {
        let first = groups.last().map_or(0, |group: &Group| group.bodies.end);
        let is_mixed = mates.iter().any(|body| body.method.order() != mates[0].method.order());
        let solver: Box<dyn Solver> = match mates[0].method {
            _ if is_mixed => Box::new(mixed(mates)?),
            Method::ShapeMatching(_) => Box::new(shape_matching(mates)?),
            Method::Fem(params) if params.method == FemMethod::Newton => Box::new(fem(mates, FemSolver::new)?),
            Method::Fem(_) => Box::new(fem(mates, DescentSolver::new)?),
            Method::Springs(_) => Box::new(springs(mates)?),
        };
        groups.push(Group { solver, bodies: first..first + mates.len() });
    }
    Ok(groups)
}

/// Bodies of several implicit methods, which stand in the order of methods.
fn mixed(bodies: &[BodySetup]) -> Result<MixedSolver, SetupError> {
    let blame = |source: MixedError| match source {
        MixedError::Fem(source) => SetupError::Fem { body: bodies[0].name.clone(), source },
        MixedError::Springs(source) => SetupError::Springs { body: bodies[0].name.clone(), source },
    };
    let of_order = |order: u8| bodies.iter().filter(move |body| body.method.order() == order);
    let [newton, descent] = [1, 2].map(|order| fem_bodies(of_order(order)));
    MixedSolver::new(newton?, descent?, spring_bodies(bodies.iter())).map_err(blame)
}

fn shape_matching(bodies: &[BodySetup]) -> Result<ShapeMatchingSolver, SetupError> {
    let one = |body: &BodySetup| match body.method {
        Method::ShapeMatching(params) => {
            Some(ShapeMatchingBody { flesh: body.flesh.clone(), material: body.material, params })
        }
        _ => None,
    };
    ShapeMatchingSolver::new(bodies.iter().filter_map(one).collect())
        .map_err(|source| SetupError::ShapeMatching { body: bodies[source.body()].name.clone(), source })
}

fn fem<S>(bodies: &[BodySetup], new: impl Fn(Vec<FemBody>) -> Result<S, FemError>) -> Result<S, SetupError> {
    new(fem_bodies(bodies.iter())?).map_err(|source| SetupError::Fem { body: bodies[0].name.clone(), source })
}

fn fem_bodies<'a>(bodies: impl Iterator<Item = &'a BodySetup>) -> Result<Vec<FemBody>, SetupError> {
    let mut all = Vec::new();
    for body in bodies {
        if !matches!(body.flesh.cells, Cells::Tets(_)) {
            return Err(SetupError::Fem { body: body.name.clone(), source: FemError::NotTets });
        }
        if let Method::Fem(params) = body.method {
            all.push(FemBody { flesh: body.flesh.clone(), material: body.material, params });
        }
    }
    Ok(all)
}

fn springs(bodies: &[BodySetup]) -> Result<SpringsSolver, SetupError> {
    SpringsSolver::new(spring_bodies(bodies.iter()))
        .map_err(|source| SetupError::Springs { body: bodies[0].name.clone(), source })
}

fn spring_bodies<'a>(bodies: impl Iterator<Item = &'a BodySetup>) -> Vec<SpringsBody> {
    let one = |body: &BodySetup| match body.method {
        Method::Springs(params) => Some(SpringsBody::new(body.flesh.clone(), body.material, params)),
        _ => None,
    };
    bodies.filter_map(one).collect()
}

/// Every body where it was placed, at rest or as it is to begin, moving as it was told to.
pub(crate) fn first_state(groups: &[Group], bodies: &[BodySetup]) -> StageState {
    let mut states = Vec::with_capacity(bodies.len());
    for group in groups {
        for i in group.bodies.clone() {
            let mut state = group.solver.rest_state(i - group.bodies.start);
            let body = &bodies[i];
            if body.start.len() == state.x.len() {
                state.x.clone_from(&body.start);
                state.recentre(&body.flesh.mass_kg);
            }
            let placed = RigidMotion {
                about: DVec3::ZERO,
                turn: body.turn,
                shift: body.at,
                dv: body.velocity,
                spin: DVec3::ZERO,
            };
            group.solver.move_rigidly(&mut state, &placed);
            states.push(state);
        }
    }
    let director_states =
        bodies.iter().map(|body| body.directors.iter().map(|d| d.director.first_state()).collect()).collect();
    StageState { tick: 0, bodies: states, director_states }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::{BodySetup, FrictionTrack, Method, Skin};
    use sinew_direct::muscle::Canvas;
    use sinew_geom::structured::bar;
    use sinew_math::{DQuat, DVec3};
    use sinew_solve::shape_matching::ShapeMatchingParams;
    use sinew_solve::{Flesh, Material};
    use std::sync::Arc;

    /// A cube of 20 cm that nothing directs.
    pub(crate) fn body(name: &str) -> BodySetup {
        let mesh = bar(DVec3::splat(0.2), [2, 2, 2]);
        let flesh = Arc::new(Flesh::from_tets(mesh, 1000.0).unwrap_or_else(|error| panic!("{error}")));
        BodySetup {
            name: name.to_owned(),
            canvas: Arc::new(Canvas::new(flesh.clone())),
            skin: Arc::new(Skin::of_flesh(&flesh, None)),
            flesh,
            colour: None,
            material: Material::default(),
            method: Method::ShapeMatching(ShapeMatchingParams::default()),
            at: DVec3::ZERO,
            turn: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            start: Vec::new(),
            directors: Vec::new(),
            friction: FrictionTrack::default(),
            friction_along: Arc::default(),
            restitution: 0.0,
            touches_itself: false,
        }
    }
}
