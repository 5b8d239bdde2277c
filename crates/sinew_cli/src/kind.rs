//! What a file is, where a command was given one of another kind.

use crate::failure::Failure;
use sinew::bake::take::TakeReader;
use sinew::io::{SURFACE_EXTENSIONS, TET_EXTENSIONS};
use sinew::scene::builtin;
use sinew::scene::nearest::nearest;
use std::path::{Path, PathBuf};

/// Formats people have and sinew does not read.
const FOREIGN: [&str; 9] = ["fbx", "blend", "abc", "usd", "usdc", "usdz", "dae", "3ds", "max"];

pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

pub(crate) fn is_mesh(path: &Path) -> bool {
    let dotted = format!(".{}", extension(path));
    [SURFACE_EXTENSIONS, TET_EXTENSIONS].iter().any(|known| known.split(", ").any(|known| known == dotted))
}

/// Formats that sinew has no reader for, with the way around.
pub(crate) fn expect_readable(path: &Path) -> Result<(), Failure> {
    let extension = extension(path);
    if FOREIGN.contains(&extension.as_str()) {
        let help = "export it as .glb, .obj or .ply from the program that made it";
        return Err(Failure::new(format!("{}: .{extension} files are not read", path.display()), help));
    }
    Ok(())
}

/// A file where a scene is wanted.
pub(crate) fn expect_scene(path: &Path) -> Result<(), Failure> {
    expect_readable(path)?;
    let shown = path.display();
    if is_mesh(path) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let help = format!("make a project of it: sinew new {stem} --mesh {shown}, then use {stem} as the scene");
        return Err(Failure::new(format!("{shown} is a mesh, and a scene is wanted"), help));
    }
    if extension(path) == "take" || TakeReader::open(path).is_ok() {
        let help = format!(
            "look at it with: sinew render {shown} -o film.gif; a take is made of a scene, which is what this command wants"
        );
        return Err(Failure::new(format!("{shown} is a take, and a scene is wanted"), help));
    }
    Ok(())
}

/// A file, folder or name where a take is wanted.
pub(crate) fn expect_take(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    let is_builtin = !path.exists() && path.to_str().and_then(builtin::find).is_some();
    if path.is_dir() || is_builtin || extension(path) == "toml" {
        let stem = path.file_stem().map_or("shot".into(), |stem| stem.to_string_lossy());
        let help = format!("bake it first: sinew bake {shown} -o {stem}.take, then use {stem}.take");
        return Err(Failure::new(format!("{shown} is a scene, and a take is wanted"), help));
    }
    if is_mesh(path) {
        let help = "a mesh does not move; make a project of it with sinew new, then bake it";
        return Err(Failure::new(format!("{shown} is a mesh, and a take is wanted"), help));
    }
    if !path.exists() {
        let help = match similar(path, |file| extension(file) == "take") {
            Some(meant) => format!("did you mean {}?", meant.display()),
            None => "check the path; sinew bake SCENE -o FILE.take makes takes".to_owned(),
        };
        return Err(Failure::new(format!("there is no take {shown}"), help));
    }
    sinew::io::disk::as_private_as(Some(path));
    Ok(())
}

/// A file that was read and is no mesh that can be simulated.
pub(crate) fn unusable(path: &Path, error: &dyn std::error::Error) -> Failure {
    let help = "repair the file in the program that made it, or export it anew";
    Failure::new(format!("{}: {error}", path.display()), help)
}

/// A file beside where `path` would be whose name is much like it.
pub(crate) fn similar(path: &Path, is_meant: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    /// A folder with more entries is not searched to its end.
    const LOOKED_AT: usize = 10_000;
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(listed).ok()?.flatten().take(LOOKED_AT);
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let meant: Vec<&Path> = names.iter().map(Path::new).filter(|name| is_meant(&listed.join(name))).collect();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // Another ending, or a slip in the name itself.
    let same = meant.iter().copied().find(|meant| stem(meant) == stem(Path::new(name)));
    let slip = || {
        let alike = meant.iter().copied().filter(|meant| meant.extension() == path.extension());
        let stems: Vec<String> = alike.clone().map(stem).collect();
        let found = nearest(&stem(path), &stems.iter().map(String::as_str).collect::<Vec<_>>())?.to_owned();
        alike.clone().find(|meant| stem(meant) == found)
    };
    same.or_else(slip).map(|meant| folder.join(meant))
}

/// The name of a take that is to be written.
pub(crate) fn expect_take_name(path: &Path) -> Result<(), Failure> {
    let extension = extension(path);
    let stem = path.with_extension("take");
    let exported = sinew::film::EXPORT_EXTENSIONS.contains(&extension.as_str()) || is_mesh(path);
    let verb = if sinew::film::FILM_EXTENSIONS.contains(&extension.as_str()) {
        "render"
    } else if exported {
        "export"
    } else if extension == "toml" {
        let help = format!("takes end in .take: -o {}", stem.display());
        return Err(Failure::usage(format!("{} is named as a scene, and a take is written", path.display()), help));
    } else {
        return Ok(());
    };
    let what = format!("{} is named as what sinew {verb} makes, and a take is written", path.display());
    let can_be_made = verb == "render" || sinew::film::EXPORT_EXTENSIONS.contains(&extension.as_str());
    let help = match can_be_made {
        true => format!("bake to {0}, then: sinew {verb} {0} -o {1}", stem.display(), path.display()),
        false => {
            format!("bake to {0}, then: sinew export {0} -o {1}", stem.display(), path.with_extension("glb").display())
        }
    };
    Err(Failure::usage(what, help))
}
