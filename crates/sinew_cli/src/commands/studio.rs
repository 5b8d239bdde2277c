//! `sinew studio`.

use crate::args::Studio;
use crate::failure::Failure;
use crate::scene_arg;
use sinew_studio::{Opening, StudioError, StudioOptions, serve};
use std::path::Path;

pub(crate) fn run(args: &Studio) -> Result<(), Failure> {
    let open = scene_arg::open_to_edit(args.scene.as_deref().unwrap_or(Path::new("jellyfish")))?;
    let opening = Opening { name: open.name, document: open.document, folder: open.folder };
    let options = StudioOptions { port: args.port, open: !args.no_open, ..StudioOptions::default() };
    serve(opening, options).map_err(|error| match error {
        StudioError::Scene(error) => (*error).into(),
        other => other.into(),
    })
}
