//! glTF 2.0 (Khronos), `.gltf` and `.glb`: surfaces, and what is needed to play morph targets.
//!
//! Read: buffers (inside, as data URIs, or files beside it), accessors with strides and sparse parts, nodes with their
//! transforms, triangles as lists, strips and fans, texture coordinates, normals, materials with their images, and bones with
//! their weights. Errors of the JSON name their line, those of the
//! buffers the accessor.

mod accessor;
mod material;
mod node;
mod rig;
mod surface;

pub(crate) use node::{Node, Transform};
pub use surface::parse;
pub(crate) use surface::primitive_triangles;

use crate::bytes::{Bytes, Endian};
use crate::mesh_file::LARGEST_BYTES;
use crate::{ByteError, Dir, FormatError, LineError, base64};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Component, Path};
use std::sync::Arc;

/// A file taken apart.
pub(crate) struct Document {
    pub(crate) json: Value,
    buffers: Vec<Arc<Vec<u8>>>,
    /// What each of them is said to have.
    lengths: Vec<usize>,
    /// Where the JSON begins in the file; what is wrong with it is said to be there.
    json_at: usize,
    /// The size of everything read, which bounds what may be made of it.
    pub(crate) byte_count: usize,
}

impl Document {
    /// `folder` is where buffers in files of their own are looked for; without, such files are an error.
    pub(crate) fn parse(bytes: &[u8], folder: Option<&Dir>) -> Result<Self, FormatError> {
        let is_glb = bytes.starts_with(b"glTF");
        let (json_at, text, inside) = if is_glb { chunks(bytes)? } else { (0, bytes, None) };
        let json = serde_json::from_slice(text).map_err(|error| match is_glb {
            true => FormatError::from(ByteError::new(json_at, format!("the JSON of the file: {error}"))),
            false => LineError::new(error.line().max(1), format!("not glTF, or broken JSON: {error}")).into(),
        })?;
        let mut document = Self { json, buffers: Vec::new(), lengths: Vec::new(), json_at, byte_count: bytes.len() };
        let version = document.json["asset"]["version"].as_str().unwrap_or_default().to_owned();
        if !version.starts_with("2.") {
            return Err(document.wrong(format!("glTF of version {version:?}; 2.0 is read")));
        }
        if let Some(needed) = document.json["extensionsRequired"].as_array().and_then(|all| all.first()) {
            return Err(document.wrong(format!("the file needs the extension {needed}, which is not read")));
        }
        document.read_buffers(inside, folder)?;
        Ok(document)
    }

    fn read_buffers(&mut self, inside: Option<&[u8]>, folder: Option<&Dir>) -> Result<(), FormatError> {
        // A file that several buffers name is read once, and counts once towards what may be made of the document.
        let mut read: HashMap<String, Arc<Vec<u8>>> = HashMap::new();
        for (index, buffer) in self.list("buffers").to_vec().iter().enumerate() {
            let uri = buffer["uri"].as_str();
            let known = uri.and_then(|uri| read.get(uri)).cloned();
            let bytes = match (known, uri) {
                (Some(known), _) => Ok(known),
                (None, Some(uri)) => external(uri, folder).map(Arc::new).inspect(|bytes| {
                    self.byte_count += bytes.len();
                    read.insert(uri.to_owned(), bytes.clone());
                }),
                (None, None) => {
                    let inside = inside.filter(|_| index == 0).map(|inside| Arc::new(inside.to_vec()));
                    inside.ok_or_else(|| Unread::Wrong("it has no data".to_owned()))
                }
            };
            let bytes = bytes.map_err(|missing| match missing {
                Unread::File { name, why } => FormatError::Beside { name, why },
                Unread::Wrong(what) => self.wrong(format!("buffer {index}: {what}")),
            })?;
            let length = buffer["byteLength"].as_u64().unwrap_or_default() as usize;
            if bytes.len() < length {
                return Err(self.wrong(format!("buffer {index} has {} bytes, and should have {length}", bytes.len())));
            }
            self.buffers.push(bytes);
            self.lengths.push(length);
        }
        Ok(())
    }

    /// A buffer as far as the document says that it goes.
    pub(super) fn buffer(&self, index: u64) -> Option<&[u8]> {
        let index = usize::try_from(index).ok()?;
        self.buffers.get(index)?.get(..*self.lengths.get(index)?)
    }

    /// The bytes of a view, for what is no array of numbers.
    fn view_bytes(&self, index: &Value) -> Option<&[u8]> {
        let view = self.list("bufferViews").get(index.as_u64()? as usize)?;
        let buffer = self.buffer(view["buffer"].as_u64()?)?;
        let from = view["byteOffset"].as_u64().unwrap_or_default() as usize;
        buffer.get(from..from.checked_add(view["byteLength"].as_u64()? as usize)?)
    }

    /// What is wrong with what the JSON says.
    pub(crate) fn wrong(&self, what: impl Into<String>) -> FormatError {
        ByteError::new(self.json_at, what).into()
    }

    pub(crate) fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().map_or(&[], Vec::as_slice)
    }

    /// An entry that something else refers to.
    pub(crate) fn entry(&self, key: &str, index: &Value) -> Result<&Value, FormatError> {
        let found = index.as_u64().and_then(|index| self.list(key).get(index as usize));
        found.ok_or_else(|| self.wrong(format!("there is no {index} in {key}, which has {}", self.list(key).len())))
    }
}

/// The place of the JSON, the JSON, and the binary part of a GLB.
type Chunks<'a> = (usize, &'a [u8], Option<&'a [u8]>);

fn chunks(bytes: &[u8]) -> Result<Chunks<'_>, ByteError> {
    let mut bytes = Bytes::new(bytes, Endian::Little);
    bytes.take(4, "the head")?;
    let version = bytes.u32("the version")?;
    if version != 2 {
        return Err(ByteError::new(4, format!("GLB of version {version}; 2 is read")));
    }
    bytes.u32("the length")?;
    let length = bytes.u32("the JSON's length")? as usize;
    if bytes.take(4, "the JSON's kind")? != b"JSON" {
        return Err(ByteError::new(16, "the first chunk of a GLB is JSON"));
    }
    let at = bytes.at();
    let json = bytes.take(length, "the JSON")?;
    if bytes.left() == 0 {
        return Ok((at, json, None));
    }
    let length = bytes.u32("the buffer's length")? as usize;
    let kind = bytes.take(4, "the buffer's kind")?;
    let inside = bytes.take(length, "the buffer")?;
    Ok((at, json, (kind == b"BIN\0").then_some(inside)))
}

/// Why what a URI names is not there.
pub(crate) enum Unread {
    /// A file beside the document.
    File {
        name: String,
        why: String,
    },
    Wrong(String),
}

impl Unread {
    /// In one sentence.
    fn told(self) -> String {
        match self {
            Self::File { name, why } => format!("{name:?} cannot be read: {why}"),
            Self::Wrong(what) => what,
        }
    }
}

/// A data URI, or a file beside the document.
fn external(uri: &str, folder: Option<&Dir>) -> Result<Vec<u8>, Unread> {
    let wrong = |what: String| Err(Unread::Wrong(what));
    if let Some(data) = uri.strip_prefix("data:") {
        let Some((_, letters)) = data.split_once(";base64,") else {
            return wrong("its data URI is not base64".to_owned());
        };
        let decoded = base64::decode(letters.as_bytes());
        return decoded.map_err(|at| Unread::Wrong(format!("its data URI is not base64 at letter {at}")));
    }
    let name = decoded(uri);
    let path = Path::new(&name);
    // A mesh file has no business elsewhere on the disk.
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return wrong(format!("{uri:?} does not lie beside the file"));
    }
    let Some(folder) = folder else { return wrong(format!("it is in another file, {uri:?}")) };
    folder.read(path, LARGEST_BYTES).map_err(|error| Unread::File { why: error.to_string(), name })
}

/// Files beside the document that it names.
pub(crate) fn files_beside(bytes: &[u8]) -> Vec<String> {
    let text = if bytes.starts_with(b"glTF") { chunks(bytes).map_or(&[][..], |(_, text, _)| text) } else { bytes };
    let json: Value = serde_json::from_slice(text).unwrap_or_default();
    let entries = ["buffers", "images"].into_iter().filter_map(|key| json[key].as_array()).flatten();
    let uris = entries.filter_map(|entry| entry["uri"].as_str()).filter(|uri| !uri.starts_with("data:"));
    uris.map(decoded).collect()
}

/// The name that a URI means: `%xx` are bytes of it (RFC 3986 §2.1), as glTF asks for. What is no text stays as it is written.
fn decoded(uri: &str) -> String {
    percent_decode_str(uri).decode_utf8().map_or_else(|_| uri.to_owned(), std::borrow::Cow::into_owned)
}
