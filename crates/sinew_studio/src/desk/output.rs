//! Exports and pictures, made of a kept take or of the scene simulated anew.

use super::jobs::{Failed, Told};
use super::{Desk, Done, Refusal};
use crate::protocol::{ExportFormat, ExportOptions, RenderFormat, RenderOptions};
use sinew_bake::take::TakeOptions;
use sinew_bake::{Bake, Playback, bake, build};
use sinew_film::{ExportAsked, FieldKind, FilmAsked, FilmError, Style, export, film};
use sinew_scene::Scene;
use std::path::{Path, PathBuf};

/// Share of a job that simulating takes, about.
const SIMULATING: f64 = 0.6;

/// What a film or export is made of.
enum Source {
    Take(PathBuf),
    Scene { text: String, scene: Box<Scene>, threads: usize },
}

impl Desk {
    pub(super) fn export(&mut self, file: &str, format: ExportFormat, options: &ExportOptions) -> Done {
        let asked = ExportAsked {
            bound: options.bound.unwrap_or(ExportAsked::default().bound),
            normals: !options.no_normals.unwrap_or(false),
        };
        self.make(file, &extension(&format), options.take.as_deref(), "exporting", move |playback, path, told| {
            let written = export(playback, path, &asked, &mut |done, total| {
                told.step("writing", Some(SIMULATING + (1.0 - SIMULATING) * done as f64 / total.max(1) as f64))
            });
            written.map(|written| written.files).map_err(|error| sentence(&error))
        })
    }

    pub(super) fn render(&mut self, file: &str, format: RenderFormat, options: &RenderOptions) -> Done {
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
        self.make(file, &extension(&format), options.take.as_deref(), "drawing", move |playback, path, told| {
            let filmed = film(playback, path, &asked, &mut |done, total| {
                told.step("drawing", Some(SIMULATING + (1.0 - SIMULATING) * done as f64 / total.max(1) as f64))
            });
            filmed.map(|_| vec![path.to_owned()]).map_err(|error| sentence(&error))
        })
    }

    /// Starts a job that makes a file in the project's folder.
    fn make(
        &mut self,
        file: &str,
        extension: &str,
        take: Option<&str>,
        doing: &str,
        write: impl FnOnce(&mut Playback, &Path, &Told) -> Result<Vec<PathBuf>, Failed> + Send + 'static,
    ) -> Done {
        if self.document.path().is_none() {
            return Err(Refusal::new("choose a name", "save the scene first: files are made in its folder"));
        }
        let file = if file.to_ascii_lowercase().ends_with(&format!(".{extension}")) {
            file.to_owned()
        } else {
            format!("{file}.{extension}")
        };
        let project = self.folder.project_of(self.document.path());
        let inside = self.in_project(&file);
        let path = self
            .folder
            .place(&inside)
            .map_err(|why| Refusal::new(format!("cannot write {file:?}: {why}"), "choose another name"))?;
        let source = match take {
            Some(name) => Source::Take(self.takes.file(name)?),
            None => Source::Scene {
                text: self.document.text().to_owned(),
                scene: Box::new(self.document.scene().clone()),
                threads: self.builder.threads,
            },
        };
        let home = self.folder.clone();
        let work = move |told: &Told| {
            std::fs::create_dir_all(path.parent().unwrap_or(&project)).map_err(|error| error.to_string())?;
            let mut scratch = None;
            let take = match source {
                Source::Take(take) => take,
                Source::Scene { text, scene, threads } => {
                    let made = scratch.insert(simulate(&text, &scene, &project, threads, told)?);
                    made.to_path_buf()
                }
            };
            let mut playback = Playback::open(&take, Some(&project)).map_err(|error| error.to_string())?;
            let files = write(&mut playback, &path, told)?;
            Ok(files.iter().filter_map(|file| home.relative(file)).collect())
        };
        self.jobs.start(&format!("{doing} {file}"), work)?;
        Ok(())
    }

    /// The name of a project's file in the opened folder.
    pub(super) fn in_project(&self, file: &str) -> String {
        let project = self.folder.relative(&self.folder.project_of(self.document.path())).unwrap_or_default();
        if project.is_empty() { file.to_owned() } else { format!("{project}/{file}") }
    }
}

/// The whole scene as a take that is gone when the job ends.
fn simulate(
    text: &str,
    scene: &Scene,
    project: &Path,
    threads: usize,
    told: &Told,
) -> Result<tempfile::TempPath, Failed> {
    let cannot = |error: std::io::Error| format!("no room for the simulation: {error}");
    let file = tempfile::Builder::new().prefix("sinew-").suffix(".take").tempfile().map_err(cannot)?.into_temp_path();
    let _ = told.step("building", None);
    let mut built = build(scene, project, threads).map_err(|error| error.to_string())?;
    let clock = built.stage.clock();
    let (first, last) = (clock.first_frame, clock.last_frame);
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
