//! Arguments of `sinew key`: key shapes, poses, paths and edits of takes.

use super::{Json, finite, positive};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Key {
    #[command(subcommand)]
    pub task: KeyTask,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyTask {
    /// Adds a key shape: the body at rest, or with --take or --mesh what that shows
    #[command(after_help = "Example: sinew key add hop/scene.toml --body ball --frame 14 --take hop/takes/free.take")]
    Add(KeyAddArgs),
    /// Adds a path along which a body was recorded, with keys that can be moved
    #[command(after_help = "Example: sinew key path hop/scene.toml --body ball --take hop/takes/free.take --every 8")]
    Path(KeyPathArgs),
    /// Edits the shape of a key: pulls, nudges, scales, turns, bends, smooths, resets or mirrors it
    #[command(
        after_help = "Example: sinew key edit hop/scene.toml --body ball --frame 14 '{\"do\":\"scale\",\"part\":{},\"by\":[1.2,0.7,1.2]}'"
    )]
    Edit(KeyEditArgs),
    /// Edits a finished take: the body's shape at a frame of it is edited, and frames near it follow
    #[command(
        after_help = "Example: sinew key take hop/scene.toml --body ball --take hop/takes/free.take --frame 30 --width 12 '{\"do\":\"pull\",\"at\":[0,0.2,0],\"by\":[0,0.1,0],\"radius\":0.2}'"
    )]
    Take(KeyTakeArgs),
}

impl KeyTask {
    pub(crate) fn common(&self) -> &KeyCommon {
        match self {
            Self::Add(args) => &args.common,
            Self::Path(args) => &args.common,
            Self::Edit(args) => &args.common,
            Self::Take(args) => &args.common,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct KeyCommon {
    /// The scene file or project folder to edit
    pub scene: PathBuf,
    /// The body
    #[arg(long, value_name = "NAME")]
    pub body: String,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct KeyEditArgs {
    #[command(flatten)]
    pub common: KeyCommon,
    /// The key's frame
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub frame: f64,
    /// The director of key shapes; left out, the body's first one
    #[arg(long, value_name = "NAME")]
    pub director: Option<String>,
    /// Edits as JSON, carried out one after the other
    #[arg(required = true, value_name = "EDIT")]
    pub edits: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct KeyTakeArgs {
    #[command(flatten)]
    pub common: KeyCommon,
    /// The take; left out, the one that is edited already
    #[arg(long, value_name = "TAKE")]
    pub take: Option<PathBuf>,
    /// Which frame of it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub frame: i32,
    /// How many frames before and after it follow
    #[arg(long, value_name = "N", default_value_t = 12.0, allow_negative_numbers = true, value_parser = positive)]
    pub width: f64,
    /// Edits as JSON, carried out one after the other on what the body looks like there
    #[arg(value_name = "EDIT")]
    pub edits: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct KeyAddArgs {
    #[command(flatten)]
    pub common: KeyCommon,
    /// Adds it to the body's plan: the pose with its place and turn, not a key shape
    #[arg(long)]
    pub plan: bool,
    /// When the body is to have the shape
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = finite)]
    pub frame: f64,
    /// A name for the key
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// A take that shows the shape; left out, with --mesh too: the body at rest
    #[arg(long, value_name = "TAKE", conflicts_with = "mesh")]
    pub take: Option<PathBuf>,
    /// The frame of the take; left out, the key's own
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "take")]
    pub take_frame: Option<i32>,
    /// A mesh with the vertices of the body's skin, or of its tetrahedra, elsewhere
    #[arg(long, value_name = "FILE")]
    pub mesh: Option<PathBuf>,
    /// The mesh's unit of length: m, cm, mm, in or ft
    #[arg(long, value_name = "UNIT", default_value = "m", requires = "mesh", value_parser = ["m", "cm", "mm", "in", "ft"])]
    pub unit: String,
}

#[derive(Debug, Args)]
pub(crate) struct KeyPathArgs {
    #[command(flatten)]
    pub common: KeyCommon,
    /// The take that shows the path
    #[arg(long, value_name = "TAKE")]
    pub take: PathBuf,
    /// Frames from one key to the next
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..))]
    pub every: u16,
    /// Keys the body's turns too; else it turns freely
    #[arg(long)]
    pub turns: bool,
}
