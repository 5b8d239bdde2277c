//! What is fetched and sent besides the page itself: pictures of scenes, the schema, made files, and meshes brought in.

use crate::desk::{DeskOrder, Import, Part};
use crate::server::Front;
use crate::{made_file, pictures, scratch};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use percent_encoding::percent_decode_str;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Files that sinew makes; nothing else in the folder is given away.
const MADE: [(&str, &str); 14] = [
    ("png", "image/png"),
    ("apng", "image/apng"),
    ("gif", "image/gif"),
    ("mp4", "video/mp4"),
    ("glb", "model/gltf-binary"),
    ("usda", "text/plain; charset=utf-8"),
    ("obj", "text/plain; charset=utf-8"),
    ("ply", "application/octet-stream"),
    ("mdd", "application/octet-stream"),
    ("pc2", "application/octet-stream"),
    ("npz", "application/octet-stream"),
    ("pvd", "text/plain; charset=utf-8"),
    ("vtu", "text/plain; charset=utf-8"),
    ("toml", "text/plain; charset=utf-8"),
];

/// Of a mesh file that is brought in.
pub(crate) const LARGEST_IMPORT_BYTES: u64 = 256 << 20;

/// The JSON Schema of scenes.
pub(crate) async fn schema() -> Response {
    let json = [(header::CONTENT_TYPE, "application/schema+json")];
    (json, sinew_scene::schema().to_string()).into_response()
}

/// What the person at this machine prefers, by name.
pub(crate) async fn preferences(State(front): State<Arc<Front>>) -> Response {
    let kept = serde_json::to_string(&*front.house.board.preferences.borrow()).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], kept).into_response()
}

/// `/gallery/NAME.png`.
pub(crate) async fn picture(uri: Uri) -> Response {
    let name = uri.path().strip_prefix("/gallery/").and_then(|name| name.strip_suffix(".png"));
    match name.and_then(pictures::find) {
        Some(bytes) => ([(header::CONTENT_TYPE, "image/png")], bytes).into_response(),
        None => nothing(),
    }
}

/// `/files/NAME`: what was made in the opened folder, whole or a range of it.
pub(crate) async fn made_file(State(front): State<Arc<Front>>, uri: Uri, headers: HeaderMap) -> Response {
    let name = uri.path().strip_prefix("/files/").and_then(decoded);
    let Some((folder, name)) = front.folder.clone().zip(name) else { return nothing() };
    let kind = name.rsplit_once('.').and_then(|(_, ending)| MADE.iter().find(|(known, _)| *known == ending));
    let Some((_, kind)) = kind else { return nothing() };
    made_file::answer(folder, name, kind, &headers).await.unwrap_or_else(nothing)
}

/// `POST /import?name=bunny.obj` with the file as its body: `{ "job": 7 }`, or a sentence on why not. It becomes a scene of its own;
/// with `&as=body` or `&as=obstacle`, part of the open one. Files that belong to it follow it in the body, each with
/// `&with=BYTES:NAME` in their order.
pub(crate) async fn import(State(front): State<Arc<Front>>, request: Request) -> Response {
    match receive(&front, request).await {
        Ok(job) => ([(header::CONTENT_TYPE, "application/json")], format!("{{\"job\":{job}}}")).into_response(),
        Err((status, why)) => (status, format!("{why}.\n")).into_response(),
    }
}

async fn receive(front: &Front, request: Request) -> Result<u32, (StatusCode, String)> {
    let wrong = |why: &str| (StatusCode::BAD_REQUEST, why.to_owned());
    let desk = front.house.desk.clone().ok_or_else(|| wrong("this show has no scene that could be edited"))?;
    let Asked { name, part, with } = Asked::of(request.uri().query().unwrap_or_default()).map_err(wrong)?;
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    let known = format!("{}, {}", sinew_io::SURFACE_EXTENSIONS, sinew_io::TET_EXTENSIONS);
    if !known.split(", ").any(|extension| extension == format!(".{ending}")) {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("{name} is no mesh that sinew reads: {known}")));
    }
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > LARGEST_IMPORT_BYTES) {
        return Err(too_large());
    }
    let file = store(request.into_body()).await?;
    let beside = parted(&file, with).map_err(|error| wrong(&format!("its files cannot be told apart: {error}")))?;
    let (reply, answer) = oneshot::channel();
    let import = Import { name, file, beside, part, reply };
    desk.send(DeskOrder::Import(Box::new(import))).map_err(|_| wrong("the desk stopped"))?;
    answer.await.map_err(|_| wrong("the desk stopped"))?.map_err(|why| (StatusCode::CONFLICT, why))
}

/// What an import's address says.
struct Asked {
    name: String,
    part: Option<Part>,
    /// Sizes and names of the files behind the mesh.
    with: Vec<(u64, String)>,
}

impl Asked {
    fn of(query: &str) -> Result<Self, &'static str> {
        /// Libraries and pictures of one mesh.
        const MOST_FILES: usize = 64;
        let mut asked = Self { name: String::new(), part: None, with: Vec::new() };
        for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            match (key, value) {
                ("name", name) => asked.name = decoded(name).unwrap_or_default(),
                ("as", "body") => asked.part = Some(Part::Body),
                ("as", "obstacle") => asked.part = Some(Part::Obstacle),
                ("as", _) => return Err("a mesh is added as a body or as an obstacle"),
                ("with", file) => {
                    let parts =
                        file.split_once(':').and_then(|(size, name)| Some((size.parse().ok()?, decoded(name)?)));
                    asked.with.push(parts.ok_or("a file beside the mesh is BYTES:NAME")?);
                }
                _ => {}
            }
        }
        match () {
            () if asked.name.is_empty() => Err("the file needs a name"),
            () if asked.with.len() > MOST_FILES => Err("too many files belong to it"),
            () => Ok(asked),
        }
    }
}

/// Takes the files behind the mesh off its end, each into a file of its own.
fn parted(whole: &std::path::Path, with: Vec<(u64, String)>) -> std::io::Result<Vec<(String, tempfile::TempPath)>> {
    use std::io::{Read, Seek, SeekFrom};
    if with.is_empty() {
        return Ok(Vec::new());
    }
    let mut file = File::options().read(true).write(true).open(whole)?;
    let behind = with.iter().try_fold(0u64, |sum, (size, _)| sum.checked_add(*size));
    let length = file.metadata()?.len();
    let mesh = behind.and_then(|behind| length.checked_sub(behind)).ok_or(std::io::ErrorKind::UnexpectedEof)?;
    file.seek(SeekFrom::Start(mesh))?;
    let mut beside = Vec::new();
    for (size, name) in with {
        let (mut to, path) = scratch::file("")?.into_parts();
        std::io::copy(&mut (&mut file).take(size), &mut to)?;
        beside.push((name, path));
    }
    file.set_len(mesh)?;
    Ok(beside)
}

fn too_large() -> (StatusCode, String) {
    let most = LARGEST_IMPORT_BYTES >> 20;
    (StatusCode::PAYLOAD_TOO_LARGE, format!("the file is too large: up to {most} MB can be brought in"))
}

/// Puts the body into a file as it comes, so that it takes no more memory than its pieces.
async fn store(body: Body) -> Result<tempfile::TempPath, (StatusCode, String)> {
    /// A page that sends nothing for this long has gone.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);
    /// All of it arrives within this time: on this machine it comes from a disk.
    const IN_ALL: std::time::Duration = std::time::Duration::from_secs(600);
    let began = std::time::Instant::now();
    let cannot = |error: std::io::Error| (StatusCode::INSUFFICIENT_STORAGE, format!("it cannot be stored: {error}"));
    let made = scratch::file("").map_err(cannot)?;
    let (mut file, path): (File, _) = made.into_parts();
    let mut pieces = body.into_data_stream();
    let mut bytes = 0u64;
    loop {
        let piece = tokio::time::timeout(PATIENCE, pieces.next()).await;
        let stalled = |_| (StatusCode::REQUEST_TIMEOUT, "the file stopped coming".to_owned());
        let Some(piece) = piece.map_err(stalled)? else { return Ok(path) };
        let piece = piece.map_err(|_| (StatusCode::BAD_REQUEST, "the file broke off".to_owned()))?;
        if began.elapsed() > IN_ALL {
            return Err((StatusCode::REQUEST_TIMEOUT, "the file comes too slowly".to_owned()));
        }
        bytes += piece.len() as u64;
        if bytes > LARGEST_IMPORT_BYTES {
            return Err(too_large());
        }
        file.write_all(&piece).map_err(cannot)?;
    }
}

/// A part of an address with its `%xx` read, if it is text.
fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

fn nothing() -> Response {
    (StatusCode::NOT_FOUND, "The studio has no such file.\n").into_response()
}
