//! Goals: how far a metaphor is to get, and when (CM-36).

/// By so much at a frame, held, and let go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// In the unit of what the metaphor measures: degrees, or per cent.
    pub amount: f64,
    /// Frame at which it begins to move.
    pub from: f64,
    /// Frame at which it is there.
    pub at: f64,
    /// Frames for which it stays.
    pub hold: f64,
    /// Frames in which it goes back.
    pub release: f64,
}

impl Goal {
    /// What is wanted at a frame: up and down without a jump of speed or acceleration.
    pub fn wanted(&self, frame: f64) -> f64 {
        let left = self.at + self.hold;
        let up = eased((frame - self.from) / (self.at - self.from).max(f64::MIN_POSITIVE));
        let down = if self.release > 0.0 { eased((frame - left) / self.release) } else { f64::from(frame > left) };
        self.amount * (up - down)
    }

    /// Frame at which it is over.
    pub fn end(&self) -> f64 {
        self.at + self.hold + self.release
    }
}

/// The quintic of Perlin, "Improving Noise" (SIGGRAPH 2002): slope and curvature are zero at 0 and 1.
fn eased(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_there_in_time_stays_and_goes_back() {
        let goal = Goal { amount: 60.0, from: 1.0, at: 40.0, hold: 10.0, release: 20.0 };
        let frames = [0.0, 1.0, 20.5, 40.0, 50.0, 60.0, 70.0, 90.0];
        assert_eq!(frames.map(|frame| goal.wanted(frame)), [0.0, 0.0, 30.0, 60.0, 60.0, 30.0, 0.0, 0.0]);
        let at_once = Goal { release: 0.0, ..goal };
        assert_eq!([50.0, 50.5].map(|frame| at_once.wanted(frame)), [60.0, 0.0]);
    }
}
