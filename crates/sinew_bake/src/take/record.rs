//! Records: a head that is protected by itself and says how to check what follows it.

use super::exact::{Digest, digest};

/// Begins every take. The first byte is no text, the last is a line end that text conversion would change.
pub(super) const MAGIC: [u8; 12] = *b"\x89sinew take\n";
pub(super) const VERSION: u32 = 2;
/// The oldest version that can be read: it has no records of spans.
pub(super) const OLDEST_VERSION: u32 = 1;
/// Magic and version.
pub(super) const PREAMBLE_BYTES: u64 = 16;
pub(super) const HEAD_BYTES: usize = 72;

const MARK: [u8; 3] = *b"rec";
/// Where the head's own checksum lies; everything before it is covered.
const SUM_AT: usize = HEAD_BYTES - SUM_BYTES;
const SUM_BYTES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Header = 1,
    Frame = 2,
    Checkpoint = 3,
    Input = 4,
    Warning = 5,
    End = 6,
    Span = 7,
    Measures = 8,
}

/// The first 72 bytes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordHead {
    pub kind: Kind,
    /// The frame (frames, checkpoints, spans, measures, end), else 0.
    pub frame: i32,
    /// The state's tick, or the tick of an input or warning.
    pub tick: u64,
    pub payload_bytes: u64,
    pub payload_sum: [u8; SUM_BYTES],
    /// Digest of the exact state (frames, checkpoints), else zeros. A checkpoint's payload has this digest.
    pub digest: Digest,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Header, Self::Frame, Self::Checkpoint, Self::Input, Self::Warning, Self::End, Self::Span, Self::Measures]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

impl RecordHead {
    pub(super) fn of(kind: Kind, payload: &[u8]) -> Self {
        let payload_bytes = payload.len() as u64;
        Self { kind, frame: 0, tick: 0, payload_bytes, payload_sum: sum(payload), digest: [0; 32] }
    }

    pub(super) fn record_bytes(&self) -> Option<u64> {
        self.payload_bytes.checked_add(HEAD_BYTES as u64)
    }

    /// The head's bytes at `offset` in the file. The offset is part of its checksum, so a block of the file that ended up
    /// elsewhere is not taken for a record.
    pub(super) fn to_bytes(self, offset: u64) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[0..3].copy_from_slice(&MARK);
        bytes[3] = self.kind as u8;
        bytes[4..8].copy_from_slice(&self.frame.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.tick.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.payload_bytes.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.payload_sum);
        bytes[32..64].copy_from_slice(&self.digest);
        let sum = head_sum(&bytes, offset);
        bytes[SUM_AT..].copy_from_slice(&sum);
        bytes
    }

    /// Reads a head found at `offset`, or says what is wrong with it.
    pub(super) fn from_bytes(bytes: &[u8; HEAD_BYTES], offset: u64) -> Result<Self, &'static str> {
        if bytes[0..3] != MARK {
            return Err("no record begins here");
        }
        if bytes[SUM_AT..] != head_sum(bytes, offset) {
            return Err("the head of this record does not match its checksum");
        }
        Ok(Self {
            kind: Kind::from_byte(bytes[3]).ok_or("a record of unknown kind")?,
            frame: i32::from_le_bytes(array(&bytes[4..8])),
            tick: u64::from_le_bytes(array(&bytes[8..16])),
            payload_bytes: u64::from_le_bytes(array(&bytes[16..24])),
            payload_sum: array(&bytes[24..32]),
            digest: array(&bytes[32..64]),
        })
    }

    /// Whether `payload` is what was written under this head.
    pub(super) fn matches(&self, payload: &[u8]) -> bool {
        self.payload_bytes == payload.len() as u64 && self.matches_digest(&digest(payload))
    }

    /// The same, given the BLAKE3 of the payload.
    pub(super) fn matches_digest(&self, payload_digest: &Digest) -> bool {
        let short = payload_digest[..SUM_BYTES] == self.payload_sum;
        short && (self.kind != Kind::Checkpoint || *payload_digest == self.digest)
    }
}

/// Copies out a slice whose length the caller has fixed.
pub(super) fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(bytes);
    out
}

fn sum(payload: &[u8]) -> [u8; SUM_BYTES] {
    array(&digest(payload)[..SUM_BYTES])
}

fn head_sum(bytes: &[u8; HEAD_BYTES], offset: u64) -> [u8; SUM_BYTES] {
    let mut covered = [0; SUM_AT + 8];
    covered[..SUM_AT].copy_from_slice(&bytes[..SUM_AT]);
    covered[SUM_AT..].copy_from_slice(&offset.to_le_bytes());
    sum(&covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> RecordHead {
        let head = RecordHead::of(Kind::Frame, b"payload");
        RecordHead { frame: -7, tick: 1 << 40, digest: [9; 32], ..head }
    }

    #[test]
    fn a_head_comes_back_as_it_was_written() {
        let bytes = head().to_bytes(16);
        assert_eq!(RecordHead::from_bytes(&bytes, 16), Ok(head()));
        assert!(head().matches(b"payload") && !head().matches(b"pay_oad") && !head().matches(b"payloa"));
    }

    #[test]
    fn every_flipped_bit_and_every_other_place_is_noticed() {
        let bytes = head().to_bytes(16);
        for bit in 0..HEAD_BYTES * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(RecordHead::from_bytes(&flipped, 16).is_err(), "bit {bit}");
        }
        assert!(RecordHead::from_bytes(&bytes, 17).is_err());
    }

    #[test]
    fn a_checkpoint_is_held_to_its_full_digest() {
        let mut head = RecordHead { digest: digest(b"state"), ..RecordHead::of(Kind::Checkpoint, b"state") };
        assert!(head.matches(b"state"));
        head.digest[31] ^= 1;
        assert!(!head.matches(b"state"));
    }
}
