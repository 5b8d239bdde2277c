//! Arguments of `sinew refine`: one search each.

use super::{Json, finite, numbers, positive};
use clap::{Args, Subcommand};
use sinew::bake::refine::MeasureName;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Refine {
    #[command(subcommand)]
    pub task: RefineTask,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RefineTask {
    /// Which number makes a measured number what is wanted at a frame
    Reach(ReachArgs),
    /// Which force over time brings a control metaphor to its goal
    #[command(
        after_help = "Example: sinew refine goal cylinder-bend --director body.cylinder.director.bend -o bent.toml"
    )]
    Goal(GoalArgs),
    /// Which rest shapes and leads bring a body into the shapes of its keys, exactly
    #[command(
        after_help = "Example: sinew refine keys bounce --director body.ball.director.shape -o bounce/scene.toml"
    )]
    Keys(KeysArgs),
    /// Where a body meets something: keys before, at and after it
    #[command(after_help = "Example: sinew refine contacts bounce --body ball -o bounce/scene.toml")]
    Contacts(ContactsArgs),
    /// The motion of planned bodies through their keys and around obstacles
    #[command(after_help = "Example: sinew refine plan leap/scene.toml -o leap/scene.toml")]
    Plan(PlanArgs),
}

impl RefineTask {
    pub(super) fn scene(&self) -> &PathBuf {
        match self {
            Self::Reach(args) => &args.scene,
            Self::Goal(args) => &args.scene,
            Self::Keys(args) => &args.scene,
            Self::Contacts(args) => &args.scene,
            Self::Plan(args) => &args.scene,
        }
    }

    pub(crate) fn answer(&self) -> &AnswerArgs {
        match self {
            Self::Reach(args) => &args.answer,
            Self::Goal(args) => &args.answer,
            Self::Keys(args) => &args.answer,
            Self::Contacts(args) => &args.answer,
            Self::Plan(args) => &args.answer,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct GoalArgs {
    /// A scene file, a project folder or a built-in scene
    pub scene: PathBuf,
    /// The metaphor, such as body.rabbit.director.ear
    #[arg(long, value_name = "PATH")]
    pub director: String,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    /// A scene file, a project folder or a built-in scene
    pub scene: PathBuf,
    /// The key shapes, such as body.ball.director.shape
    #[arg(long, value_name = "PATH")]
    pub director: String,
    /// How far off is close enough, per cent of the body's size
    #[arg(long, value_name = "PERCENT", default_value_t = 0.4, allow_negative_numbers = true, value_parser = positive)]
    pub within: f64,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// A scene file, a project folder or a built-in scene
    pub scene: PathBuf,
    /// The group of bodies, or the body that is planned alone; left out, all of the scene's plans
    #[arg(long, value_name = "NAME")]
    pub group: Option<String>,
    /// How many different motions to look for: that pass on other sides, or differ in energy
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=9))]
    pub alternatives: u8,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ContactsArgs {
    /// A scene file, a project folder or a built-in scene
    pub scene: PathBuf,
    /// The body
    #[arg(long, value_name = "NAME")]
    pub body: String,
    /// Frames that a key lies before and after a contact
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub margin: u16,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// What is done with an answer.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// Which of several answers to write, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub choose: u16,
    /// Writes the scene with the answer; left out, it is only told
    #[arg(short, long, value_name = "SCENE")]
    pub output: Option<PathBuf>,
    /// Threads to use; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct ReachArgs {
    /// A scene file, a project folder or a built-in scene
    pub scene: PathBuf,
    /// What to change: a number of the scene, which is set; or a list or curve, all of whose values are multiplied
    #[arg(long, value_name = "PATH")]
    pub change: String,
    /// What to measure: BODY/DIRECTOR/NAME (sinew info TAKE shows them), or BODY/centre_x, centre_y, centre_z or speed
    #[arg(long, value_name = "NAME")]
    pub measure: MeasureName,
    /// What it should be
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = finite)]
    pub goal: f64,
    /// When it should be that
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub frame: i32,
    /// Where to look: values of a number, factors of a list or curve
    #[arg(long, value_name = "A..B", value_parser = numbers, allow_hyphen_values = true, default_value = "0..4")]
    pub between: (f64, f64),
    /// How close is close enough, as a share of the goal
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, allow_negative_numbers = true, value_parser = positive)]
    pub within: f64,
    #[command(flatten)]
    pub answer: AnswerArgs,
}
