//! Any bytes into any reader: an error or a mesh, never a panic, never more memory at once than the file is worth. The
//! first byte says which reader; libFuzzer finds the rest by coverage, beginning with one file of every format.

#![no_main]

#[path = "../../crates/sinew_io/tests/it/formats/mod.rs"]
#[allow(clippy::unwrap_used, reason = "shared with tests")]
mod formats;
#[path = "../../crates/sinew_io/tests/it/samples/mod.rs"]
mod samples;
#[path = "../../crates/sinew_io/tests/it/watching/mod.rs"]
mod watching;
#[path = "../../crates/sinew_io/tests/it/wobble/mod.rs"]
mod wobble;

use formats::{Format, formats};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;
use watching::LARGEST;

static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(formats);

fuzz_target!(init: write_seeds(), |input: &[u8]| {
    let Some((which, file)) = input.split_first() else { return };
    let format = &FORMATS[*which as usize % FORMATS.len()];
    LARGEST.store(0, Ordering::Relaxed);
    let _ = (format.read)(file);
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(largest < format.worth(file.len()), "{}: {largest} bytes at once for a file of {}", format.name, file.len());
});

/// Before the corpus is read: one file of every format into the folder `SINEW_FUZZ_SEEDS`.
fn write_seeds() {
    let Some(folder) = std::env::var_os("SINEW_FUZZ_SEEDS").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).expect("the folder of seeds can be made");
    for (number, format) in FORMATS.iter().enumerate() {
        let file = [&[number as u8][..], &format.file].concat();
        let name = format!("seed-{}", format.name.replace(' ', "-"));
        std::fs::write(folder.join(name), file).expect("seeds can be written");
    }
}
