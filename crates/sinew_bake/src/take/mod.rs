//! A take: a recorded performance in one append-only file.
//!
//! ```text
//! preamble   magic (12 bytes), format version (u32)
//! record 0   header: scene text, mesh hashes, version, clock, bodies, how frames are stored
//! record …   inputs of a tick · warning · frame · checkpoint · another text of the scene, in the order in which they happened
//! record n   end marker with totals; absent while the take is being written, or after a crash
//!
//! record     head, 72 bytes: kind, frame, tick, length, checksum of the payload, digest of the exact state,
//!            checksum of the head and of its place in the file; then the payload
//! ```
//!
//! A *frame* is for looking: positions as f32 about each body's origin (or 16-bit steps within a stated bound) and
//! velocities as f32. A *checkpoint* is for going on: the exact bytes of the [`StageState`](sinew_solve::StageState).
//! Both carry the BLAKE3 digest of those bytes, so the hash of a take says what was simulated, not how it was stored.
//!
//! Every record is one write to the file, so whatever was recorded survives a `kill -9`; what a crash tears is the last
//! record, and a reader stops before it. Checkpoints are pushed to the disk (`fsync`). After a crash
//! [`TakeWriter::resume`] keeps all intact records, hands out the last checkpoint, and from there on *compares*
//! frames that are simulated again with what is recorded, before it appends new ones: nothing recorded is lost
//! twice, and a machine that does not reproduce a take is found out.
//!
//! A take that is there already is not touched while it is recorded anew: the new one grows beside it, as `NAME.take.rebake`,
//! and takes its name at the end.
//!
//! Checkpoints come when the frames since the last one have grown as large as a checkpoint itself, so that they at most
//! double the file; every 240 frames at the latest (ten seconds of film to simulate again, at worst), at the first frame
//! and at the last. With f32 frames and velocities that is every third frame of shape matching, every ninth of FEM.
//!
//! The layout byte by byte is in `docs/book/take-format.md`.

mod bench;
mod disk;
mod error;
mod exact;
mod frame;
#[cfg(test)]
mod full_disk;
mod header;
mod index;
mod quantise;
mod reader;
mod record;
mod recorded;
mod resume;
mod span;
mod swap;
mod writer;

pub use bench::{SeekTimes, bench_seek};
pub use error::TakeError;
pub use exact::{Digest, state_digest, take_hash};
pub use frame::{BodyView, FrameView};
pub use header::{BodyHeader, TakeHeader, TakeOptions, TakeTotals};
pub use index::{Tail, Tear};
pub use reader::TakeReader;
pub use resume::{ResumePoint, Resumed};
pub use sinew_stage::Clock;
pub use span::Span;
pub use swap::rebake_path;
pub use writer::TakeWriter;
