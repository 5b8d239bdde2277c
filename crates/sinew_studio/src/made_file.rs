//! Files that were made, as a stream: a piece at a time, whole or a range of bytes.

use crate::desk::Folder;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

/// What is read, and held in memory, at a time.
const PIECE_BYTES: u64 = 64 << 10;

/// The answer to a request for a file of the folder; none where it has no such file.
pub(crate) async fn answer(
    folder: Arc<Folder>,
    name: String,
    kind: &'static str,
    headers: &HeaderMap,
) -> Option<Response> {
    let open = move || -> Option<(File, u64)> {
        let file = folder.file(&name).ok()?;
        let bytes = file.metadata().ok()?.len();
        Some((file, bytes))
    };
    let (file, total) = tokio::task::spawn_blocking(open).await.ok()??;
    let asked = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let (status, from, len) = match asked.map_or(Asked::Whole, |asked| range(asked, total)) {
        Asked::Whole => (StatusCode::OK, 0, total),
        Asked::Part { from, len } => (StatusCode::PARTIAL_CONTENT, from, len),
        Asked::Nothing => {
            let none = [(header::CONTENT_RANGE, format!("bytes */{total}"))];
            return Some((StatusCode::RANGE_NOT_SATISFIABLE, none, "The file has no such bytes.\n").into_response());
        }
    };
    let mut response = Response::new(Body::from_stream(pieces(file, from, len)));
    *response.status_mut() = status;
    let told = response.headers_mut();
    told.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    told.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    told.insert(header::CONTENT_LENGTH, len.into());
    if status == StatusCode::PARTIAL_CONTENT {
        let last = from + len - 1;
        told.insert(header::CONTENT_RANGE, HeaderValue::from_str(&format!("bytes {from}-{last}/{total}")).ok()?);
    }
    Some(response)
}

#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Whole,
    Part { from: u64, len: u64 },
    Nothing,
}

/// One range of `bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-LAST_BYTES`; anything else is answered with all of it (RFC 9110, §14.2).
fn range(asked: &str, total: u64) -> Asked {
    let bounds = asked.strip_prefix("bytes=").and_then(|range| range.trim().split_once('-'));
    let number = |text: &str| if text.is_empty() { Some(None) } else { text.parse::<u64>().ok().map(Some) };
    let Some((first, last)) = bounds.and_then(|(first, last)| Some((number(first)?, number(last)?))) else {
        return Asked::Whole;
    };
    let (from, end) = match (first, last) {
        (None, None) => return Asked::Whole,
        (None, Some(count)) => (total.saturating_sub(count), total),
        (Some(first), None) => (first, total),
        (Some(first), Some(last)) if last < first => return Asked::Whole,
        (Some(first), Some(last)) => (first, total.min(last.saturating_add(1))),
    };
    if from >= end { Asked::Nothing } else { Asked::Part { from, len: end - from } }
}

/// Reads as it is taken.
fn pieces(file: File, from: u64, len: u64) -> impl futures_util::Stream<Item = io::Result<Bytes>> {
    futures_util::stream::unfold((Some(file), from, len), |(file, at, left)| async move {
        let mut file = file.filter(|_| left > 0)?;
        let read = move || -> io::Result<(File, Vec<u8>)> {
            let mut piece = Vec::new();
            file.seek(SeekFrom::Start(at))?;
            (&mut file).take(left.min(PIECE_BYTES)).read_to_end(&mut piece)?;
            // Shorter than it was when its length was told.
            if piece.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok((file, piece)) }
        };
        match tokio::task::spawn_blocking(read).await.map_err(io::Error::other).flatten() {
            Ok((file, piece)) => {
                let count = piece.len() as u64;
                Some((Ok(Bytes::from(piece)), (Some(file), at + count, left - count)))
            }
            Err(error) => Some((Err(error), (None, at, left))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        let part = |from, len| Asked::Part { from, len };
        assert_eq!(range("bytes=0-9", 100), part(0, 10));
        assert_eq!(range("bytes=90-", 100), part(90, 10));
        assert_eq!(range("bytes=-5", 100), part(95, 5));
        assert_eq!(range("bytes=-500", 100), part(0, 100));
        assert_eq!(range("bytes=50-999999999999999999", 100), part(50, 50));
        assert_eq!(range("bytes=100-", 100), Asked::Nothing);
        assert_eq!(range("bytes=-0", 100), Asked::Nothing);
        assert_eq!(range("bytes=0-", 0), Asked::Nothing);
        for odd in ["", "bytes", "bytes=", "bytes=-", "bytes=9-1", "bytes=0-1,5-6", "lines=0-1", "bytes=a-b"] {
            assert_eq!(range(odd, 100), Asked::Whole, "{odd:?}");
        }
    }
}
