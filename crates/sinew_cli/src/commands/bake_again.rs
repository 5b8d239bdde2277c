//! `sinew bake TAKE --again`: a take performed again from what it holds, the texts of its scene and the live
//! inputs.

use super::bake::{all_cores, json_of, step_warnings, warnings};
use crate::args::Bake;
use crate::failure::Failure;
use crate::output::Output;
use crate::{kind, progress};
use sinew::bake::Rebake;
use sinew::bake::take::{TakeOptions, rebake_path};
use sinew::io::disk::{Inputs, Outputs, check_outputs};
use std::ops::ControlFlow;

pub(super) fn run(args: &Bake, output: Output) -> Result<(), Failure> {
    kind::expect_take(&args.scene)?;
    if !args.set.is_empty() {
        let what = "--set changes a scene, and a take is baked again as it was";
        return Err(Failure::usage(what, "bake the scene itself"));
    }
    let threads = args.threads.map_or_else(all_cores, usize::from);
    let rebake = Rebake::open(&args.scene, None, threads)?;
    let output_file = args.output.canonicalize().unwrap_or_else(|_| args.output.clone());
    let header = rebake.source().header();
    let mut inputs = Inputs::new([args.scene.as_path()]);
    header.meshes.keys().for_each(|mesh| inputs.add_mesh(&rebake.folder().join(mesh)));
    let named = [output_file.clone(), rebake_path(&output_file)].into_iter().chain(args.dump.clone()).collect();
    check_outputs(&inputs, &Outputs { named, beside: Vec::new() }, true)?;
    let held = rebake.frames()?;
    let (first, last) = args.frames.unwrap_or((*held.start(), *held.end()));
    let asked = sinew::bake::Bake {
        frames: first..=last,
        resume: args.resume,
        options: TakeOptions { bound_m: args.within, ..TakeOptions::default() },
        dump: args.dump.clone(),
    };
    let bar = progress::bar("baking again", u64::from(first.abs_diff(last)));
    let baked = rebake.bake(&output_file, &asked, |frame| {
        bar.set_position(u64::from(first.abs_diff(frame)));
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    let names: Vec<&str> = header.bodies.iter().map(|body| body.name.as_str()).collect();
    let warnings = warnings(&names, header.clock, &baked);
    let source = (*held.start() <= first && last <= *held.end()).then(|| rebake.source().hash(first..=last));
    let is_same = source.transpose()?.map(|hash| hash.to_hex().as_str() == baked.hash);
    let mut object = json_of(&baked, &warnings);
    object["same"] = is_same.into();
    output.finish(&object, || {
        let same = match is_same {
            Some(true) => ", the same as the take's",
            Some(false) => ", another than the take's: another sinew or machine made it",
            None => "",
        };
        let hash = &baked.hash[..16];
        let line = format!("{}: frames {first} to {last}, hash {hash}{same}", args.output.display());
        line + &step_warnings(&warnings)
    })
}
