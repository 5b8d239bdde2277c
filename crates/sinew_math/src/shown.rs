//! Numbers in messages.

/// A number as people read it: with an exponent where its digits would be zeros for the most part.
pub fn shown(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-4..1e15).contains(&size) { number.to_string() } else { format!("{number:e}") }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn short_numbers_are_written_out_and_long_ones_are_not() {
        let numbers = [0.0, 1.0, -2.5, 0.001, 1e-300, 1e200, f64::NAN, f64::INFINITY];
        assert_eq!(numbers.map(shown), ["0", "1", "-2.5", "0.001", "1e-300", "1e200", "NaN", "inf"]);
    }
}
