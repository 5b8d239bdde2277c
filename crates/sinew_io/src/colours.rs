//! Colours of vertices, as the formats write them.

/// A vertex's colour as it comes from a file; none where it has none.
pub(crate) type Rgb = Option<[f32; 3]>;

/// The colours of all vertices, from 0 to 1; empty unless each has one. Files of which a number is above 1 count to 255.
pub(crate) fn of_all(given: &[Rgb]) -> Vec<[f32; 3]> {
    let Some(colours) = given.iter().copied().collect::<Option<Vec<[f32; 3]>>>() else { return Vec::new() };
    let most = colours.as_flattened().iter().copied().fold(0.0, f32::max);
    let unit = if most > 1.0 { 255.0 } else { 1.0 };
    colours.into_iter().map(|rgb| rgb.map(|part| (part / unit).clamp(0.0, 1.0))).collect()
}

/// The first three numbers as a colour.
pub(crate) fn of_numbers(numbers: &[f32]) -> Rgb {
    numbers.first_chunk::<3>().copied().filter(|rgb| rgb.iter().all(|part| part.is_finite() && *part >= 0.0))
}

/// How a screen shows light (sRGB).
pub(crate) fn as_shown(light: f32) -> f32 {
    let light = light.clamp(0.0, 1.0);
    if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_shares_give_the_same_colours() {
        assert_eq!(of_all(&[Some([255.0, 0.0, 51.0]), Some([0.0; 3])]), [[1.0, 0.0, 0.2], [0.0; 3]]);
        assert_eq!(of_all(&[Some([1.0, 0.0, 0.2]), Some([0.0; 3])]), [[1.0, 0.0, 0.2], [0.0; 3]]);
        assert!(of_all(&[Some([1.0; 3]), None]).is_empty());
        assert!(of_all(&[]).is_empty());
    }
}
