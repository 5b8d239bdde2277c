//! A small deterministic stage that takes are tested with: chaotic enough that any lost bit, input or frame shows.

use sinew_bake::take::{BodyHeader, Clock, ResumePoint, Resumed, TakeError, TakeHeader, TakeOptions, TakeWriter};
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_solve::{BodyId, BodyState, DirectorState, Input, Memory, StageState, TouchStimulus, Warning};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) const SUBSTEPS: u64 = 2;
pub(crate) const FIRST: i32 = -1;

/// The live inputs of a performance, by tick.
pub(crate) type Score = Vec<(u64, Vec<Input>)>;

/// A folder in memory where there is one: thousands of syncs to a busy disk would take minutes.
pub(crate) fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a temporary folder")
}

pub(crate) fn header(points: &[u32], last_frame: i32) -> TakeHeader {
    TakeHeader {
        scene_text: "sinew = 1\n[scene]\nfps = [24000, 1001]\n".to_owned(),
        meshes: BTreeMap::from([("meshes/bar.msh".to_owned(), [7; 32])]),
        sinew_version: "0.1.0".to_owned(),
        clock: Clock { fps: (24000, 1001), substeps: SUBSTEPS as u32, first_frame: FIRST, last_frame },
        bodies: points.iter().zip(["jelly", "worm", "cloth"]).map(|(&n, name)| body_header(name, n)).collect(),
    }
}

fn body_header(name: &str, point_count: u32) -> BodyHeader {
    BodyHeader { name: name.to_owned(), point_count, model: [7; 32] }
}

pub(crate) fn first_state(header: &TakeHeader) -> StageState {
    let body = |(index, about): (usize, &BodyHeader)| {
        let origin = dvec3(100.0 * index as f64, 1.0, -3.0);
        let count = about.point_count as usize;
        let x = (0..count).map(|i| origin + dvec3((i as f64).sin(), (i as f64 * 0.7).cos(), i as f64 * 1e-3));
        let memory = if index == 0 {
            Memory::ShapeMatching { rotation: vec![[0.0, 0.0, 0.0, 1.0]; count] }
        } else {
            Memory::Fem { rotation: vec![DQuat::IDENTITY; 2 * count] }
        };
        BodyState { origin, x: x.collect(), v: vec![dvec3(0.1, 0.0, 0.2); count], memory }
    };
    let director_states = vec![
        DirectorState::Nothing,
        DirectorState::Magnitude { value: 0.5, slope: 0.0 },
        DirectorState::Touches(Vec::new()),
    ];
    StageState {
        tick: 0,
        bodies: header.bodies.iter().enumerate().map(body).collect(),
        director_states: vec![director_states],
    }
}

/// One tick: every point feels its neighbour, the notes feel the inputs, the points feel the notes.
pub(crate) fn step(state: &mut StageState, input: &[Input]) {
    for input in input {
        if let (Input::Touch { at_rest, .. }, DirectorState::Touches(touches)) =
            (input, &mut state.director_states[0][2])
        {
            touches.push(TouchStimulus { at_rest: *at_rest, started_tick: state.tick });
        }
    }
    let touched = match &state.director_states[0][2] {
        DirectorState::Touches(touches) => touches.iter().fold(DVec3::ZERO, |sum, touch| sum + touch.at_rest),
        _ => DVec3::ZERO,
    };
    for body in &mut state.bodies {
        let count = body.x.len();
        for i in 0..count {
            let pull = body.x[(i + 1) % count] - body.x[i] - body.v[i].cross(dvec3(0.0, 0.3, 0.0));
            body.v[i] = (body.v[i] + (pull + touched) * 0.01) * 0.999;
            body.x[i] += body.v[i] * 0.02;
        }
        body.origin += dvec3(1e-3, 0.0, 0.0);
        match &mut body.memory {
            Memory::ShapeMatching { rotation } | Memory::PressedShapeMatching { rotation, .. } => {
                rotation.iter_mut().for_each(|r| r[0] = (r[0] + 0.37) % 1.0);
            }
            Memory::Fem { rotation } => rotation.iter_mut().for_each(|r| *r *= DQuat::from_rotation_y(0.01)),
            Memory::Springs { length_m, .. } => length_m.iter_mut().for_each(|length| *length *= 1.01),
        }
    }
    state.tick += 1;
}

pub(crate) fn score() -> Score {
    let touch = |x: f64| Input::Touch { body: BodyId(0), at_rest: dvec3(x, 0.5, 0.0) };
    let drag = Input::Drag { body: BodyId(1), at_rest: DVec3::ONE, to: DVec3::ZERO };
    vec![
        (3, vec![touch(0.25)]),
        (4, vec![touch(-0.5), drag]),
        (9, vec![Input::LetGo { body: BodyId(1) }]),
        (13, vec![touch(1.0)]),
    ]
}

/// Simulates the frames after `from` (or all of them) up to `last`, recording as a bake does.
pub(crate) fn record(
    writer: &mut TakeWriter,
    from: Option<ResumePoint>,
    last: i32,
    score: &Score,
) -> Result<StageState, TakeError> {
    let header = writer.header().clone();
    let (mut frame, mut state) = match from {
        Some(point) => (point.frame, point.state),
        None => {
            let state = first_state(&header);
            writer.frame(FIRST, &state)?;
            (FIRST, state)
        }
    };
    while frame < last {
        for _ in 0..SUBSTEPS {
            let input = score.iter().find(|(tick, _)| *tick == state.tick).map_or(&[][..], |(_, input)| input);
            writer.input(state.tick, input)?;
            if state.tick % 5 == 2 {
                writer.warning(&Warning { body: BodyId(0), tick: state.tick, what: "hot".to_owned() })?;
            }
            step(&mut state, input);
        }
        frame += 1;
        writer.frame(frame, &state)?;
    }
    Ok(state)
}

/// A whole straight run.
pub(crate) fn straight(path: &Path, header: &TakeHeader, options: TakeOptions, last: i32) {
    let mut writer = TakeWriter::create(path, header, options).unwrap();
    record(&mut writer, None, last, &score()).unwrap();
    writer.finish().unwrap();
}

/// Resumes whatever is at `path` and runs it to its end.
pub(crate) fn resume_to_end(
    path: &Path,
    header: &TakeHeader,
    options: TakeOptions,
    last: i32,
) -> Result<(), TakeError> {
    let Resumed { mut writer, from, .. } = TakeWriter::resume(path, header, options)?;
    record(&mut writer, from, last, &score())?;
    writer.finish().map(|_| ())
}
