//! Bodies of one method under one solver, and where all of them begin.

use super::{BodySetup, Method, SetupError};
use sinew_math::DVec3;
use sinew_solve::fem::{DescentSolver, FemBody, FemError, FemMethod, FemSolver};
use sinew_solve::shape_matching::{ShapeMatchingBody, ShapeMatchingSolver};
use sinew_solve::springs::{SpringsBody, SpringsSolver};
use sinew_solve::{Cells, RigidMotion, Solver, StageState};
use std::ops::Range;

/// All bodies of one method, which one solver moves.
pub(super) struct Group {
    pub(super) solver: Box<dyn Solver>,
    pub(super) bodies: Range<usize>,
}

/// One solver for each method there is, over its bodies (which stand together).
pub(super) fn group_by_method(bodies: &[BodySetup]) -> Result<Vec<Group>, SetupError> {
    let mut groups = Vec::new();
    for mates in bodies.chunk_by(|a, b| a.method.order() == b.method.order()) {
        let first = groups.last().map_or(0, |group: &Group| group.bodies.end);
        let solver: Box<dyn Solver> = match mates[0].method {
            Method::ShapeMatching(_) => Box::new(shape_matching(mates)?),
            Method::Fem(params) if params.method == FemMethod::Newton => Box::new(fem(mates, FemSolver::new)?),
            Method::Fem(_) => Box::new(fem(mates, DescentSolver::new)?),
            Method::Springs(_) => Box::new(springs(mates)?),
        };
        groups.push(Group { solver, bodies: first..first + mates.len() });
    }
    Ok(groups)
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
    if let Some(body) = bodies.iter().find(|body| !matches!(body.flesh.cells, Cells::Tets(_))) {
        return Err(SetupError::Fem { body: body.name.clone(), source: FemError::NotTets });
    }
    let one = |body: &BodySetup| match body.method {
        Method::Fem(params) => Some(FemBody { flesh: body.flesh.clone(), material: body.material, params }),
        _ => None,
    };
    new(bodies.iter().filter_map(one).collect())
        .map_err(|source| SetupError::Fem { body: bodies[0].name.clone(), source })
}

fn springs(bodies: &[BodySetup]) -> Result<SpringsSolver, SetupError> {
    let one = |body: &BodySetup| match body.method {
        Method::Springs(params) => Some(SpringsBody::new(body.flesh.clone(), body.material, params)),
        _ => None,
    };
    SpringsSolver::new(bodies.iter().filter_map(one).collect())
        .map_err(|source| SetupError::Springs { body: bodies[0].name.clone(), source })
}

/// Every body where it was placed, at rest or as it is to begin, moving as it was told to.
pub(super) fn first_state(groups: &[Group], bodies: &[BodySetup]) -> StageState {
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
