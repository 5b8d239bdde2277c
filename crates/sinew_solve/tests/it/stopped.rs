//! A step that is stopped ends with an error; one that is not has the same bits with a flag and without.

use sinew_geom::structured::bar;
use sinew_math::{DVec3, dvec3};
use sinew_solve::fem::{DescentSolver, FemBody, FemMethod, FemParams, FemSolver, LinearSolve};
use sinew_solve::mixed::MixedSolver;
use sinew_solve::shape_matching::{ShapeMatchingBody, ShapeMatchingParams, ShapeMatchingSolver};
use sinew_solve::springs::{SpringsBody, SpringsMethod, SpringsParams, SpringsSolver};
use sinew_solve::{BodyState, Cues, Flesh, Material, Solver, StepError, StepInput, StepReport, StopFlag};
use std::sync::Arc;

fn solvers() -> Vec<(&'static str, Box<dyn Solver>)> {
    let flesh = Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [10, 2, 2]), 1000.0).unwrap());
    let material = Material::default();
    let fem = |method, linear| FemBody {
        flesh: flesh.clone(),
        material,
        params: FemParams { method, linear, ..FemParams::default() },
    };
    let springs =
        |method| SpringsBody::new(flesh.clone(), material, SpringsParams { method, ..SpringsParams::default() });
    let newton = || fem(FemMethod::Newton, LinearSolve::Auto);
    let descent = || fem(FemMethod::Descent { iterations: 40 }, LinearSolve::Auto);
    let matched = ShapeMatchingBody { flesh: flesh.clone(), material, params: ShapeMatchingParams::default() };
    vec![
        ("newton", Box::new(FemSolver::new(vec![newton()]).unwrap())),
        ("cholesky", Box::new(FemSolver::new(vec![fem(FemMethod::Newton, LinearSolve::Cholesky)]).unwrap())),
        ("descent", Box::new(DescentSolver::new(vec![descent()]).unwrap())),
        ("springs", Box::new(SpringsSolver::new(vec![springs(SpringsMethod::Implicit)]).unwrap())),
        ("adaptive springs", Box::new(SpringsSolver::new(vec![springs(SpringsMethod::Adaptive)]).unwrap())),
        ("matching", Box::new(ShapeMatchingSolver::new(vec![matched]).unwrap())),
        ("mixed", {
            let mixed = MixedSolver::new(vec![newton()], vec![descent()], vec![springs(SpringsMethod::Implicit)]);
            Box::new(mixed.unwrap())
        }),
    ]
}

/// A step of bodies that are bent and pushed.
fn step(solver: &mut dyn Solver, stop: Option<&StopFlag>) -> Result<Vec<BodyState>, StepError> {
    let bodies = solver.body_count();
    let mut states: Vec<BodyState> = (0..bodies).map(|body| solver.rest_state(body)).collect();
    let mut cues = vec![Cues::default(); bodies];
    for (body, state) in states.iter_mut().enumerate() {
        state.x.iter_mut().for_each(|x| x.y += 0.3 * x.x * x.x);
        cues[body].force_n = solver.flesh(body).mass_kg.iter().map(|mass| DVec3::Y * (-9.81 * mass)).collect();
    }
    let contacts = vec![Vec::new(); bodies];
    let input = StepInput { cues: &cues, contacts: &contacts, touching: &[], h_secs: 0.01, stop };
    solver.step(&mut states, &input, &mut StepReport::default())?;
    Ok(states)
}

#[test]
fn a_flag_that_is_not_set_changes_no_bit_and_one_that_is_ends_every_solver_step() {
    for (name, mut solver) in solvers() {
        let alone = step(&mut *solver, None).unwrap();
        let stop = StopFlag::default();
        assert!(step(&mut *solver, Some(&stop)).unwrap() == alone, "{name}: a flag that nobody sets");
        stop.set();
        assert_eq!(step(&mut *solver, Some(&stop)).unwrap_err(), StepError::Stopped, "{name}");
        assert!(step(&mut *solver, None).unwrap() == alone, "{name}: after a step that was stopped");
    }
}

/// However long a step has gone on by then: the flag is set while Newton's method runs, at any time within
/// it.
#[test]
fn a_step_stopped_under_way_is_an_error_or_the_whole_answer() {
    let flesh = Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.3), [24, 6, 6]), 1000.0).unwrap());
    let params = FemParams::default();
    let mut solver = FemSolver::new(vec![FemBody { flesh, material: Material::default(), params }]).unwrap();
    let whole = step(&mut solver, None).unwrap();
    for tenths in 0..8 {
        let stop = StopFlag::default();
        let (from_outside, wait) = (stop.clone(), std::time::Duration::from_micros(400 * tenths));
        let setter = std::thread::spawn(move || {
            std::thread::sleep(wait);
            from_outside.set();
        });
        match step(&mut solver, Some(&stop)) {
            Ok(states) => assert!(states == whole, "an abandoned iteration was taken for an answer"),
            Err(error) => assert_eq!(error, StepError::Stopped),
        }
        setter.join().unwrap();
    }
}
