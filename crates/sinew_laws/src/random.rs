//! Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood, OOPSLA 2014).

use sinew_math::libm;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly between two numbers, with three significant digits, so that scenes read well and survive their text.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        three_digits(low + (high - low) * self.share())
    }

    /// Between two positive numbers, every order of magnitude as likely as every other.
    pub fn log_between(&mut self, low: f64, high: f64) -> f64 {
        three_digits(low * libm::exp(libm::log(high / low) * self.share()))
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: u32, high: u32) -> u32 {
        low + (self.bits() % u64::from(high - low + 1)) as u32
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.bits() as usize % from.len()]
    }
}

/// `value` with three significant digits.
pub(crate) fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_range_and_come_back_from_text() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            let value = random.log_between(1e-3, 1e2);
            assert!((0.99e-3..=1.01e2).contains(&value));
            assert_eq!(value.to_string().parse::<f64>().unwrap(), value);
            assert!((2..=5).contains(&random.whole(2, 5)));
        }
    }

    #[test]
    fn a_seed_is_a_stream() {
        let draw = |seed| (0..4).map(|_| Random::new(seed).bits()).collect::<Vec<_>>();
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }
}
