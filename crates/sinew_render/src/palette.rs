//! At most 255 colours that stand for all colours of a picture.
//!
//! Boxes of colours are split where their spread is greatest (as in Wu, "Color Quantization by Dynamic Programming
//! and Principal Analysis", 1992, along the coordinate axes only), then moved to the means of what they stand for.
//! Smooth shading needs many neighbouring tones rather than dithering: a body in one hue gets most of the palette,
//! and each colour counts by the square root of its pixels, so that a small body does not lose its tones to the
//! background.

use crate::Rgb;

/// The 256th index of a GIF is kept for "as before".
pub(crate) const MOST_COLOURS: usize = 255;

/// How strongly a difference in red, green and blue is seen, roughly; squared distances use these.
const SEEN: [i32; 3] = [3, 4, 2];

/// Two rounds move the boxes to within rounding of where more rounds would (looked at on the example pictures).
const REFINEMENTS: usize = 2;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Palette {
    pub(crate) colours: Vec<Rgb>,
}

/// The distinct colours of a picture, in order, with how much each counts.
pub(crate) struct Histogram {
    entries: Vec<(Rgb, f64)>,
}

impl Histogram {
    pub(crate) fn of(pixels: impl Iterator<Item = Rgb>) -> Self {
        let mut sorted: Vec<Rgb> = pixels.collect();
        sorted.sort_unstable();
        let entries = sorted.chunk_by(|a, b| a == b).map(|same| (same[0], (same.len() as f64).sqrt())).collect();
        Self { entries }
    }

    pub(crate) fn colours(&self) -> impl Iterator<Item = Rgb> + '_ {
        self.entries.iter().map(|(colour, _)| *colour)
    }

    fn position(&self, colour: Rgb) -> Option<usize> {
        self.entries.binary_search_by_key(&colour, |(known, _)| *known).ok()
    }
}

impl Palette {
    pub(crate) fn for_histogram(histogram: &Histogram) -> Self {
        if histogram.entries.len() <= MOST_COLOURS {
            return Self { colours: histogram.colours().collect() };
        }
        let mut palette = Self { colours: split_boxes(&histogram.entries) };
        for _ in 0..REFINEMENTS {
            palette.move_to_means(histogram);
        }
        palette.colours.sort_unstable();
        palette.colours.dedup();
        palette
    }

    /// For every colour of the histogram, its index here and the mean squared distance over all of them.
    pub(crate) fn assign(&self, histogram: &Histogram) -> Assignment {
        let mut indices = Vec::with_capacity(histogram.entries.len());
        let (mut error, mut total) = (0.0, 0.0);
        for (colour, weight) in &histogram.entries {
            let (index, distance2) = self.nearest(*colour);
            indices.push(index);
            error += weight * f64::from(distance2);
            total += weight;
        }
        Assignment { indices, mean_error: if total > 0.0 { error / total } else { 0.0 } }
    }

    fn nearest(&self, colour: Rgb) -> (u8, i32) {
        let mut best = (0, i32::MAX);
        for (index, candidate) in self.colours.iter().enumerate() {
            let distance2 = distance2(colour, *candidate);
            if distance2 < best.1 {
                best = (index, distance2);
            }
        }
        (best.0 as u8, best.1)
    }

    fn move_to_means(&mut self, histogram: &Histogram) {
        let mut sums = vec![([0.0; 3], 0.0); self.colours.len()];
        for (colour, weight) in &histogram.entries {
            let (index, _) = self.nearest(*colour);
            let (sum, total) = &mut sums[usize::from(index)];
            for (channel, value) in sum.iter_mut().zip(channels(*colour)) {
                *channel += weight * f64::from(value);
            }
            *total += weight;
        }
        for (colour, (sum, total)) in self.colours.iter_mut().zip(sums) {
            if total > 0.0 {
                let [r, g, b] = sum.map(|channel| (channel / total).round() as u8);
                *colour = Rgb(r, g, b);
            }
        }
    }
}

/// Which palette colour stands for each colour of a histogram.
pub(crate) struct Assignment {
    indices: Vec<u8>,
    pub(crate) mean_error: f64,
}

impl Assignment {
    /// Indices of a picture's pixels; colours that the histogram lacks become index 0.
    pub(crate) fn indices(&self, histogram: &Histogram, pixels: impl Iterator<Item = Rgb>) -> Vec<u8> {
        let mut last = (Rgb(0, 0, 0), None);
        pixels
            .map(|colour| {
                // Neighbours are often alike, and a search costs more than a comparison.
                if last.1.is_none() || last.0 != colour {
                    last = (colour, histogram.position(colour));
                }
                last.1.map_or(0, |position| self.indices[position])
            })
            .collect()
    }
}

fn split_boxes(entries: &[(Rgb, f64)]) -> Vec<Rgb> {
    let mut boxes = vec![ColourBox::new(entries.to_vec())];
    while boxes.len() < MOST_COLOURS {
        let widest = (0..boxes.len()).max_by(|&a, &b| boxes[a].spread.total_cmp(&boxes[b].spread));
        let Some(widest) = widest.filter(|&i| boxes[i].spread > 0.0) else { break };
        let (low, high) = boxes.swap_remove(widest).split();
        boxes.extend([low, high].into_iter().filter(|part| !part.entries.is_empty()));
    }
    boxes.iter().map(ColourBox::mean_colour).collect()
}

struct ColourBox {
    entries: Vec<(Rgb, f64)>,
    mean: [f64; 3],
    /// The axis of greatest spread, and that spread: weight times variance as the eye sees it.
    axis: usize,
    spread: f64,
}

impl ColourBox {
    fn new(entries: Vec<(Rgb, f64)>) -> Self {
        let total: f64 = entries.iter().map(|(_, weight)| weight).sum();
        let mean = std::array::from_fn(|axis| {
            entries.iter().map(|(c, weight)| weight * f64::from(channels(*c)[axis])).sum::<f64>() / total
        });
        let spreads: [f64; 3] = std::array::from_fn(|axis| {
            let off = |c: Rgb| f64::from(channels(c)[axis]) - mean[axis];
            f64::from(SEEN[axis]) * entries.iter().map(|(c, weight)| weight * off(*c) * off(*c)).sum::<f64>()
        });
        let axis = (0..3).fold(0, |best, axis| if spreads[axis] > spreads[best] { axis } else { best });
        Self { entries, mean, axis, spread: spreads[axis] }
    }

    fn split(self) -> (Self, Self) {
        let Self { entries, mean, axis, .. } = self;
        let (low, high) = entries.into_iter().partition(|(c, _)| f64::from(channels(*c)[axis]) <= mean[axis]);
        (Self::new(low), Self::new(high))
    }

    fn mean_colour(&self) -> Rgb {
        let [r, g, b] = self.mean.map(|channel| channel.round() as u8);
        Rgb(r, g, b)
    }
}

fn channels(colour: Rgb) -> [u8; 3] {
    [colour.0, colour.1, colour.2]
}

fn distance2(a: Rgb, b: Rgb) -> i32 {
    let [x, y] = [a, b].map(|c| channels(c).map(i32::from));
    (0..3).map(|axis| SEEN[axis] * (x[axis] - y[axis]) * (x[axis] - y[axis])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_exactly() {
        let pixels: Vec<Rgb> = (0..200_u8).map(|i| Rgb(i, 255 - i, i / 2)).collect();
        let histogram = Histogram::of(pixels.iter().copied());
        let palette = Palette::for_histogram(&histogram);
        let assignment = palette.assign(&histogram);
        assert_eq!(assignment.mean_error, 0.0);
        for (pixel, index) in pixels.iter().zip(assignment.indices(&histogram, pixels.iter().copied())) {
            assert_eq!(palette.colours[usize::from(index)], *pixel);
        }
    }

    #[test]
    fn a_two_hue_gradient_is_met_within_two_bytes_a_channel() {
        // What a shaded body before a dark backdrop looks like: two lines in colour space with a little scatter.
        let pixels: Vec<Rgb> = (0..40_000_u32)
            .map(|i| {
                let (tone, scatter) = (i % 230, (i / 230) % 3);
                if i % 2 == 0 {
                    Rgb(tone as u8, (tone * 7 / 10 + scatter) as u8, (tone * 9 / 10) as u8)
                } else {
                    Rgb((tone / 8 + 20) as u8, (tone / 8 + 23 + scatter) as u8, (tone / 8 + 27) as u8)
                }
            })
            .collect();
        let histogram = Histogram::of(pixels.iter().copied());
        let palette = Palette::for_histogram(&histogram);
        assert!(palette.colours.len() <= MOST_COLOURS);
        let indices = palette.assign(&histogram).indices(&histogram, pixels.iter().copied());
        for (pixel, index) in pixels.iter().zip(indices) {
            let shown = channels(palette.colours[usize::from(index)]);
            let worst = channels(*pixel).iter().zip(shown).map(|(a, b)| a.abs_diff(b)).max().unwrap();
            assert!(worst <= 2, "{pixel:?} became {shown:?}");
        }
    }
}
