//! What reaches the rest of the studio is finite, bounded and names things that exist.

use super::command::{Command, Plane, SectionStroke};
use super::{LOOKS, RenderOptions};
use crate::desk::check_preference;

/// Farther than this from the world's origin nothing is pulled: f32 frames have no millimetres left there.
const REACH_M: f64 = 1.0e5;
/// Names, labels and paths of a page; what is longer is no person's.
const LONGEST_TEXT: usize = 500;
/// More points than a hand draws in a stroke.
const LONGEST_STROKE: usize = 4096;

impl Command {
    /// Parses and checks a page's message. The error is a sentence for the page.
    pub(crate) fn parse(text: &str, body_count: usize) -> Result<Self, String> {
        check_depth(text)?;
        let command: Self = serde_json::from_str(text).map_err(|error| not_a_command(&error))?;
        command.check(body_count)?;
        Ok(command)
    }

    /// Whether the stage's thread answers it; everything else is for the desk.
    pub(crate) fn is_for_stage(&self) -> bool {
        matches!(
            self,
            Self::Play
                | Self::Pause
                | Self::StepForward
                | Self::StepBack
                | Self::Restart
                | Self::Seek { .. }
                | Self::Loop { .. }
                | Self::Range { .. }
                | Self::Record { .. }
                | Self::Drag { .. }
                | Self::LetGo { .. }
                | Self::Touch { .. }
                | Self::Look { .. }
        )
    }

    fn check(&self, body_count: usize) -> Result<(), String> {
        let known = |body: u32| {
            let good = (body as usize) < body_count;
            good.then_some(()).ok_or_else(|| format!("there is no body {body}: the scene has {body_count}, from 0"))
        };
        match self {
            Self::Play | Self::Pause | Self::StepForward | Self::StepBack | Self::Restart => Ok(()),
            Self::Seen | Self::History | Self::Sync { .. } => Ok(()),
            Self::Commit | Self::Cancel | Self::Undo | Self::Redo | Self::Save { .. } | Self::BuildAnyway => Ok(()),
            Self::Seek { .. } | Self::Loop { .. } | Self::Record { .. } => Ok(()),
            Self::Range { .. } | Self::StopJob { .. } | Self::Recover { .. } | Self::SculptEnd { .. } => Ok(()),
            Self::Pick { origin, direction, clip, .. } => {
                near("ray origin", origin)?;
                near("ray direction", direction)?;
                long_enough("a ray", direction)?;
                clip.iter().try_for_each(check_plane)
            }
            Self::Drag { body, at_rest, to } => {
                known(*body)?;
                near("held point", at_rest)?;
                near("target", to)
            }
            Self::LetGo { body } | Self::KeyContacts { body, .. } => known(*body),
            Self::Keys { body } => body.iter().try_for_each(|body| known(*body)),
            Self::Key { body, director, .. } | Self::PlanKey { body, director, .. } => {
                known(*body)?;
                director.iter().try_for_each(|name| short(name))
            }
            Self::Sculpt { body, director, frame, width, .. } => {
                known(*body)?;
                let good = frame.is_finite();
                good.then_some(()).ok_or_else(|| "a key's frame is a number".to_owned())?;
                let good = width.is_none_or(|width| (1.0..=1000.0).contains(&width));
                good.then_some(()).ok_or_else(|| "1 to 1000 frames follow on each side".to_owned())?;
                short(director) // the edit is checked against the body
            }
            Self::KeyPath { body, every, .. } => {
                known(*body)?;
                let good = (1..=1000).contains(every);
                good.then_some(()).ok_or_else(|| "1 to 1000 frames from one key to the next".to_owned())
            }
            Self::Touch { body, at_rest } => {
                known(*body)?;
                near("touched point", at_rest)
            }
            Self::Edit { .. } | Self::Preview { .. } => Ok(()), // the document checks them
            Self::Begin { label: text } | Self::Open { scene: text } | Self::SaveAs { file: text } => short(text),
            Self::KeepTake { name, .. } | Self::DropTake { name, .. } | Self::Refine { director: name } => short(name),
            Self::ShowTake { name, .. } => name.iter().try_for_each(|name| short(name)),
            Self::Look { body, look, director, directions, beside } => {
                known(*body)?;
                director.iter().try_for_each(|name| short(name))?;
                if beside.len() > LOOKS.len() {
                    return Err(format!("a page can look at {} values at once", LOOKS.len()));
                }
                look.iter().chain(directions).chain(beside).try_for_each(|look| known_look(look))
            }
            Self::Prefer { key, value } => check_preference(key, value.as_deref().unwrap_or_default()),
            Self::Ghosts { count, every } => {
                let good = *count <= 16 && (1..=240).contains(every);
                good.then_some(()).ok_or_else(|| "up to 16 ghosts, 1 to 240 frames from one to the next".to_owned())
            }
            Self::Cut { body, plane, stroke, layer } => {
                known(*body)?;
                layer.iter().try_for_each(check_layer)?;
                plane.iter().try_for_each(check_plane)?;
                stroke.iter().try_for_each(check_stroke)
            }
            Self::Export { file, .. } => short(file),
            Self::Render { file, options, .. } => {
                short(file)?;
                check_picture(options)
            }
        }
    }
}

/// Lists in lists in lists: scenes have a handful of levels.
fn check_depth(text: &str) -> Result<(), String> {
    const DEEPEST: u32 = 32;
    let (mut depth, mut in_string, mut escaped) = (0u32, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(format!("not a command: it is nested deeper than the recursion limit of {DEEPEST} levels"));
        }
    }
    Ok(())
}

fn near(what: &str, point: &[f64; 3]) -> Result<(), String> {
    let good = point.iter().all(|c| c.is_finite() && c.abs() <= REACH_M);
    good.then_some(())
        .ok_or_else(|| format!("{what} {point:?} is out of reach: coordinates are metres up to {REACH_M}"))
}

fn long_enough(what: &str, direction: &[f64; 3]) -> Result<(), String> {
    let length2: f64 = direction.iter().map(|c| c * c).sum();
    (length2 > 1e-12).then_some(()).ok_or_else(|| format!("{what} needs a direction"))
}

fn check_plane(plane: &Plane) -> Result<(), String> {
    near("point of a plane", &plane.through)?;
    near("normal", &plane.normal)?;
    long_enough("a plane", &plane.normal)
}

fn check_layer(layer: &f64) -> Result<(), String> {
    (0.0..=1.0)
        .contains(layer)
        .then_some(())
        .ok_or_else(|| format!("there is no layer {layer}: 0 is outermost, 1 innermost"))
}

fn check_stroke(stroke: &SectionStroke) -> Result<(), String> {
    if !(2..=LONGEST_STROKE).contains(&stroke.points.len()) {
        return Err(format!("a cut needs 2 to {LONGEST_STROKE} points, not {}", stroke.points.len()));
    }
    stroke.points.iter().try_for_each(|point| near("point of a cut", point))?;
    near("direction", &stroke.direction)?;
    long_enough("a cut", &stroke.direction)
}

fn short(text: &str) -> Result<(), String> {
    let good = text.len() <= LONGEST_TEXT;
    good.then_some(()).ok_or_else(|| format!("a name of {} bytes is too long: up to {LONGEST_TEXT}", text.len()))
}

fn known_look(look: &str) -> Result<(), String> {
    let good = LOOKS.contains(&look);
    good.then_some(()).ok_or_else(|| format!("there is nothing called so to see; there are {}", LOOKS.join(", ")))
}

fn check_picture(options: &RenderOptions) -> Result<(), String> {
    const LARGEST: u32 = 4096;
    match options.size {
        Some(size) if size.iter().any(|side| !(16..=LARGEST).contains(side)) => {
            Err(format!("a picture of {} by {} pixels: sides are 16 to {LARGEST}", size[0], size[1]))
        }
        _ => options.field.iter().try_for_each(|field| known_look(field)),
    }
}

/// The parser's reason, short enough to be shown: it may quote what the page sent.
fn not_a_command(error: &serde_json::Error) -> String {
    const SHOWN: usize = 200;
    let reason: String = error.to_string().chars().take(2 * SHOWN).collect();
    let shown: String = in_plain_words(&reason).chars().take(SHOWN).collect();
    format!("not a command: {shown}")
}

/// The parser names the types it reads into, which mean nothing to whoever wrote the message.
fn in_plain_words(reason: &str) -> String {
    const KINDS: [&str; 6] =
        ["internally tagged enum ", "adjacently tagged enum ", "untagged enum ", "tuple struct ", "struct ", "enum "];
    let mut plain = reason.to_owned();
    for kind in KINDS {
        while let Some(at) = plain.find(kind) {
            let name =
                plain[at + kind.len()..].chars().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>();
            plain.replace_range(at..at + kind.len() + name, "an object");
        }
    }
    plain
}
