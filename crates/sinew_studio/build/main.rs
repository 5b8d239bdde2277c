//! Embeds the studio's page. Writes `OUT_DIR/page.rs` with the list of its files, or with why there are none.
//!
//! The page is built only when its sources changed, never for clippy or where `SINEW_PAGE=skip` is set. Without Node or
//! a network the crate still builds, and the studio says what to install.

mod npm;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=SINEW_PAGE");
    println!("cargo:rerun-if-env-changed=CLIPPY_ARGS");
    println!("cargo:rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let web = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR")).join("../../web");
    for source in npm::SOURCES {
        println!("cargo:rerun-if-changed={}", web.join(source).display());
    }
    let page = if env::var_os("SINEW_PAGE").is_some_and(|value| value == "skip") {
        Err("It was left out on purpose (SINEW_PAGE=skip).".to_owned())
    } else if env::var_os("CLIPPY_ARGS").is_some() {
        Err("It is left out when sinew is only checked.".to_owned())
    } else {
        npm::build_page(&web, &out).inspect_err(|why| {
            println!("cargo:warning=the studio's page was not built: {why}");
            // A file that is never there makes cargo try again next time, when Node or the network may be.
            println!("cargo:rerun-if-changed={}", out.join("page-is-missing").display());
        })
    };
    write_if_changed(&out.join("page.rs"), &listing(page.as_deref().map_err(String::as_str)));
    write_if_changed(&out.join("pictures.rs"), &pictures());
}

/// Rust source of the pictures of built-in scenes: what `gallery/` holds.
fn pictures() -> String {
    println!("cargo:rerun-if-changed=gallery");
    let folder = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR")).join("gallery");
    let mut source = String::from("const PICTURES: &[(&str, &[u8])] = &[\n");
    for path in npm::files_under(&folder) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let _ = writeln!(source, "    ({name:?}, include_bytes!({path:?})),");
    }
    source + "];\n"
}

/// Rust source of the embedded files.
fn listing(page: Result<&Path, &str>) -> String {
    let mut source = String::from("pub(super) const FILES: &[PageFile] = &[\n");
    if let Ok(folder) = page {
        for path in npm::files_under(folder) {
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let _ =
                writeln!(source, "    PageFile {{ path: {:?}, bytes: include_bytes!({path:?}) }},", format!("/{name}"));
        }
    }
    let _ = writeln!(source, "];\npub(super) const WHY_MISSING: &str = {:?};", page.err().unwrap_or_default());
    source
}

/// An untouched file does not make cargo compile again.
fn write_if_changed(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).expect("OUT_DIR can be written");
    }
}
