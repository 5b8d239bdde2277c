//! Exports and pictures, made of a kept take, of the live run, or of the scene simulated anew.

use super::delivery::Delivery;
use super::files::meshes;
use super::jobs::{Failed, Told};
use super::{Desk, Done, OnStage, Refusal};
use crate::protocol::{Command, Event, ExportFormat, ExportOptions, JobKind, RenderFormat, RenderOptions};
use crate::runner::Order;
use crate::scratch;
use sinew_bake::take::{TakeOptions, TakeReader};
use sinew_bake::{Bake, Playback, Run, bake, build, clip_outputs};
use sinew_film::{EXPORT_EXTENSIONS, ExportAsked, FieldKind, FilmAsked, FilmError, Style, export, film};
use sinew_io::Dir;
use sinew_io::clip::{ClipBody, ClipInfo};
use sinew_io::clip_files;
use sinew_io::disk::{Outputs, check_outputs};
use sinew_scene::Scene;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use tokio::sync::mpsc;

/// Share of a job that simulating takes, about.
const SIMULATING: f64 = 0.6;

/// What a film or export is made of.
enum Source {
    Take(Box<TakeReader>),
    /// What the stage has performed, as soon as it says so.
    Live(Receiver<Box<Run>>),
    Scene {
        text: String,
        scene: Box<Scene>,
        threads: usize,
    },
}

/// Which motion is wanted.
#[derive(Clone, Copy)]
enum Motion<'a> {
    Scene,
    Live,
    Take(&'a str),
}

impl<'a> Motion<'a> {
    fn of(take: Option<&'a str>, live: Option<bool>) -> Self {
        match take {
            Some(take) => Self::Take(take),
            None if live == Some(true) => Self::Live,
            None => Self::Scene,
        }
    }
}

/// A file that is to be made.
struct Making<'a> {
    file: &'a str,
    extension: &'a str,
    from: Motion<'a>,
    /// First and last frame, where not all are wanted.
    frames: Option<[i32; 2]>,
    doing: &'a str,
}

impl Desk {
    pub(super) fn export(
        &mut self,
        file: &str,
        format: ExportFormat,
        options: &ExportOptions,
        overwrite: bool,
        reply: &mpsc::Sender<Event>,
    ) -> Done {
        let asked = ExportAsked {
            bound: options.bound.unwrap_or(ExportAsked::default().bound),
            normals: !options.no_normals.unwrap_or(false),
            overwrite,
        };
        let again = Command::Export { file: file.to_owned(), format, options: options.clone(), overwrite: true };
        let order = Making {
            file,
            extension: &extension(&format),
            from: Motion::of(options.take.as_deref(), options.live),
            frames: options.frames,
            doing: "exporting",
        };
        if !overwrite && self.asks_first(&order, again, reply)? {
            return Ok(());
        }
        self.make(&order, overwrite, move |playback, path, told| {
            let written = export(playback, path, &asked, &mut |done, total| {
                told.step("writing", Some(SIMULATING + (1.0 - SIMULATING) * done as f64 / total.max(1) as f64))
            });
            written.map(|written| written.files).map_err(|error| sentence(&error))
        })
    }

    pub(super) fn render(
        &mut self,
        file: &str,
        format: RenderFormat,
        options: &RenderOptions,
        overwrite: bool,
        reply: &mpsc::Sender<Event>,
    ) -> Done {
        let field = match &options.field {
            Some(word) => Some(FieldKind::ALL.into_iter().find(|kind| kind.name() == word).ok_or_else(|| {
                let words = FieldKind::ALL.map(FieldKind::name).join(", ");
                Refusal::new(format!("pictures cannot be coloured by {word:?}"), &format!("there are {words}"))
            })?),
            None => None,
        };
        let style = match options.style.as_deref() {
            None | Some("shaded") => Style::Shaded,
            Some("lines") => Style::Lines,
            Some(other) => {
                return Err(Refusal::new(format!("there is no style {other:?}"), "there are shaded and lines"));
            }
        };
        let asked = FilmAsked {
            size: options.size.unwrap_or([640, 360]),
            style,
            field,
            frame: options.frame,
            ..FilmAsked::default()
        };
        let again = Command::Render { file: file.to_owned(), format, options: options.clone(), overwrite: true };
        let order = Making {
            file,
            extension: &extension(&format),
            from: Motion::of(options.take.as_deref(), options.live),
            frames: options.frames,
            doing: "drawing",
        };
        if !overwrite && self.asks_first(&order, again, reply)? {
            return Ok(());
        }
        self.make(&order, overwrite, move |playback, path, told| {
            let filmed = film(playback, path, &asked, &mut |done, total| {
                told.step("drawing", Some(SIMULATING + (1.0 - SIMULATING) * done as f64 / total.max(1) as f64))
            });
            filmed.map(|_| vec![path.to_owned()]).map_err(|error| sentence(&error))
        })
    }

    /// Starts a job that makes a file in the project's folder.
    fn make(
        &mut self,
        order: &Making<'_>,
        overwrite: bool,
        write: impl FnOnce(&mut Playback, &Path, &Told) -> Result<Vec<PathBuf>, Failed> + Send + 'static,
    ) -> Done {
        let (file, path) = self.place_of(order)?;
        let project = self.folder.project_of(self.document.path());
        let source = match order.from {
            Motion::Take(name) => Source::Take(Box::new(self.own_take(name)?)),
            Motion::Live => Source::Live(self.live_run()),
            Motion::Scene => Source::Scene {
                text: self.document.text().to_owned(),
                scene: Box::new(self.document.scene().clone()),
                threads: self.builder.threads,
            },
        };
        let (home, frames, name) = (self.folder.dir(), order.frames, self.in_project(&file));
        let work = move |told: &Told| {
            let mut scratch = None;
            let take = match source {
                Source::Take(take) => *take,
                Source::Live(run) => read(scratch.insert(written(&run)?))?,
                Source::Scene { text, scene, threads } => {
                    read(scratch.insert(simulate(&text, &scene, &project, (threads, frames), told)?))?
                }
            };
            let mut playback = Playback::of(take, Some(&project)).map_err(|error| error.to_string())?;
            if let Some([first, last]) = frames {
                playback.limit_to(first..=last);
            }
            check_outputs(&playback.inputs(), &outputs_of(&playback, &path)?, true)
                .map_err(|error| error.to_string())?;
            let delivery = Delivery::new(&name)?;
            let files = write(&mut playback, delivery.path(), told).map_err(|why| delivery.without_path(&why))?;
            delivery.deliver(&home, overwrite, &files)
        };
        self.jobs.start(JobKind::Export, &format!("{} {file}", order.doing), work)?;
        Ok(())
    }

    /// A kept take. Whoever packed the project may have written it, so that its scene may name meshes in the opened folder only.
    fn own_take(&self, name: &str) -> Result<TakeReader, Refusal> {
        let cannot = |why: String| Refusal::new(format!("take {name:?} cannot be used: {why}"), "");
        let reader = self.takes.reader(name)?;
        let made_of = reader.last_header().map_err(|error| cannot(error.to_string()))?;
        let scene = Scene::from_toml(&made_of.scene_text, name).map_err(|error| cannot(error.to_string()))?;
        let project = self.folder.project_of(self.document.path());
        match meshes(&scene).into_iter().find(|(_, mesh)| !self.folder.holds(&project, mesh)) {
            None => Ok(reader),
            Some((_, mesh)) => {
                let why =
                    format!("its mesh {mesh:?} lies outside of the opened folder, and the studio reads no file there");
                Err(Refusal { help: Some(OUTSIDE_HELP.to_owned()), ..cannot(why) })
            }
        }
    }

    /// Asks the stage for what it has performed.
    fn live_run(&self) -> Receiver<Box<Run>> {
        let (send, receive) = channel();
        let answer = move |run| drop(send.send(run));
        let _ = self.stage.send(Order::Snapshot(Box::new(answer)));
        receive
    }

    /// The name of a file that is to be made, in the project, and its path.
    fn place_of(&self, order: &Making<'_>) -> Result<(String, PathBuf), Refusal> {
        if self.document.path().is_none() {
            return Err(Refusal::new("choose a name", "save the scene first: files are made in its folder"));
        }
        let Making { file, extension, .. } = order;
        let file = if file.to_ascii_lowercase().ends_with(&format!(".{extension}")) {
            (*file).to_owned()
        } else {
            format!("{file}.{extension}")
        };
        let path = self
            .folder
            .place(&self.in_project(&file))
            .map_err(|why| Refusal::new(format!("cannot write {file:?}: {why}"), "choose another name"))?;
        Ok((file, path))
    }

    /// Whether files are there already. Then the page is asked, and comes back with `again`.
    fn asks_first(&self, order: &Making<'_>, again: Command, reply: &mpsc::Sender<Event>) -> Result<bool, Refusal> {
        let (_, path) = self.place_of(order)?;
        let (names, frames) = match order.from {
            Motion::Take(take) => self.takes.header(take)?,
            Motion::Live | Motion::Scene => {
                let bodies = self.on_stage.as_ref().map(OnStage::bodies).unwrap_or_default();
                let [first, last] = self.document.scene().shot.frames;
                (bodies.into_iter().map(|(name, _)| name).collect(), first..=last)
            }
        };
        let bodies = names.into_iter().map(|name| ClipBody { name, ..ClipBody::default() }).collect();
        let frames = match order.frames {
            Some([first, last]) => first.max(*frames.start())..=last.min(*frames.end()),
            None => frames,
        };
        let first_frame = *frames.start();
        let info = ClipInfo { first_frame, frame_count: frames.count(), bodies, ..ClipInfo::default() };
        let Outputs { named, beside } = clip_files(&info, &path);
        let is_there = |file: &PathBuf| file.symlink_metadata().is_ok();
        let files: Vec<String> = named
            .iter()
            .chain(&beside)
            .filter(|file| is_there(file))
            .filter_map(|file| self.folder.relative(file))
            .collect();
        let asks = !files.is_empty();
        if asks {
            let _ = reply.try_send(Event::Exists { files, again });
        }
        Ok(asks)
    }

    /// The name of a project's file in the opened folder.
    pub(super) fn in_project(&self, file: &str) -> String {
        let project = self.folder.relative(&self.folder.project_of(self.document.path())).unwrap_or_default();
        if project.is_empty() { file.to_owned() } else { format!("{project}/{file}") }
    }
}

const OUTSIDE_HELP: &str = "copy the file into the scene's folder, name it there, and bake the scene again";

fn read(take: &Path) -> Result<TakeReader, Failed> {
    TakeReader::open(take).map_err(|error| error.to_string())
}

/// The files that a job will make.
fn outputs_of(playback: &Playback, path: &Path) -> Result<Outputs, Failed> {
    let is_clip =
        EXPORT_EXTENSIONS.iter().any(|known| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(known)));
    match is_clip {
        true => clip_outputs(playback, path).map_err(|error| error.to_string()),
        false => Ok(Outputs { named: vec![path.to_owned()], beside: Vec::new() }),
    }
}

/// The live run as a take that is gone when the job ends.
fn written(run: &Receiver<Box<Run>>) -> Result<tempfile::TempPath, Failed> {
    let run = run.recv().map_err(|_| "the stage is gone".to_owned())?;
    if run.first_missing().is_some() {
        return Err("the run is too long to be kept whole; export the scene, or play a shorter range".to_owned());
    }
    let file = scratch::file(".take").map_err(|error| format!("no room for the run: {error}"))?.into_temp_path();
    let (folder, name) = (file.parent().unwrap_or(Path::new(".")), file.file_name().unwrap_or_default());
    let dir = Dir::open(folder).map_err(|error| error.to_string())?;
    run.write(&dir, Path::new(name), TakeOptions::default()).map_err(|error| error.to_string())?;
    Ok(file)
}

/// The whole scene as a take that is gone when the job ends.
fn simulate(
    text: &str,
    scene: &Scene,
    project: &Path,
    (threads, frames): (usize, Option<[i32; 2]>),
    told: &Told,
) -> Result<tempfile::TempPath, Failed> {
    let cannot = |error: std::io::Error| format!("no room for the simulation: {error}");
    let file = scratch::file(".take").map_err(cannot)?.into_temp_path();
    let _ = told.step("building", None);
    let mut built = build(scene, project, threads).map_err(|error| error.to_string())?;
    let clock = built.stage.clock();
    let first = clock.first_frame;
    // What comes after the last frame that is wanted need not be simulated.
    let last = frames.map_or(clock.last_frame, |[_, last]| last.clamp(first, clock.last_frame));
    let asked = Bake { frames: first..=last, resume: false, options: TakeOptions::default(), dump: None };
    let all = f64::from(last - first).max(1.0);
    bake(&mut built, text, &file, &asked, |frame| {
        told.step("simulating", Some(SIMULATING * f64::from(frame - first) / all))
    })
    .map_err(|error| error.to_string())?;
    Ok(file)
}

fn sentence(error: &FilmError) -> Failed {
    match error.help() {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}

/// The word of a format is its extension.
fn extension(format: &impl serde::Serialize) -> String {
    serde_json::to_value(format).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
