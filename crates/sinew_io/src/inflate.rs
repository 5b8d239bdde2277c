//! Deflated data (RFC 1951, with the head of RFC 1950), taken apart by `miniz_oxide` within a limit.
//!
//! Deflate makes up to 1032 bytes of one, if they are all the same; numbers that somebody measured or computed become two to ten.
//! What is far beyond is refused by what its head claims. Room grows with what really comes out.

use miniz_oxide::inflate::{
    DecompressError, TINFLStatus, decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit,
};

/// Whatever a head claims: more than any array that is worked on.
const MOST_BYTES: u64 = 1 << 30;

/// What ZIP members may become, whatever their size, and for each of their bytes.
const FREE_BYTES: u64 = 32 << 20;
const BYTES_OF_A_BYTE: u64 = 32;

/// Plain deflate, as ZIP members have it.
pub(crate) fn plain(bytes: &[u8], expected: u64) -> Result<Vec<u8>, String> {
    let most = FREE_BYTES + BYTES_OF_A_BYTE * bytes.len() as u64;
    if expected > most {
        return Err(format!("{expected} bytes come out of {}, and {most} at most are read", bytes.len()));
    }
    checked(decompress_to_vec_with_limit(bytes, limit(expected)?), expected)
}

/// With zlib's head and checksum, as VTK has it. How much may come out is for its reader to say, which knows all blocks.
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

    #[test]
    fn a_member_is_not_taken_apart_into_a_thousand_times_its_size() {
        let zeros = vec![0u8; 80 << 20];
        let small = miniz_oxide::deflate::compress_to_vec(&zeros, 1);
        let refused = plain(&small, zeros.len() as u64).unwrap_err();
        assert!(refused.contains("at most are read"), "{refused}");
        assert_eq!(
            plain(&miniz_oxide::deflate::compress_to_vec(&zeros[..9 << 20], 1), 9 << 20).unwrap().len(),
            9 << 20
        );
    }
}
