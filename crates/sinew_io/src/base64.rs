//! Base64 (RFC 4648 §4), as VTU files and glTF data URIs use it.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes a stream that comes in pieces; up to two bytes wait for the next one.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    waiting: Vec<u8>,
}

impl Encoder {
    /// The letters of as many whole triples as there are by now.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.waiting.extend_from_slice(bytes);
        let whole = self.waiting.len() / 3 * 3;
        let letters = self.waiting[..whole].as_chunks::<3>().0.iter().flat_map(|triple| letters(*triple)).collect();
        self.waiting.drain(..whole);
        letters
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        match self.waiting[..] {
            [a] => [&letters([a, 0, 0])[..2], b"=="].concat(),
            [a, b] => [&letters([a, b, 0])[..3], b"="].concat(),
            _ => Vec::new(),
        }
    }
}

fn letters([a, b, c]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift) as usize & 63])
}

/// The bytes of a text; white space is passed over, and a stream may end and begin anew within it. The place of the first
/// wrong letter where it is none.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for (place, &letter) in text.iter().enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                // What is left of a group: one byte of two letters, two of three.
                match count {
                    2 => bytes.push((bits >> 4) as u8),
                    3 => bytes.extend([(bits >> 10) as u8, (bits >> 2) as u8]),
                    _ => {}
                }
                (bits, count) = (0, 0);
                continue;
            }
            _ if letter.is_ascii_whitespace() => continue,
            _ => return Err(place),
        };
        bits = bits << 6 | u32::from(value);
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    if count == 0 { Ok(bytes) } else { Err(text.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_come_out_and_back() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            let mut encoder = Encoder::default();
            let mut letters: Vec<u8> = bytes.bytes().flat_map(|byte| encoder.push(&[byte])).collect();
            letters.extend(encoder.finish());
            assert_eq!(String::from_utf8(letters).unwrap(), text);
            assert_eq!(decode(text.as_bytes()), Ok(bytes.as_bytes().to_vec()));
        }
        assert_eq!(decode(b"Zm9v YmE=Zg==\n"), Ok(b"foobaf".to_vec()));
        assert_eq!((decode(b"Zm9v!"), decode(b"Zm9")), (Err(4), Err(3)));
    }
}
