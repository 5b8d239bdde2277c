//! The page's files, embedded when the crate was built (see `build/main.rs`), or a page that says why there is none.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// One embedded file.
#[derive(Clone, Copy)]
pub(crate) struct PageFile {
    path: &'static str,
    bytes: &'static [u8],
}

mod built {
    use super::PageFile;
    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

pub(crate) fn index() -> Response {
    file("/index.html").map_or_else(|| html(missing().into_bytes()), IntoResponse::into_response)
}

/// The embedded file of exactly this path. Nothing is read from disk, so no path leads anywhere else.
pub(crate) fn file(path: &str) -> Option<PageFile> {
    built::FILES.iter().find(|file| file.path == path).copied()
}

fn missing() -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>sinew studio</title>\
         <h1>The studio runs, but its page was not built</h1><p>{}</p>\
         <p>Install Node 20.19 or newer with npm, then build sinew again with a network at hand.</p></html>",
        built::WHY_MISSING
    )
}

fn html(bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], bytes).into_response()
}

impl IntoResponse for PageFile {
    fn into_response(self) -> Response {
        let kind = match self.path.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("woff2") => "font/woff2",
            Some("txt") => "text/plain; charset=utf-8",
            _ => "application/octet-stream",
        };
        ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], self.bytes).into_response()
    }
}
