//! Takes as pictures, films and files of other programs: what `sinew render`, `sinew export` and the studio's jobs share.
//!
//! [`film()`] draws, [`export()`] writes; both tell how far they are and stop when asked to.

mod cutaway;
mod drawer;
mod drawn;
mod error;
mod export;
mod film;
mod glyphs;
mod movie;
mod skin_field;
mod texture;

pub use cutaway::{Plane, read_point};
pub(crate) use error::ELSEWHERE;
pub use error::FilmError;
pub use export::{EXPORT_EXTENSIONS, ExportAsked, export};
pub use film::{FILM_EXTENSIONS, FilmAsked, Filmed, film, picture};
pub use sinew_render::Style;
pub use skin_field::FieldKind;
pub use texture::SkinTexture;

use std::ops::ControlFlow;

/// Told how much of how much is done; says whether to go on.
pub type Progress<'a> = dyn FnMut(u64, u64) -> ControlFlow<()> + 'a;

/// For who never stops.
pub const GO_ON: ControlFlow<()> = ControlFlow::Continue(());
