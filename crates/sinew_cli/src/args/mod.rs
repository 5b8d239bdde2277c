//! What can be typed.

mod key;
mod refine;

pub(crate) use key::*;
pub(crate) use refine::*;

use crate::log::Log;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use sinew::film::{FieldKind, Plane, read_point};
use sinew::math::DVec3;
use std::path::PathBuf;

/// Directs soft bodies: describe how flesh should move, get physical motion that obeys.
#[derive(Debug, Parser)]
#[command(
    name = "sinew",
    version,
    after_help = "Without a command: the studio on the built-in jellyfish.\nSCENE is a scene file, a project folder, or the name of a built-in scene (sinew list)."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub task: Option<Task>,
    #[command(flatten)]
    pub log: Log,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Serves the studio on 127.0.0.1 and opens it in a browser
    #[command(after_help = "Example: sinew studio bar-pin --no-open")]
    Studio(Studio),
    /// Lists built-in scenes and models
    #[command(after_help = "Example: sinew list --json")]
    List(Json),
    /// Makes a project folder with a commented scene to start from
    #[command(after_help = "Example: sinew new wobble --model cylinder")]
    New(New),
    /// Checks a scene: says what is wrong, where, and what would be right
    #[command(after_help = "Example: sinew check wobble/scene.toml")]
    Check(OneScene),
    /// Prints the JSON Schema of scene files
    #[command(after_help = "Example: sinew schema > scene.schema.json")]
    Schema,
    /// Edits a scene file by commands, keeping its comments and order
    #[command(
        after_help = "Example: echo '{\"do\":\"set\",\"path\":\"scene.fps\",\"value\":25}' | sinew apply wobble/scene.toml -"
    )]
    Apply(Apply),
    /// Simulates a scene to a take
    #[command(
        after_help = "Example: sinew bake jellyfish -o swim.take --frames 1..48 --set body.jelly.solver.iterations=4"
    )]
    Bake(Bake),
    /// Finds numbers of a scene by performing it, as often as it takes
    #[command(
        after_help = "Example: sinew refine reach bar-force --change body.bar.director.push.newton --measure bar/centre_y --goal 1.0 --frame 40"
    )]
    Refine(Refine),
    /// Gives a body a shape at a frame, or a path to follow
    #[command(after_help = "Example: sinew key add hop/scene.toml --body ball --frame 14 --take hop/takes/free.take")]
    Key(Key),
    /// Finds assets of a project that no scene and no take names
    #[command(after_help = "Example: sinew tidy wobble --remove")]
    Tidy(Tidy),
    /// Says what a scene, take or mesh holds
    #[command(after_help = "Example: sinew info swim.take --json")]
    Info(Info),
    /// Turns a surface into tetrahedra
    #[command(after_help = "Example: sinew mesh bunny.off -o bunny.msh --vertices 5000")]
    Mesh(Mesh),
    /// Writes a take for other programs, by extension
    #[command(after_help = EXPORT_HELP)]
    Export(Export),
    /// Makes pictures of a take: .png, .gif, .apng, .mp4
    #[command(after_help = "Example: sinew render swim.take -o swim.gif --size 640x360")]
    Render(Render),
    /// Measures sinew against the programs a user would pick instead
    #[command(after_help = "Example: sinew bench shape_matching --json")]
    Bench(Bench),
}

impl Task {
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::New(args) => args.json.json,
            Self::Check(args) => args.json.json,
            Self::Apply(args) => args.json.json,
            Self::Bake(args) => args.json.json,
            Self::Refine(args) => args.task.answer().json.json,
            Self::Key(args) => args.task.common().json.json,
            Self::Tidy(args) => args.json.json,
            Self::Info(args) => args.json.json,
            Self::Mesh(args) => args.json.json,
            Self::Export(args) => args.json.json,
            Self::Render(args) => args.json.json,
            Self::Bench(args) => args.json.json,
            Self::Studio(_) | Self::Schema => false,
        }
    }
}

impl Task {
    /// Every file that the user names, to be read or to be written; of folders the scene.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let named: Vec<Option<&PathBuf>> = match self {
            Self::List(_) | Self::Schema | Self::Bench(_) => Vec::new(),
            Self::Studio(args) => vec![args.scene.as_ref()],
            Self::New(args) => vec![Some(&args.dir), args.mesh.as_ref()],
            Self::Check(args) => vec![Some(&args.scene)],
            Self::Apply(args) => vec![Some(&args.scene), Some(&args.commands)],
            Self::Bake(args) => vec![Some(&args.scene), Some(&args.output), args.dump.as_ref()],
            Self::Refine(args) => vec![Some(args.task.scene()), args.task.answer().output.as_ref()],
            Self::Key(args) => {
                let shown = match &args.task {
                    KeyTask::Add(args) => vec![args.take.as_ref(), args.mesh.as_ref()],
                    KeyTask::Path(args) => vec![Some(&args.take)],
                    KeyTask::Edit(_) => Vec::new(),
                    KeyTask::Take(args) => vec![args.take.as_ref()],
                };
                [vec![Some(&args.task.common().scene)], shown].concat()
            }
            Self::Tidy(args) => vec![Some(&args.dir)],
            Self::Info(args) => vec![Some(&args.file)],
            Self::Mesh(args) => vec![Some(&args.input), Some(&args.output)],
            Self::Export(args) => vec![Some(&args.take), Some(&args.output)],
            Self::Render(args) => vec![Some(&args.take), Some(&args.output)],
        };
        let file = |path: &PathBuf| if path.is_dir() { path.join("scene.toml") } else { path.clone() };
        named.into_iter().flatten().map(file).collect()
    }
}

#[derive(Debug, Args, Default, Clone, Copy)]
pub(crate) struct Json {
    /// Prints one JSON object on stdout and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args, Default)]
pub(crate) struct Studio {
    /// A scene file, a project folder or a built-in scene; left out: jellyfish
    pub scene: Option<PathBuf>,
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Does not open a browser
    #[arg(long)]
    pub no_open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The folder to make
    pub dir: PathBuf,
    /// A mesh to start from; it is copied into the project
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub mesh: Option<PathBuf>,
    /// The mesh's unit of length: m, cm, mm, in or ft
    #[arg(long, value_name = "UNIT", default_value = "m", requires = "mesh", value_parser = ["m", "cm", "mm", "in", "ft"])]
    pub unit: String,
    /// A built-in model to start from
    #[arg(long, value_name = "NAME", default_value = "bar")]
    pub model: String,
    /// Overwrites another mesh of the same name in assets/; a scene that is there is never overwritten
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct OneScene {
    /// A scene file, a project folder or a built-in scene
    pub scene: PathBuf,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Apply {
    /// The scene file to edit
    pub scene: PathBuf,
    /// A file with one command, or a list of them, as JSON; - reads standard input
    pub commands: PathBuf,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Bake {
    /// A scene file, a project folder or a built-in scene; with --again, a take
    pub scene: PathBuf,
    /// The take to write
    #[arg(short, long, value_name = "TAKE")]
    pub output: PathBuf,
    /// First and last frame to record, both included; simulation always starts at the scene's first
    #[arg(long, value_name = "A..B", value_parser = frames, allow_hyphen_values = true)]
    pub frames: Option<(i32, i32)>,
    /// Threads to use; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Goes on with a take that was stopped, or starts it
    #[arg(long)]
    pub resume: bool,
    /// Performs a take again from what it holds: the texts of its scene and the live inputs
    #[arg(long)]
    pub again: bool,
    /// Changes a value of the scene for this bake; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Stores positions within this many metres instead of exactly (checkpoints stay exact)
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    pub within: Option<f64>,
    /// Writes the exact states of the 100 substeps before the first that had to be cut or failed (or the last 100): .npz
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Tidy {
    /// The folder of the project
    pub dir: PathBuf,
    /// Deletes them
    #[arg(long)]
    pub remove: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    /// A scene, take or mesh
    pub file: PathBuf,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Mesh {
    /// A surface: .obj, .off, .stl, .ply, .gltf or .glb
    pub input: PathBuf,
    /// The tetrahedra to write: .msh (Gmsh) or .mesh (MEDIT)
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// About how many vertices, within a tenth; left out, with --cell too: 5000
    #[arg(long, value_name = "N", conflicts_with = "cell", value_parser = clap::value_parser!(u32).range(4..=50_000_000))]
    pub vertices: Option<u32>,
    /// Edge of a cell, in the file's unit
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    pub cell: Option<f64>,
    /// Tets that grow with the depth: fewer for the same surface
    #[arg(long)]
    pub graded: bool,
    /// Threads to use; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub json: Json,
}

const EXPORT_HELP: &str = "\
Formats:
  .glb        morph targets, all bodies in one file; exact up to 64 frames, beyond them within --bound
  .usda       points and normals sampled at every frame, all bodies in one file
  .mdd .pc2   a vertex cache for one body, with its mesh beside it as .obj;
              several bodies: NAME-BODY.mdd and NAME-BODY.obj each
  .obj .ply   a file a frame: NAME.0001.obj
  .pvd        for ParaView, with a folder of .vtu files: tetrahedra where a body has them
  .npz        arrays for Python

Example: sinew export swim.take -o swim.glb";

#[derive(Debug, Args)]
pub(crate) struct Export {
    pub take: PathBuf,
    /// The file to write; its extension chooses the format
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The largest error of a long .glb, as a share of the body's size
    #[arg(long, value_name = "SHARE", default_value_t = 1e-3)]
    pub bound: f64,
    /// Leaves the morphing of normals out of a .glb, which makes it half as large
    #[arg(long)]
    pub no_normals: bool,
    /// Where the scene's meshes are; left out, beside the take or one folder up
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Overwrites files beside the named one that are there already; the named one is overwritten in any case
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderStyle {
    Shaded,
    Lines,
}

#[derive(Debug, Args)]
pub(crate) struct Render {
    pub take: PathBuf,
    /// The picture to write: .png, .gif, .apng, or .mp4 where ffmpeg is installed
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The frame of a .png; left out, the last one
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub frame: Option<i32>,
    #[arg(long, value_name = "WxH", default_value = "640x360", value_parser = size)]
    pub size: (u32, u32),
    #[arg(long, value_enum, default_value = "shaded")]
    pub style: RenderStyle,
    /// Colours the skins by their motion or by a field of their muscles
    #[arg(long, value_parser = field())]
    pub field: Option<FieldKind>,
    /// Takes away what lies beyond a plane and shows bodies cut open: y=0.8 (above goes), -y=0.8 (below goes), or
    /// X,Y,Z:NX,NY,NZ (a point, and the direction of what goes)
    #[arg(long, value_name = "PLANE", allow_hyphen_values = true)]
    pub cut: Option<Plane>,
    /// Where to look from instead of the scene's camera
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = read_point)]
    pub eye: Option<DVec3>,
    /// The point in the middle of the picture
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = read_point)]
    pub look_at: Option<DVec3>,
    /// Where the scene's meshes are; left out, beside the take or one folder up
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Tables to measure; left out: all
    pub names: Vec<String>,
    /// Uses only peers that are already built
    #[arg(long)]
    pub no_build: bool,
    #[command(flatten)]
    pub json: Json,
}

fn frames(text: &str) -> Result<(i32, i32), String> {
    let wrong = || format!("{text:?} is not a range of frames such as 1..48");
    let (first, last) = text.split_once("..").ok_or_else(wrong)?;
    let (first, last): (i32, i32) = (first.parse().map_err(|_| wrong())?, last.parse().map_err(|_| wrong())?);
    if first > last {
        return Err(format!("the last frame {last} comes before the first {first}"));
    }
    Ok((first, last))
}

fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{text:?} is not a number such as 0.5"))
}

fn positive(text: &str) -> Result<f64, String> {
    let number = finite(text).ok().filter(|number| *number > 0.0);
    number.ok_or_else(|| format!("{text:?} is not a number above 0 such as 0.01"))
}

fn numbers(text: &str) -> Result<(f64, f64), String> {
    let wrong = || format!("{text:?} is not a range of numbers such as 0..4");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let (from, to): (f64, f64) = (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
    if from.is_finite() && to.is_finite() && from < to { Ok((from, to)) } else { Err(wrong()) }
}

/// Fields by their words, each with what it is.
fn field() -> impl TypedValueParser<Value = FieldKind> {
    let words = FieldKind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    let known = |word: String| FieldKind::ALL.into_iter().find(|kind| kind.name() == word);
    PossibleValuesParser::new(words).try_map(move |word| known(word).ok_or("not a field"))
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("{text:?} is not a size such as 640x360");
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    Ok((width.parse().map_err(|_| wrong())?, height.parse().map_err(|_| wrong())?))
}
