//! A take with everything needed to look at it: its scene is built again, so that skins and meshes are at hand.

use crate::assets::named_assets;
use crate::bake::body_headers;
use crate::take::{FrameView, TakeError, TakeHeader, TakeReader};
use crate::{BuildError, Built, build};
use sinew_io::disk::Inputs;
use sinew_math::DVec3;
use sinew_scene::{Scene, SceneError};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// An open take and the stage it was recorded on.
pub struct Playback {
    pub reader: TakeReader,
    pub scene: Scene,
    pub built: Built,
    /// Where its meshes are.
    folder: PathBuf,
    view: FrameView,
    /// What is shown of it; none shows all.
    only: Option<RangeInclusive<i32>>,
}

#[derive(Debug, thiserror::Error)]
pub enum PlaybackError {
    #[error(transparent)]
    Take(#[from] TakeError),
    #[error("the scene inside the take: {0}")]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("mesh {mesh:?} in {} is not the one the take was made with", folder.display())]
    OtherMesh { mesh: String, folder: PathBuf },
    #[error("body {body:?} of the take had other flesh than this sinew builds; bake it again")]
    OtherFlesh { body: String },
    #[error("take {} holds no frames yet", path.display())]
    NoFrames { path: PathBuf },
}

impl PlaybackError {
    /// What would be right, where the message does not say so.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Take(error) => error.help(),
            Self::Build(error) => error.help(),
            Self::NoFrames { .. } => Some("it was cut off before its first frame; bake it with --resume"),
            Self::OtherMesh { .. } => Some("say where the mesh of the take is with --folder, or bake it again"),
            _ => None,
        }
    }
}

/// Where the meshes of a take's scene are: in `folder`, or else beside the take or one folder up.
pub(crate) fn find_folder(reader: &TakeReader, folder: Option<&Path>) -> PathBuf {
    let beside = reader.path().parent().map(Path::to_owned).unwrap_or_default();
    let candidates = match folder {
        Some(folder) => vec![folder.to_owned()],
        None => vec![beside.clone(), beside.join("..")],
    };
    let assets = named_assets(&reader.header().scene_text);
    let has_files =
        |folder: &&PathBuf| reader.header().meshes.keys().chain(&assets).all(|file| folder.join(file).exists());
    candidates.iter().find(has_files).unwrap_or(&candidates[0]).clone()
}

/// The scene that made a span of a take, and its stage. Refused where that would not be the stage that was recorded.
pub(crate) fn build_span(
    made_of: &TakeHeader,
    take: &Path,
    folder: &Path,
    threads: usize,
) -> Result<(Scene, Built), PlaybackError> {
    let scene = Scene::from_toml(&made_of.scene_text, &take.display().to_string())?;
    let built = build(&scene, folder, threads)?;
    let differing = built.mesh_hashes.iter().find(|(mesh, hash)| made_of.meshes.get(*mesh) != Some(*hash));
    if let Some((mesh, _)) = differing {
        return Err(PlaybackError::OtherMesh { mesh: mesh.clone(), folder: folder.to_owned() });
    }
    let now = body_headers(&built.stage);
    if let Some(body) = made_of.bodies.iter().find(|body| !now.contains(body)) {
        return Err(PlaybackError::OtherFlesh { body: body.name.clone() });
    }
    Ok((scene, built))
}

impl Playback {
    /// Opens a take. Its scene's meshes are looked for in `folder`, or else beside the take and one folder up (a
    /// project keeps its takes in `takes/`).
    /// A scene that was edited as it was recorded is shown as its last text has it: obstacles, camera and light.
    pub fn open(path: &Path, folder: Option<&Path>) -> Result<Self, PlaybackError> {
        Self::of(TakeReader::open(path)?, folder)
    }

    /// The same for a take that is open already.
    pub fn of(reader: TakeReader, folder: Option<&Path>) -> Result<Self, PlaybackError> {
        let folder = find_folder(&reader, folder);
        let (scene, built) = build_span(&reader.last_header()?, reader.path(), &folder, 1)?;
        Ok(Self { reader, scene, built, folder, view: FrameView::default(), only: None })
    }

    /// The files it is made of, which nothing that is made of it may overwrite.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::new([self.reader.path()]);
        self.reader.header().meshes.keys().for_each(|mesh| inputs.add_mesh(&self.folder.join(mesh)));
        inputs
    }

    /// Shows these frames only, as far as they are recorded; where none of them is, all.
    pub fn limit_to(&mut self, frames: RangeInclusive<i32>) {
        self.only = Some(frames);
    }

    /// The frames that are shown.
    pub fn frames(&self) -> Result<RangeInclusive<i32>, PlaybackError> {
        let none = || PlaybackError::NoFrames { path: self.reader.path().to_owned() };
        let recorded = self.reader.frames().ok_or_else(none)?;
        let within = |only: &RangeInclusive<i32>| {
            let both = *only.start().max(recorded.start())..=*only.end().min(recorded.end());
            (!both.is_empty()).then_some(both)
        };
        Ok(self.only.as_ref().and_then(within).unwrap_or(recorded.clone()))
    }

    /// Reads a frame; the result is valid until the next one is read.
    pub fn show(&mut self, frame: i32) -> Result<&FrameView, PlaybackError> {
        self.reader.read_frame(frame, &mut self.view)?;
        Ok(&self.view)
    }

    /// World positions of a body's skin in the frame that was shown last.
    pub fn skin(&self, body: usize) -> Vec<DVec3> {
        let mut skin = Vec::new();
        self.built.stage.bodies()[body].skin.embedding.apply(&self.flesh(body), &mut skin);
        skin
    }

    /// World positions of a body's flesh in the frame that was shown last, in the flesh's own order.
    pub fn flesh(&self, body: usize) -> Vec<DVec3> {
        self.view.bodies[body].positions().collect()
    }
}
