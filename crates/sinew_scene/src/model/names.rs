//! What names and colours look like in a file: the patterns of the schema, and the same as functions.

pub(crate) const NAME_PATTERN: &str = "^[A-Za-z0-9_-]+$";
pub(crate) const COLOUR_PATTERN: &str = "^#[0-9A-Fa-f]{6}$";

/// Whether `text` may name a body, director, set or obstacle.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

pub(crate) fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}
