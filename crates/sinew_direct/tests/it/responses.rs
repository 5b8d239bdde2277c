//! Stimulus and response (PD-37 … PD-42): what a touch asks for, where and when. A bar touched at its end, through
//! which every way is straight; the chart is at 0.5 from the first instant, so that arrival is sharp.

use sinew_direct::Muscle;
use sinew_direct::muscle::{Axis, Charts, Fibres, Response, Scalar, VolumeMode};
use sinew_geom::structured::bar;
use sinew_math::{Curve, DVec3, Interpolation, Key, Outside, Sym3, dvec3};
use sinew_solve::{
    BodyId, BodyState, Contact, CueWriter, Cues, Director, DirectorState, Flesh, Friction, Input, Memory, Now, Other,
    Row, Seen,
};

const TICK_SECS: f64 = 1.0 / 96.0;
const PERIOD_SECS: f64 = 0.5;
/// Longest ways through the bar a second.
const SPEED: f64 = 2.0;
const END: DVec3 = dvec3(-0.5, 0.0, 0.0);
const OTHER_END: DVec3 = dvec3(0.5, 0.0, 0.0);

struct Touched {
    flesh: Flesh,
    muscle: Muscle,
    state: BodyState,
    memory: DirectorState,
    tick: u64,
}

impl Touched {
    fn new(response: Response, chart: Curve) -> Self {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.1, 0.1), [20, 2, 2]), 1000.0).unwrap();
        let charts = Charts {
            primary: chart,
            secondary: None,
            tertiary: None,
            volume: VolumeMode::Off,
            beat: PERIOD_SECS.into(),
            rate_limit: 4.0,
        };
        let (one, none) = (Scalar::Constant(1.0), Scalar::Constant(0.0));
        let muscle = Muscle::new(charts, &flesh, &Fibres::Along(Axis(DVec3::X)), &one, &none, None);
        let muscle = muscle.responding(response, &flesh, SPEED.into());
        let memory = Memory::ShapeMatching { rotation: Vec::new() };
        let v = vec![DVec3::ZERO; flesh.point_count()];
        let state = BodyState { origin: DVec3::ZERO, x: flesh.rest.clone(), v, memory };
        Self { flesh, muscle, state, memory: DirectorState::Nothing, tick: 0 }
    }

    /// ln c of every point at the end of the next interval.
    fn tick(&mut self, input: &[Input], contacts: &[Contact]) -> Vec<f64> {
        let now = Now {
            tick: self.tick,
            start_secs: self.tick as f64 * TICK_SECS,
            h_secs: TICK_SECS,
            end_frame: 1.0 + (self.tick + 1) as f64 / 4.0,
            frames_per_sec: 24.0,
            tick_secs: TICK_SECS,
        };
        let mut cues = Cues::default();
        let seen = Seen {
            body: BodyId(0),
            flesh: &self.flesh,
            state: &self.state,
            contacts,
            body_contacts: &[],
            input,
            force_arm: 1.0,
        };
        self.muscle.cue(now, &seen, &mut self.memory, &mut CueWriter::new(&self.flesh, &mut cues, 1.0)).unwrap();
        self.tick += 1;
        (0..self.flesh.point_count()).map(|i| cues.log_stretch.get(i).map_or(0.0, |t: &Sym3| t.xx)).collect()
    }

    /// Straight through the bar, as a share of the longest way.
    fn distance(&self, point: usize, from: DVec3) -> f64 {
        let farthest = self.flesh.rest.iter().map(|x| x.distance(from)).fold(0.0, f64::max);
        self.flesh.rest[point].distance(from) / farthest
    }
}

fn touch(at_rest: DVec3) -> Input {
    Input::Touch { body: BodyId(0), at_rest }
}

fn response() -> Response {
    Response { to_touch: true, to_contact: false, damping: 1.0, refractory_secs: 0.0, touches: Vec::new() }
}

/// Halved from the first instant of the sweep to its last: keys on both edges, none eased because they are at 1.
fn sharp() -> Curve {
    let key = |at, value| Key { at, value, to_next: Interpolation::Step };
    Curve::new(vec![key(0.0, 1.0), key(1e-6, 0.5), key(1.0 - 1e-6, 1.0)], Outside::Cycle { period: 1.0 }).unwrap()
}

/// The front is at the distance d after d/v, within one substep, and gone a period later.
#[test]
fn the_front_arrives_after_distance_over_speed() {
    let mut body = Touched::new(response(), sharp());
    let points = body.flesh.point_count();
    let (mut came, mut went) = (vec![None; points], vec![None; points]);
    for tick in 0..120u32 {
        let input = if tick == 4 { vec![touch(END)] } else { Vec::new() };
        let rates = body.tick(&input, &[]);
        let end_secs = f64::from(tick + 1) * TICK_SECS;
        for (i, rate) in rates.iter().enumerate() {
            if *rate < -0.6 {
                came[i].get_or_insert(end_secs);
            } else if came[i].is_some() {
                went[i].get_or_insert(end_secs);
            }
        }
    }
    for i in 0..points {
        let expected = 4.0 * TICK_SECS + body.distance(i, END) / SPEED;
        let (came, went) = (came[i].unwrap(), went[i].unwrap());
        assert!((0.0..1.01 * TICK_SECS).contains(&(came - expected)), "{i}: {came} for {expected}");
        assert!((went - came - PERIOD_SECS).abs() < 1.01 * TICK_SECS, "{i}: {came} to {went}");
    }
    assert!(
        matches!(&body.memory, DirectorState::Responding { touches, .. } if touches.is_empty()),
        "{:?}",
        body.memory
    );
}

/// A_s = D_m^(−d).
#[test]
fn damping_weakens_with_distance() {
    let mut body = Touched::new(Response { damping: 3.0, ..response() }, sharp());
    let mut strongest = vec![0.0f64; body.flesh.point_count()];
    for tick in 0..120 {
        let input = if tick == 0 { vec![touch(END)] } else { Vec::new() };
        for (strongest, rate) in strongest.iter_mut().zip(body.tick(&input, &[])) {
            *strongest = strongest.max(-rate);
        }
    }
    for (i, strongest) in strongest.iter().enumerate() {
        let expected = 2f64.ln() * 3f64.powf(-body.distance(i, END));
        assert!((strongest / expected - 1.0).abs() < 1e-6, "{i}: {strongest} for {expected}");
    }
}

/// Two touches at once multiply where they meet, and together stay within the limit (PD-42).
#[test]
fn several_touches_multiply_within_the_limit() {
    let mut body = Touched::new(response(), sharp());
    let all = [touch(END), touch(OTHER_END)];
    let mut lowest = 0.0f64;
    for tick in 0..60 {
        let rates = body.tick(if tick == 0 { &all } else { &[] }, &[]);
        lowest = rates.iter().copied().fold(lowest, f64::min);
    }
    assert!((lowest + 2.0 * 2f64.ln()).abs() < 1e-6, "{lowest}");
    let mut body = Touched::new(response(), sharp());
    for tick in 0..60 {
        // A third of the limit each: four of them would be beyond it.
        let input = if tick < 4 { vec![touch(END)] } else { Vec::new() };
        lowest = body.tick(&input, &[]).iter().copied().fold(lowest, f64::min);
    }
    assert!((lowest + 4f64.ln()).abs() < 1e-6, "{lowest}");
}

/// A place that has begun to respond does not begin again before its time is over; a place that no sweep has reached does.
#[test]
fn a_place_rests_for_its_refractory_time() {
    let mut body = Touched::new(Response { refractory_secs: 0.25, ..response() }, sharp());
    let counts = |body: &Touched| match &body.memory {
        DirectorState::Responding { touches, .. } => touches.len(),
        _ => 0,
    };
    body.tick(&[touch(END), touch(END)], &[]);
    assert_eq!(counts(&body), 1, "twice in one instant");
    for _ in 1..24 {
        body.tick(&[touch(END)], &[]);
        assert_eq!(counts(&body), 1, "tick {}", body.tick);
    }
    body.tick(&[touch(END)], &[]);
    assert_eq!(counts(&body), 2, "a quarter of a second later");
    // The first sweep reaches the other end after half a second: there it may begin until then.
    body.tick(&[touch(OTHER_END)], &[]);
    assert_eq!(counts(&body), 3);
}

/// A chart that is away from 1 where it begins and ends is eased in and out: no point jumps.
#[test]
fn nothing_jumps() {
    let open = Curve::linear(&[(0.0, 0.5), (0.5, 0.4)], Outside::Cycle { period: 1.0 }).unwrap();
    let mut body = Touched::new(response(), open);
    let mut before = vec![0.0; body.flesh.point_count()];
    let mut lowest = 0.0f64;
    for tick in 0..120 {
        let input = if tick == 0 { vec![touch(END)] } else { Vec::new() };
        let rates = body.tick(&input, &[]);
        for (before, rate) in before.iter().zip(&rates) {
            // A smooth step over a tenth of the period: at most 1.5 · ln 2 · h/(0.1 T) and the chart's own slope.
            assert!((rate - before).abs() < 0.25, "from {before} to {rate} in one substep");
        }
        lowest = rates.iter().copied().fold(lowest, f64::min);
        before = rates;
    }
    assert!((lowest - 0.4f64.ln()).abs() < 0.01, "{lowest}");
}

fn contact(with: u32, at: u32, gap_m: f64) -> Contact {
    Contact {
        at: Row(at),
        other: Other::Obstacle(with),
        normal: DVec3::Y,
        gap_m,
        point: DVec3::ZERO,
        surface_velocity: DVec3::ZERO,
        friction: Friction::even(0.0),
        along: DVec3::ZERO,
    }
}

/// What arrives is a stimulus, once; what lay there from the start, or stays, is none.
#[test]
fn contact_begins_a_sweep_where_it_happens() {
    let mut body = Touched::new(Response { to_touch: false, to_contact: true, ..response() }, sharp());
    let touches = |body: &Touched| match &body.memory {
        DirectorState::Responding { touches, .. } => touches.clone(),
        _ => Vec::new(),
    };
    let ground = contact(0, 3, -0.001);
    for _ in 0..5 {
        body.tick(&[touch(END)], &[ground]);
    }
    assert!(touches(&body).is_empty(), "the ground it stands on, and a touch it is deaf to");
    body.tick(&[], &[ground, contact(1, 40, 0.01)]);
    assert!(touches(&body).is_empty(), "near is not there");
    let (near, nearer) = (contact(1, 40, -0.001), contact(1, 7, -0.002));
    for _ in 0..5 {
        body.tick(&[], &[ground, near, nearer]);
    }
    let heard = touches(&body);
    assert_eq!(heard.len(), 1);
    assert_eq!(heard[0].at_rest, body.flesh.rest[7]);
    // It leaves and comes again.
    body.tick(&[], &[ground]);
    body.tick(&[], &[ground, near]);
    assert_eq!(touches(&body).len(), 2);
}

/// Touches of the scene come at their frame, once, between frames too.
#[test]
fn touches_of_the_scene_come_at_their_frame() {
    let touches = vec![(2.0, END), (3.4, OTHER_END)];
    let mut body = Touched::new(Response { touches, ..response() }, sharp());
    let mut started = Vec::new();
    for _ in 0..12 {
        body.tick(&[], &[]);
        if let DirectorState::Responding { touches, .. } = &body.memory {
            started = touches.iter().map(|touch| touch.started_tick).collect();
        }
    }
    assert_eq!(started, [4, 9]);
}
