//! Deflated data (RFC 1951, with the head of RFC 1950), taken apart by `miniz_oxide` within a limit.
//!
//! Deflate makes at most 1032 bytes of one, so that even here what is allocated is bounded by the file's size. Room grows
//! with what really comes out, never with what a head claims.

use miniz_oxide::inflate::{
    DecompressError, TINFLStatus, decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit,
};

/// Whatever a head claims: more than any array that is worked on.
const MOST_BYTES: u64 = 1 << 30;

/// Plain deflate, as ZIP members have it.
pub(crate) fn plain(bytes: &[u8], expected: u64) -> Result<Vec<u8>, String> {
    checked(decompress_to_vec_with_limit(bytes, limit(expected)?), expected)
}

/// With zlib's head and checksum, as VTK has it.
pub(crate) fn zlib(bytes: &[u8], expected: u64) -> Result<Vec<u8>, String> {
    checked(decompress_to_vec_zlib_with_limit(bytes, limit(expected)?), expected)
}

fn limit(expected: u64) -> Result<usize, String> {
    if expected > MOST_BYTES {
        return Err(format!("{expected} bytes are more than the {MOST_BYTES} that are read of one array"));
    }
    usize::try_from(expected).map_err(|_| "more bytes than this machine addresses".to_owned())
}

fn checked(found: Result<Vec<u8>, DecompressError>, expected: u64) -> Result<Vec<u8>, String> {
    match found {
        Ok(bytes) if bytes.len() as u64 == expected => Ok(bytes),
        Ok(bytes) => Err(format!("{} bytes come out, and {expected} were said to", bytes.len())),
        Err(DecompressError { status: TINFLStatus::HasMoreOutput, .. }) => {
            Err(format!("more bytes come out than the {expected} that were said to"))
        }
        Err(_) => Err("the compressed data is damaged".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_deflated_comes_back_within_its_limit() {
        let zeros = vec![0u8; 100_000];
        let small = miniz_oxide::deflate::compress_to_vec_zlib(&zeros, 6);
        assert!(small.len() < 200);
        assert_eq!(zlib(&small, 100_000).unwrap(), zeros);
        assert!(zlib(&small, 99_999).unwrap_err().contains("more bytes come out"));
        assert!(zlib(&small, 100_001).unwrap_err().contains("100000 bytes come out"));
        assert!(zlib(&small[..small.len() / 2], 100_000).is_err());
        assert!(plain(&[0xff; 40], 10).is_err());
    }
}
