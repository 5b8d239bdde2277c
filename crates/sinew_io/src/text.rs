//! Words of text files, with the line each stands in.

use crate::LineError;
use std::borrow::Cow;

/// Lines that say something: numbered from 1, comments (from `#` on) and blank lines left out. Bytes that are no text
/// can only stand in comments and names, and are replaced.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    bytes.split(|byte| *byte == b'\n').enumerate().filter_map(|(index, line)| {
        let code = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
        (!code.is_empty()).then(|| (index + 1, String::from_utf8_lossy(code)))
    })
}

/// A finite number.
pub(crate) fn number(word: &str, line: usize) -> Result<f64, LineError> {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(LineError::new(line, format!("{word:?} is not a finite number"))),
        Err(_) => Err(LineError::new(line, format!("expected a number, found {word:?}"))),
    }
}

/// A count or an index.
pub(crate) fn whole(word: &str, line: usize) -> Result<u64, LineError> {
    word.parse().map_err(|_| LineError::new(line, format!("expected a whole number from 0 up, found {word:?}")))
}

/// The next three words as a point.
pub(crate) fn point<'a>(words: &mut impl Iterator<Item = &'a str>, line: usize) -> Result<[f64; 3], LineError> {
    let mut coordinate = |axis: &str| {
        let word = words.next().ok_or_else(|| LineError::new(line, format!("the {axis} of a vertex is missing")))?;
        number(word, line)
    };
    Ok([coordinate("x")?, coordinate("y")?, coordinate("z")?])
}
