//! What can go wrong with a take, and what would be right.

use sinew_io::disk::remedy;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    #[error("cannot open take {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot read take {} at byte {offset}", path.display())]
    Read { path: PathBuf, offset: u64, source: io::Error },
    #[error("cannot write {what} to take {}: {source}; what was recorded before is kept", path.display())]
    Write { path: PathBuf, what: String, source: io::Error },
    #[error("{} is not a take: it does not begin with the mark of one", path.display())]
    NotATake { path: PathBuf },
    #[error("take {} has format version {found}; this sinew reads version {known}", path.display())]
    Version { path: PathBuf, found: u32, known: u32 },
    #[error("take {} is damaged at byte {offset}: {what}", path.display())]
    Damaged { path: PathBuf, offset: u64, what: String },
    #[error("take {} is being written by another process", path.display())]
    InUse { path: PathBuf },
    #[error("the new take would grow in {}, which is another file too", path.display())]
    SharedPart { path: PathBuf },
    #[error("{} is a whole take, and the new one would grow in its place", path.display())]
    WholePart { path: PathBuf },
    #[error("take {} was changed, moved or removed by another program while it was recorded, and is not what was baked", path.display())]
    Overwritten { path: PathBuf },
    #[error("take {} is not of this scene: {difference}; bake to another file, or without resuming", path.display())]
    OtherScene { path: PathBuf, difference: String },
    #[error("take {} has no frame {frame}; it has {}", path.display(), spelled(have.as_ref()))]
    NoFrame { path: PathBuf, frame: i32, have: Option<RangeInclusive<i32>> },
    #[error("take {} has no checkpoint at or before frame {frame}", path.display())]
    NoCheckpoint { path: PathBuf, frame: i32 },
    #[error("frame {frame} cannot be recorded now: frame {expected} comes next")]
    FrameOutOfOrder { frame: i32, expected: i32 },
    #[error("inputs of tick {tick} cannot be recorded any more: the take has reached tick {reached}")]
    InputOutOfOrder { tick: u64, reached: u64 },
    #[error("the exact state of frame {frame} was not kept: the run is too long to be written whole")]
    StateNotKept { frame: i32 },
    #[error("a take begins with a frame, not with another text of its scene")]
    SpanBeforeFrames,
    #[error("the stage has {found} bodies, the take's header {expected}")]
    BodyCount { found: usize, expected: usize },
    #[error("body {body:?} has {found} points and {velocities} velocities, the take's header says {expected}")]
    PointCount { body: String, found: usize, velocities: usize, expected: u32 },
    #[error("body {body:?} at frame {frame}: point {point} is not a finite number (or too large to store)")]
    NotFinite { body: String, frame: i32, point: usize },
    #[error("frame {frame} came out differently than it was recorded: another build or machine made this take")]
    FrameDiffers { frame: i32 },
    #[error("the inputs of tick {tick} are not the ones recorded: replay those that resuming handed out")]
    InputDiffers { tick: u64 },
    #[error("a bound of {} m on stored positions is not usable: give a number of metres from 1e-9 up", sinew_math::shown(*bound_m))]
    Bound { bound_m: f64 },
    #[error("the clock of a take needs positive fps and substeps; it has {num}/{den} fps and {substeps} substeps")]
    Clock { num: u32, den: u32, substeps: u32 },
    #[error("cannot encode {what}: {source}")]
    Encode { what: &'static str, source: postcard::Error },
}

impl TakeError {
    /// What would be right, where the message does not say so.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Open { source, .. } => remedy(source).unwrap_or("name a file that you may read and write"),
            Self::Read { source, .. } => remedy(source).unwrap_or("check the disk that it lies on, or bake it again"),
            Self::NotATake { .. } => {
                "takes are made by sinew bake and end in .take; another kind of file is never overwritten by one"
            }
            Self::Bound { .. } => "leave it out to store positions exactly; 1e-5 is a hundredth of a millimetre",
            Self::NoFrame { .. } => "ask for a frame that it has",
            Self::SharedPart { .. } => "move that file elsewhere, or bake to another file",
            Self::WholePart { .. } => {
                "rename it if it is yours; --resume finishes a re-bake that was ended at its last moment"
            }
            Self::Overwritten { .. } => "look where it went, or bake again to a file that nothing else touches",
            Self::InUse { .. } => "wait until that is done, or bake to another file",
            Self::Version { .. } => "use the sinew that made it, or bake it again",
            Self::Damaged { .. } => "sinew bake with --resume keeps what is intact and bakes the rest again",
            Self::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                "make room, or choose another disk; --resume goes on with it"
            }
            Self::Write { source, .. } => remedy(source).unwrap_or("choose another disk; --resume goes on with it"),
            _ => return None,
        })
    }
}

fn spelled(have: Option<&RangeInclusive<i32>>) -> String {
    have.map_or_else(|| "no frames yet".to_owned(), |range| format!("frames {} to {}", range.start(), range.end()))
}
