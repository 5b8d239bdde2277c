//! Steps by more and more iterations, until one is near enough to where it should lead.

use sinew::math::DVec3;

/// How near an answer counts.
pub(super) const TARGETS: [f64; 2] = [1e-2, 1e-3];

/// A step: how long it took and how far it is off.
#[derive(Clone, Copy)]
pub(crate) struct Try {
    pub(crate) ms: f64,
    pub(crate) error: f64,
}

/// 1, 2, 3, 4, 6, 8, 12, 16 … up to `most`.
pub(super) fn counts(most: u32) -> impl Iterator<Item = u32> {
    std::iter::once(1).chain((0..).flat_map(|n| [2 << n, 3 << n])).take_while(move |count| *count <= most)
}

/// Root mean square distance from the reference, over that of the reference from `zero`.
pub(super) fn relative_error(x: &[DVec3], reference: &[DVec3], zero: &[DVec3]) -> f64 {
    let square = |a: &[DVec3]| a.iter().zip(reference).map(|(a, b)| a.distance_squared(*b)).sum::<f64>();
    (square(x) / square(zero)).sqrt()
}

/// Tries one after the other, until one is nearer than every target.
pub(super) fn until_near<E>(asked: impl IntoIterator<Item = Result<Try, E>>) -> Result<Vec<Try>, E> {
    let mut tries = Vec::new();
    for each in asked {
        let each = each?;
        tries.push(each);
        if TARGETS.iter().all(|target| each.error <= *target) {
            break;
        }
    }
    Ok(tries)
}

/// The time of the quickest try that is near enough; else how near one came.
pub(super) fn first_near(tries: &[Try], target: f64) -> Result<f64, f64> {
    let near = tries.iter().filter(|each| each.error <= target).map(|each| each.ms).min_by(f64::total_cmp);
    near.ok_or_else(|| tries.iter().map(|each| each.error).fold(f64::INFINITY, f64::min))
}

/// The same over several runs: the middle one of their times.
pub(super) fn first_near_of(runs: &[Vec<Try>], target: f64) -> Result<f64, f64> {
    let mut times_ms = runs.iter().map(|tries| first_near(tries, target)).collect::<Result<Vec<f64>, f64>>()?;
    times_ms.sort_unstable_by(f64::total_cmp);
    times_ms.get(times_ms.len() / 2).copied().ok_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quickest_try_that_is_near_enough_counts() {
        let tries = [(1.0, 0.5), (4.0, 9e-3), (3.0, 1e-2), (9.0, 5e-4)].map(|(ms, error)| Try { ms, error });
        assert_eq!(first_near(&tries, 1e-2), Ok(3.0));
        assert_eq!(first_near(&tries, 1e-3), Ok(9.0));
        assert_eq!(first_near(&tries, 1e-4), Err(5e-4));
        let asked = until_near(tries.iter().map(|each| Ok::<Try, ()>(*each))).unwrap();
        assert_eq!(asked.len(), 4);
        assert_eq!(first_near_of(&[tries.to_vec(), tries[..2].to_vec(), tries.to_vec()], 1e-2), Ok(3.0));
    }

    #[test]
    fn counts_grow_by_halves_and_thirds() {
        assert_eq!(counts(20).collect::<Vec<u32>>(), [1, 2, 3, 4, 6, 8, 12, 16]);
    }

    #[test]
    fn an_error_is_a_share_of_the_way() {
        let (zero, one, two) = ([DVec3::ZERO], [DVec3::X], [DVec3::X * 1.5]);
        assert_eq!(relative_error(&two, &one, &zero), 0.5);
    }
}
