//! Exact states as bytes, their digests, and the hash of a take.
//!
//! The canonical bytes of a state are its postcard encoding: floats as their IEEE bits, little endian, lengths as
//! varints. Equal bytes mean an equal future, so equal digests mean an equal performance.

use super::TakeError;
use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sinew_solve::StageState;

/// BLAKE3, 32 bytes.
pub type Digest = [u8; 32];

/// The digest of a state's canonical bytes.
pub fn state_digest(state: &StageState) -> Result<Digest, TakeError> {
    let mut bytes = Vec::new();
    encode(state, "a state", &mut bytes)?;
    Ok(digest(&bytes))
}

/// BLAKE3 over the digests of consecutive states: the hash of a take, whatever way it stores them.
pub fn take_hash<'a>(digests: impl IntoIterator<Item = &'a Digest>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for digest in digests {
        hasher.update(digest);
    }
    hasher.finalize()
}

pub(super) fn digest(bytes: &[u8]) -> Digest {
    *blake3::hash(bytes).as_bytes()
}

/// Appends the canonical encoding of `value` to `bytes`.
pub(super) fn encode<T: Serialize>(value: &T, what: &'static str, bytes: &mut Vec<u8>) -> Result<(), TakeError> {
    postcard::serialize_with_flavor(value, Into(bytes)).map_err(|source| TakeError::Encode { what, source })
}

/// The value in `bytes`, which it must fill to the last byte. Lengths inside are held against what is there, so the
/// memory asked for is bounded by the size of `bytes`.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(format!("{} bytes too many", rest.len())),
        Err(error) => Err(error.to_string()),
    }
}

/// Writes into a vector that is kept from frame to frame.
struct Into<'a>(&'a mut Vec<u8>);

impl Flavor for Into<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
