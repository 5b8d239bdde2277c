//! The states that a bake leaves behind for who wants to know what happened before its end.

use sinew_bake::take::TakeOptions;
use sinew_bake::{Bake, bake, build};
use sinew_geom::order;
use sinew_io::npz::{NpzReader, Values};
use sinew_scene::{Scene, builtin};
use std::ops::ControlFlow;
use std::path::Path;

/// The last hundred substeps before the end, exact and in the order of the mesh file.
#[test]
fn a_dump_holds_the_exact_states_of_the_last_hundred_substeps() {
    let toml = builtin::find("bar-drop").unwrap().toml;
    let scene = Scene::from_toml(toml, "bar-drop").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (take, dump) = (folder.path().join("drop.take"), folder.path().join("drop.npz"));
    let mut built = build(&scene, Path::new("."), 1).unwrap();
    let clock = built.stage.clock();
    let last = clock.first_frame + 40;
    let asked = Bake {
        frames: clock.first_frame..=last,
        resume: false,
        options: TakeOptions::default(),
        dump: Some(dump.clone()),
    };
    bake(&mut built, toml, &take, &asked, |_| ControlFlow::Continue(())).unwrap();

    let ticks = clock.tick_of(last);
    assert!(ticks > 100, "the bake is longer than the dump");
    let npz = NpzReader::open(&dump).unwrap();
    let Values::I4(dumped) = npz.array("ticks").unwrap().values else { panic!("ticks are whole numbers") };
    let wanted: Vec<i32> = (ticks - 100..ticks).map(|tick| tick as i32).collect();
    assert_eq!(dumped, wanted);

    let stage = &mut built.stage;
    let mut state = stage.first_state();
    while state.tick + 1 < ticks {
        stage.step(&mut state, &[]).unwrap();
    }
    for (body, state) in stage.bodies().iter().zip(&state.bodies) {
        for (name, points) in [("x", &state.x), ("v", &state.v)] {
            let array = npz.array(&format!("{}/{name}", body.name)).unwrap();
            assert_eq!(array.shape, [100, points.len(), 3]);
            let Values::F8(values) = array.values else { panic!("states are exact") };
            let from_file = order::inverse(&body.flesh.file_order);
            let exact: Vec<f64> = from_file.iter().flat_map(|&point| points[point as usize].to_array()).collect();
            assert!(values[99 * exact.len()..] == exact, "{}/{name} before the last substep", body.name);
        }
    }
}
