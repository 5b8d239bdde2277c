//! Laws of motion, checked on scenes that nobody chose.
//!
//! [`generate`] draws a scene from a seed, [`play()`] runs it and measures, [`judge()`] holds the measurements against laws that are true
//! whatever the scene ([`Law`] lists them with their bounds), and [`minimise()`] shrinks a scene that breaks one. Which laws apply is read off the
//! scene itself ([`Facts`]), never off the way it was made, so that a shrunk or hand-written scene is judged the same way.
//!
//! Start reading at [`Law`], then [`generate`].

pub mod answers;
mod case;
mod facts;
pub mod generate;
mod inside;
mod judge;
pub mod known;
mod minimise;
mod play;
mod random;
mod sides;
pub mod survey;
mod twin;

pub use case::{Case, Tug};
pub use facts::{BodyFacts, Facts};
pub use judge::{Breach, Law, Verdict, judge};
pub use minimise::minimise;
pub use play::{BodySample, Played, play};
pub use random::Random;
pub use twin::Twin;
