//! How much a text of TOML can hold, told before it is parsed.
//!
//! A key of two letters becomes a kilobyte of tree, with the places and the white space around it. Characters that begin a key, a
//! table, a list or a number in one are counted with the share of memory that they cost; those in comments and texts count too,
//! which only makes the bound stricter.

/// Beyond this a text is no scene that anybody wrote: 250,000 keys, a million numbers in lists, or 200,000 keys of curves.
const MOST: u64 = 1_000_000;

/// The byte at which a text becomes too much, if it does.
pub(crate) fn exceeded(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // Whether a point was seen since the last character that belongs to no number.
    let (mut weight, mut has_point) = (0, false);
    (0..bytes.len()).find(|&at| {
        let byte = bytes[at];
        weight += match byte {
            b'=' => 4,
            // A number has one point. A dotted key makes a table for each of its parts, whose names may be digits too.
            b'.' => {
                let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
                let is_number = !has_point && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
                if is_number { 1 } else { 4 }
            }
            b'[' | b'{' => 2,
            b',' => 1,
            _ => 0,
        };
        has_point = byte == b'.' || has_point && (byte.is_ascii_digit() || byte == b'_');
        weight > MOST
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_fit_and_floods_of_keys_do_not() {
        for scene in crate::builtin::scenes() {
            assert_eq!(exceeded(scene.toml), None, "{}", scene.name);
            assert_eq!(exceeded(&scene.toml.repeat(20)), None, "{} twenty times", scene.name);
        }
        assert_eq!(exceeded(&"k = 1\n".repeat(250_000)), None);
        assert_eq!(exceeded(&"k = 1\n".repeat(250_001)), Some(6 * 250_000 + 2));
        assert_eq!(
            exceeded(&"[1001, 0.525], ".repeat(190_000)),
            None,
            "a curve with a key at every frame of two hours"
        );
        for part in [".a", ".1"] {
            let deep = format!("a{} = 1\n", part.repeat(79));
            assert!(exceeded(&deep.repeat(4000)).is_some(), "{part}");
        }
    }
}
