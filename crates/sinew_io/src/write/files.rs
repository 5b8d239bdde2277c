//! Which files a clip becomes, known before anything is written.

use super::{beside, pvd, usda_looks};
use crate::clip::ClipInfo;
use crate::disk::Outputs;
use std::path::Path;

/// Every file that [`write_clip`](super::write_clip) writes for a path: the one that was named, where the format has one of that
/// name, and those beside it. Of the bodies names and images count, of the rest the frames.
pub fn clip_files(info: &ClipInfo, path: &Path) -> Outputs {
    let numbers = || (0..info.frame_count).map(|frame| info.number(frame));
    let named = || vec![path.to_owned()];
    let extension = crate::mesh_file::extension(path);
    match extension.as_str() {
        "mdd" | "pc2" => {
            let own = path.extension().unwrap_or_default().to_string_lossy();
            match &info.bodies[..] {
                [_] => Outputs { named: named(), beside: vec![beside(path, "", "obj")] },
                bodies => {
                    let added = bodies.iter().map(|body| format!("-{}", body.name));
                    let pair = |added: String| [beside(path, &added, &own), beside(path, &added, "obj")];
                    Outputs { named: Vec::new(), beside: added.flat_map(pair).collect() }
                }
            }
        }
        "obj" | "ply" => {
            let file = |number: i64| beside(path, &frame_suffix(number), &extension);
            Outputs { named: Vec::new(), beside: numbers().map(file).collect() }
        }
        "pvd" => {
            let folder = path.with_extension("");
            let frame = |number: i64| info.bodies.iter().map(move |body| (number, body));
            let files = numbers().flat_map(frame).map(|(number, body)| folder.join(pvd::file_name(&body.name, number)));
            Outputs { named: named(), beside: files.collect() }
        }
        "usda" => Outputs { named: named(), beside: usda_looks::image_files(info, path) },
        _ => Outputs { named: named(), beside: Vec::new() },
    }
}

/// What is added to a file's name for a frame.
pub(super) fn frame_suffix(number: i64) -> String {
    format!(".{number:04}")
}
