//! `sinew studio`.

use crate::args::Studio;
use crate::commands::bake::all_cores;
use crate::failure::Failure;
use crate::scene_arg;
use sinew_studio::{StageShow, StudioOptions, serve};

pub(crate) fn run(args: &Studio) -> Result<(), Failure> {
    let open = scene_arg::open(args.scene.as_deref().unwrap_or("jellyfish"))?;
    let built = open.build(all_cores())?;
    let show = StageShow::new(&open.name, open.document.scene(), built.stage);
    serve(Box::new(show), StudioOptions { port: args.port, open: !args.no_open, ..StudioOptions::default() })?;
    Ok(())
}
