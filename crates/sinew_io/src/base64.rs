//! Base64 (RFC 4648 §4) as VTU files and glTF data URIs use it: in pieces, with white space, several streams in a row.

use ::base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use ::base64::{DecodeError, Engine, alphabet};

/// Unused bits of a last letter may be anything.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&alphabet::STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Whole triples of bytes: letters of pieces this long, one behind the other, are those of all of them.
pub(crate) const PIECE: usize = 3 << 10;

pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of a text; white space is passed over, and a stream may end and begin anew within it. The place of the first
/// wrong letter where it is none.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let letters: Vec<u8> = text.iter().copied().filter(|letter| !letter.is_ascii_whitespace()).collect();
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    let mut begin = 0;
    while begin < letters.len() {
        // A stream ends behind its padding.
        let padding = letters[begin..].iter().position(|letter| *letter == b'=');
        let end = padding.map_or(letters.len(), |first| {
            let rest = &letters[begin + first..];
            begin + first + rest.iter().position(|letter| *letter != b'=').unwrap_or(rest.len())
        });
        let decoded = LENIENT.decode_vec(&letters[begin..end], &mut bytes);
        decoded.map_err(|error| place(text, begin + letter_of(&error, end - begin)))?;
        begin = end;
    }
    Ok(bytes)
}

/// Which letter of a stream of this length is wrong.
fn letter_of(error: &DecodeError, length: usize) -> usize {
    match error {
        DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => *at,
        DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => length,
    }
}

/// Where a letter stands in the text, white space counted.
fn place(text: &[u8], letter: usize) -> usize {
    let mut letters = text.iter().enumerate().filter(|(_, letter)| !letter.is_ascii_whitespace());
    letters.nth(letter).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_in_a_row_are_one_text() {
        let bytes: Vec<u8> = (0..2 * PIECE + 5).map(|i| (i * 7) as u8).collect();
        let pieces: String = bytes.chunks(PIECE).map(encode).collect();
        assert_eq!(pieces, encode(&bytes));
        assert_eq!(decode(pieces.as_bytes()), Ok(bytes));
    }

    #[test]
    fn the_examples_of_the_standard_come_out_and_back() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text.as_bytes()), Ok(bytes.as_bytes().to_vec()));
        }
        assert_eq!(decode(b"Zm9v YmE=Zg==\n"), Ok(b"foobaf".to_vec()));
        assert_eq!((decode(b"Zm9v!"), decode(b"Zm9")), (Err(4), Err(3)));
        assert_eq!(decode(b"Zm 9v\n!"), Err(6), "white space counts");
    }
}
