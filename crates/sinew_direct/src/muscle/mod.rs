//! Muscle: charts and fields say how each bit of tissue stretches; the solver makes the motion of it.
//!
//! Ijiri, Takayama, Yokota, Igarashi, "ProcDef: Local-to-global Deformation for Skeleton-free Character Animation"
//! (2009), §4. Per point a frame `D = (d1 d2 d3)`, an amplitude `A_s` in [−1, 1] and a phase shift `P_s` in [0, 1]; for the whole
//! body three cyclic charts `c1..c3`. Eq. 1: `T = D diag(c') Dᵀ` with `c'(t) = c(t − P_s/v)^{A_s}`, written as
//! `ln T = A_s Σ ln c_k(t − P_s/v) d_k d_kᵀ`, which is what cues carry.

mod beat;
mod canvas;
mod constraints;
mod field;
mod field_query;
mod lines;
mod orient;
mod paint;
mod path_field;
mod rates;
mod respond;

pub use beat::Beat;
pub use canvas::Canvas;
pub use field::{Axis, Fibres, Scalar};
pub use paint::{Action, Fields, Method, PaintedFibres, PaintedScalar, Painting, Tool};
pub use path_field::PathLine;
pub use respond::Response;

use rates::LogRate;
use respond::Responder;
use sinew_math::libm::log;
use sinew_math::{Curve, DMat3, Number, Sym3};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, FieldQuery, FieldValues, Flesh, Now, Seen};
use std::sync::Arc;

/// A curve of speed that overshoots between its keys goes no slower than this.
const LEAST_SPEED_PER_SEC: f64 = 1e-6;

/// How the second and third chart follow the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VolumeMode {
    /// c2 = c3 = 1/√c1 (PD-26).
    #[default]
    Both,
    /// c2 = 1/c1, c3 = 1 (PD-27).
    SecondaryOnly,
    /// All three charts are the user's.
    Off,
}

/// The three charts over one period (phase 0 to 1), and how they keep volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Charts {
    pub primary: Curve,
    pub secondary: Option<Curve>,
    pub tertiary: Option<Curve>,
    pub volume: VolumeMode,
    pub beat: Beat,
    /// A of PD-22: rates stay within 1/A and A.
    pub rate_limit: f64,
}

impl Charts {
    /// ln c1, ln c2, ln c3 at a phase.
    pub fn log_rates(&self, phase: f64) -> [f64; 3] {
        let log_rate = |chart: &Curve| log(chart.value(phase).clamp(1.0 / self.rate_limit, self.rate_limit));
        let first = log_rate(&self.primary);
        let own = |chart: &Option<Curve>| chart.as_ref().map_or(0.0, log_rate);
        match self.volume {
            VolumeMode::Both => [first, -0.5 * first, -0.5 * first],
            VolumeMode::SecondaryOnly => [first, -first, 0.0],
            VolumeMode::Off => [first, own(&self.secondary), own(&self.tertiary)],
        }
    }
}

type Pulls = Vec<(LogRate, Vec<Sym3>)>;

/// Charts on fields, one value of each field per point.
#[derive(Debug)]
pub struct Muscle {
    charts: Charts,
    fields: Arc<Fields>,
    /// ln c of the charts that are not made of another, and what each does to every point at amplitude 1: T of Eq. 1 is
    /// exp of the sum of rate × tensor.
    pulls: Arc<Pulls>,
    /// Factor on every amplitude, over frames; what they come to stays within −1 and 1.
    gain: Number,
    /// Propagation speed v in field units per second; none means that all points move together.
    speed_per_sec: Option<Number>,
    /// Cycles by which the charts are ahead of the clock.
    ahead: f64,
    /// Where it only acts when something happens to the body.
    responder: Option<Responder>,
}

impl Muscle {
    pub fn new(
        charts: Charts,
        flesh: &Flesh,
        fibres: &Fibres,
        amplitude: &Scalar,
        phase: &Scalar,
        speed_per_sec: Option<Number>,
    ) -> Self {
        let amplitude = amplitude.on(flesh).into_iter().map(|a| a.clamp(-1.0, 1.0)).collect();
        let (frames, phase_shift) = (fibres.on(flesh), phase.on(flesh));
        Self::of_fields(charts, Fields { layer: None, frames, amplitude, phase_shift }, speed_per_sec)
    }

    /// Charts on fields that were made before, painted or not.
    pub fn of_fields(charts: Charts, fields: impl Into<Arc<Fields>>, speed_per_sec: Option<Number>) -> Self {
        let fields = fields.into();
        let pulls = Arc::new(pulls(&charts, &fields.frames));
        Self::of_pulls(charts, fields, pulls, speed_per_sec)
    }

    fn of_pulls(charts: Charts, fields: Arc<Fields>, pulls: Arc<Pulls>, speed_per_sec: Option<Number>) -> Self {
        Self { charts, fields, pulls, gain: Number::Constant(1.0), speed_per_sec, ahead: 0.0, responder: None }
    }

    /// The same, but still until something touches the body; the charts are then swept once, from there. A signal takes
    /// 1/`speed_per_sec` seconds to the farthest point.
    #[must_use]
    pub fn responding(self, response: Response, flesh: &Flesh, speed_per_sec: Number) -> Self {
        Self { responder: Some(Responder::new(response, flesh)), speed_per_sec: Some(speed_per_sec), ..self }
    }

    /// The same with a factor on every amplitude, over frames.
    #[must_use]
    pub fn with_gain(self, gain: Number) -> Self {
        Self { gain, ..self }
    }

    /// The same with its charts ahead by a share of the cycle, for bodies that move alike and not in step. A response begins
    /// when something happens, whatever this says.
    #[must_use]
    pub fn ahead_by(self, cycles: f64) -> Self {
        Self { ahead: cycles, ..self }
    }

    pub fn charts(&self) -> &Charts {
        &self.charts
    }

    pub fn fields(&self) -> &Fields {
        &self.fields
    }
}

/// The tensors of the primary chart (with what volume makes follow it), and of the others where they are the user's.
fn pulls(charts: &Charts, frames: &[DMat3]) -> Pulls {
    let rate = |chart: &Curve| LogRate::new(chart, charts.rate_limit);
    let tensors = |of: &dyn Fn(&DMat3) -> Sym3| frames.iter().map(of).collect();
    let along = |axis: usize| move |frame: &DMat3| Sym3::along(frame.col(axis), 1.0);
    let first: Vec<Sym3> = match charts.volume {
        VolumeMode::Both => {
            tensors(&|d| Sym3::along(d.x_axis, 1.0) + Sym3::along(d.y_axis, -0.5) + Sym3::along(d.z_axis, -0.5))
        }
        VolumeMode::SecondaryOnly => tensors(&|d| Sym3::along(d.x_axis, 1.0) + Sym3::along(d.y_axis, -1.0)),
        VolumeMode::Off => tensors(&along(0)),
    };
    let mut pulls = vec![(rate(&charts.primary), first)];
    if charts.volume == VolumeMode::Off {
        let others = [(&charts.secondary, 1), (&charts.tertiary, 2)];
        pulls.extend(
            others.into_iter().filter_map(|(chart, axis)| Some((rate(chart.as_ref()?), tensors(&along(axis))))),
        );
    }
    pulls
}

impl Director for Muscle {
    fn cue(
        &self,
        now: Now,
        seen: &Seen<'_>,
        memory: &mut DirectorState,
        out: &mut CueWriter<'_>,
    ) -> Result<(), CueError> {
        let first_frame = now.end_frame - now.end_secs() * now.frames_per_sec;
        let cycles_at = |secs: f64| self.charts.beat.cycles(secs, first_frame, now.frames_per_sec);
        let delay_secs =
            self.speed_per_sec.as_ref().map(|speed| 1.0 / speed.value(now.end_frame).max(LEAST_SPEED_PER_SEC));
        if let Some(responder) = &self.responder {
            let delay_secs = delay_secs.unwrap_or(0.0);
            let sweeps = responder.sweeps(&now, seen, memory, delay_secs, cycles_at);
            if !sweeps.is_empty() {
                let cycles_before = |d: f64| cycles_at(now.end_secs() - d * delay_secs);
                self.pull(&now, out, |rate, point| {
                    let sum: f64 = sweeps.iter().map(|sweep| sweep.log_rate(rate, point, cycles_before)).sum();
                    sum.clamp(-rate.limit, rate.limit)
                });
            }
        } else if let Some(delay_secs) = delay_secs {
            let cycles_before = |shift: f64| cycles_at(now.end_secs() - shift * delay_secs);
            self.pull(&now, out, |rate, point| rate.at(self.ahead + cycles_before(self.fields.phase_shift[point])));
        } else {
            let cycles = self.ahead + cycles_at(now.end_secs());
            self.pull(&now, out, |rate, _| rate.at(cycles));
        }
        Ok(())
    }

    fn field(&self, query: FieldQuery, now: Now, memory: &DirectorState) -> Option<FieldValues> {
        self.field_values(query, &now, memory)
    }
}

impl Muscle {
    /// Asks for ln T of every point, of the ln c that `log_rate` gives for a chart and a point.
    #[inline(always)]
    fn pull(&self, now: &Now, out: &mut CueWriter<'_>, log_rate: impl Fn(&LogRate, usize) -> f64) {
        let gain = self.gain.value(now.end_frame);
        // In one loop of its own, where it is compiled in place: inside the writer's loops it would be called for every point.
        let mut pulls = vec![0.0; self.fields.amplitude.len()];
        for (rate, tensors) in &*self.pulls {
            for (point, (pull, amplitude)) in pulls.iter_mut().zip(&self.fields.amplitude).enumerate() {
                *pull = (gain * amplitude).clamp(-1.0, 1.0) * log_rate(rate, point);
            }
            out.log_stretches(tensors.iter().zip(&pulls).map(|(tensor, pull)| *tensor * *pull));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::Outside;

    fn charts(volume: VolumeMode) -> Charts {
        let chart = |points: &[(f64, f64)]| Curve::linear(points, Outside::Cycle { period: 1.0 }).unwrap();
        Charts {
            primary: chart(&[(0.0, 1.0), (0.3, 0.65), (0.7, 1.0)]),
            secondary: Some(chart(&[(0.5, 1.4)])),
            tertiary: None,
            volume,
            beat: 1.2.into(),
            rate_limit: 4.0,
        }
    }

    /// Known answer 9: volume modes keep det T = 1 to 1e-14, also under amplitudes.
    #[test]
    fn volume_modes_keep_the_product_of_rates_at_one() {
        for volume in [VolumeMode::Both, VolumeMode::SecondaryOnly] {
            for i in 0..50 {
                let rates = charts(volume).log_rates(f64::from(i) * 0.037);
                let product: f64 = rates.iter().map(|r| (r * -0.7).exp()).product();
                assert!((product - 1.0).abs() < 1e-14, "{volume:?}: {product}");
            }
        }
    }

    #[test]
    fn without_a_volume_mode_every_chart_is_its_own() {
        let rates = charts(VolumeMode::Off).log_rates(0.3);
        assert!((rates[0] - 0.65f64.ln()).abs() < 1e-12 && (rates[1] - 1.4f64.ln()).abs() < 1e-12 && rates[2] == 0.0);
    }
}
