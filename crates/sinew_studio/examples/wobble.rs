//! The studio on a show without physics: `cargo run -p sinew_studio --example wobble`.

#[path = "../tests/wobble/mod.rs"]
mod wobble;

use sinew_studio::{StudioError, StudioOptions, serve};

fn main() -> Result<(), StudioError> {
    let open = std::env::args().all(|argument| argument != "--no-open");
    serve(Box::new(wobble::Wobble::new([24, 6, 6], [1, 96])), StudioOptions { open, ..StudioOptions::default() })
}
