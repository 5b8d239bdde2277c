//! Families of scenes: each asks for something else of the physics.

use super::Draft;
use super::body::{BodyKind, Stiffness, Wanted};
use crate::random::three_digits;
use serde_json::{Value, json};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const CUBE: [f64; 3] = [1.0; 3];
/// Earth's, m/s².
const GRAVITY: f64 = 9.81;

impl Draft {
    /// A body of any shape and stiffness.
    fn any(&mut self, name: &'static str, size_m: f64) -> Value {
        let (kind, points) = (self.kind, self.points);
        self.body(&Wanted {
            name,
            kind,
            size_m,
            bar: None,
            points,
            stiffness: Stiffness::Any,
            density: None,
            damping: None,
        })
    }

    fn direction(&mut self) -> [f64; 3] {
        [self.random.between(-1.0, 1.0), self.random.between(-1.0, 1.0), self.random.between(-1.0, 1.0)]
    }

    fn turn(&mut self) -> [f64; 3] {
        [self.random.between(-180.0, 180.0), self.random.between(-80.0, 80.0), self.random.between(-180.0, 180.0)]
    }

    /// A speed that is something for a body of this size: up to so many times its length in a substep.
    fn speed(&mut self, size_m: f64, lengths: f64) -> f64 {
        let most = (lengths * size_m / self.h_secs()).min(200.0);
        self.random.log_between(most * 1e-3, most)
    }

    /// A muscle along x that shortens by up to two fifths.
    fn muscle(&mut self) -> Value {
        let (period, rate) = (self.random.log_between(0.1, 2.0), self.random.between(0.6, 0.95));
        json!({ "kind": "muscle", "period": period, "primary": [[0.0, 1.0], [0.5, rate]], "fibres": { "along": "x" } })
    }
}

/// Thrown through empty space, with or without muscles at work.
pub(super) fn flight(draft: &mut Draft) {
    let size = draft.size_m();
    let count = draft.random.whole(1, 2);
    draft.points /= count;
    draft.gravity = match draft.random.whole(0, 2) {
        0 => [0.0; 3],
        1 => [0.0, -GRAVITY, 0.0],
        _ => draft.direction().map(|d| three_digits(20.0 * d)),
    };
    for (number, name) in NAMES.iter().take(count as usize).enumerate() {
        let mut body = draft.any(name, size);
        body["at"] = json!([0.0, 0.0, three_digits(20.0 * size * number as f64)]);
        body["turn"] = json!(draft.turn());
        let speed = draft.speed(size, 1.0);
        body["velocity"] = json!(draft.direction().map(|d| three_digits(d * speed)));
        if number > 0 {
            body["velocity"] = draft.bodies[0]["velocity"].clone();
        }
        if draft.kind != BodyKind::Sheet && draft.random.chance(0.3) {
            let muscle = draft.muscle();
            body["director"] = json!([muscle]);
        }
        draft.bodies.push(body);
    }
}

/// Spun up by a couple, then left alone.
pub(super) fn spin(draft: &mut Draft) {
    let size = draft.size_m();
    draft.kind = draft.kind.solid();
    draft.gravity = [0.0; 3];
    let density = draft.random.log_between(100.0, 5000.0);
    // Stiff enough not to be thrown apart: centrifugal stress is ρ ω² L² / 8.
    let radians_per_sec = draft.random.log_between(0.5, 20.0);
    let pressure_pa = density * radians_per_sec * radians_per_sec * size * size;
    let stiffness = Stiffness::Carries { pressure_pa, strain: [1e-5, 0.05] };
    let bar = Some([1.0, 0.4, 0.4]);
    let (kind, points) = (draft.kind, draft.points);
    let mut body = draft.body(&Wanted {
        name: "a",
        kind,
        size_m: size,
        bar,
        points,
        stiffness,
        density: Some(density),
        damping: None,
    });
    // Angular momentum I ω = F (L) t, with I = m L² / 12 about.
    let pushed_frames = (draft.frames / 4).clamp(1, 8);
    let pushed_secs = f64::from(pushed_frames) / f64::from(draft.fps);
    let mass = density * 0.16 * size * size * size;
    let newton = three_digits(mass * size * radians_per_sec / (12.0 * pushed_secs));
    let push = |on: &str, newton: f64| {
        let keys = json!({ "keys": [[1, newton], [1 + pushed_frames, newton]], "outside": "zero" });
        json!({ "kind": "force", "on": on, "newton": [0.0, keys, 0.0] })
    };
    body["sets"] = json!({ "l": { "side": "-x", "within": 0.1 }, "r": { "side": "x", "within": 0.1 } });
    body["director"] = json!([push("r", newton), push("l", -newton)]);
    draft.bodies.push(body);
}

/// One bar that lies or stands on the ground from the start.
pub(super) fn rest(draft: &mut Draft) {
    draft.kind = draft.kind.solid();
    column(draft, 1);
    if draft.random.chance(0.5) {
        draft.bodies[0]["friction"] = json!(draft.random.pick(&[0.1, 0.3, 1.0, 2.0]));
    }
}

/// Bars on each other.
pub(super) fn stack(draft: &mut Draft) {
    draft.kind = draft.kind.solid();
    let count = draft.random.whole(2, 4);
    column(draft, count);
}

fn column(draft: &mut Draft, count: u32) {
    draft.substeps = draft.substeps.clamp(2, 4);
    draft.frames = super::MOST_FRAMES.min(super::MOST_SUBSTEPS / draft.substeps);
    draft.fps = 24;
    let size = draft.size_m();
    let density = draft.random.log_between(100.0, 5000.0);
    let stands_upright = count == 1 && draft.random.chance(0.5);
    let shares = if stands_upright {
        [draft.random.between(0.25, 0.7), 1.0, draft.random.between(0.25, 0.7)]
    } else {
        [1.0, draft.random.between(0.4, 1.0), draft.random.between(0.7, 1.0)]
    };
    let height = three_digits(size * shares[1]);
    draft.points /= count;
    let is_mixed = count > 1 && draft.random.chance(0.3);
    let damping = draft.random.pick(&["medium", "heavy"]);
    for number in 0..count {
        if is_mixed {
            draft.kind = BodyKind::draw(&mut draft.random).solid();
        }
        let pressure_pa = density * GRAVITY * height * f64::from(count - number);
        // What stands upright and is softer buckles under its own weight.
        let top = if count > 1 {
            2e-3
        } else if stands_upright {
            5e-3
        } else {
            3e-2
        };
        let stiffness = Stiffness::Carries { pressure_pa, strain: [1e-6, top] };
        let (kind, points, bar) = (draft.kind, draft.points, Some(shares));
        let name = NAMES[number as usize];
        let mut body = draft.body(&Wanted {
            name,
            kind,
            size_m: size,
            bar,
            points,
            stiffness,
            density: Some(density),
            damping: Some(damping),
        });
        // The top one may come down on a column that has settled.
        let is_dropped = count > 1 && number + 1 == count && draft.random.chance(0.3);
        let lift = if is_dropped { three_digits(height * draft.random.between(0.5, 2.0)) } else { 0.0 };
        body["at"] = json!([0.0, (f64::from(number) + 0.5) * height + lift, 0.0]);
        body["friction"] = json!(0.5);
        draft.bodies.push(body);
    }
    draft.ground();
}

/// Thrown at an obstacle: ground, plate, ball or rod.
pub(super) fn impact(draft: &mut Draft) {
    let size = draft.size_m();
    let mut body = draft.any("a", size);
    let speed = draft.speed(size, 3.0);
    let gap = three_digits(size * draft.random.between(0.1, 1.0));
    body["turn"] = json!(draft.turn());
    body["at"] = json!([0.0, three_digits(gap + 1.0 * size), 0.0]);
    body["velocity"] = json!([0.0, -speed, 0.0]);
    if draft.random.chance(0.2) {
        body["restitution"] = json!(draft.random.between(0.0, 1.0));
    }
    draft.bodies.push(body);
    let obstacle = match draft.random.whole(0, 5) {
        0 | 1 => json!({ "shape": "plane" }),
        2 | 3 => {
            // A plate, down to a hundredth of the body.
            let thick = three_digits(size * draft.random.log_between(0.01, 0.3));
            let wide = three_digits(10.0 * size);
            json!({ "shape": "box", "size": [wide, thick, wide], "at": [0.0, -0.5 * thick, 0.0] })
        }
        4 => {
            let radius = three_digits(size * draft.random.between(0.5, 3.0));
            json!({ "shape": "sphere", "radius": radius, "at": [0.0, -radius, 0.0] })
        }
        _ => {
            let radius = three_digits(size * draft.random.between(0.3, 1.0));
            json!({ "shape": "capsule", "radius": radius, "length": three_digits(8.0 * size), "at": [0.0, -radius, 0.0], "turn": [90.0, 0.0, 0.0] })
        }
    };
    draft.obstacles.push(obstacle);
}

/// Bodies that run into each other, in empty space or one on a slab.
pub(super) fn meet(draft: &mut Draft) {
    let size = draft.size_m();
    draft.points /= 2;
    let speed = draft.speed(size, 0.5);
    let mut first = draft.any("a", size);
    first["turn"] = json!(draft.turn());
    first["at"] = json!([0.0, three_digits(1.5 * size), 0.0]);
    first["velocity"] = json!([0.0, -speed, 0.0]);
    draft.bodies.push(first);
    if draft.random.chance(0.3) {
        draft.kind = BodyKind::draw(&mut draft.random).solid();
    }
    let slab = draft.random.chance(0.5);
    let (kind, points, density) = (draft.kind, draft.points * 2, draft.random.log_between(100.0, 3000.0));
    let stiffness = Stiffness::Carries { pressure_pa: density * (speed * speed + GRAVITY * size), strain: [1e-4, 0.5] };
    let (bar, size_m) = if slab { ([1.0, 0.1, 1.0], 3.0 * size) } else { ([1.0, 0.8, 0.9], size) };
    let kind = if slab { kind.solid() } else { kind };
    let mut second = draft.body(&Wanted {
        name: "b",
        kind,
        size_m: three_digits(size_m),
        bar: Some(bar),
        points,
        stiffness,
        density: Some(density),
        damping: None,
    });
    if slab {
        second["at"] = json!([0.0, three_digits(0.15 * size), 0.0]);
        draft.ground();
    } else {
        draft.gravity = [0.0; 3];
        second["at"] = json!([0.0, three_digits(-0.5 * size), 0.0]);
        second["velocity"] = json!([0.0, three_digits(0.3 * speed), 0.0]);
    }
    draft.bodies.push(second);
}

/// The scene format takes no greater force.
const MOST_NEWTON: f64 = 1e15;

/// A bar held at one end and pulled at the other, up to forces far beyond what it can bear.
pub(super) fn pull(draft: &mut Draft) {
    draft.kind = draft.kind.solid();
    draft.gravity = [0.0; 3];
    let size = draft.size_m();
    let density = draft.random.log_between(100.0, 5000.0);
    let shares = [1.0, draft.random.between(0.15, 0.3), draft.random.between(0.15, 0.3)];
    let strain = if draft.random.chance(0.7) {
        draft.random.log_between(1e-3, 0.05)
    } else {
        draft.random.log_between(0.05, 1e3)
    };
    // Waves along the bar take about a fiftieth of the shot.
    let shot_secs = f64::from(draft.frames) / f64::from(draft.fps);
    let wave_m_s = 50.0 * size / shot_secs * draft.random.log_between(1.0, 100.0);
    let young = three_digits(density * wave_m_s * wave_m_s).clamp(1.0, 1e12);
    let stiffness = Stiffness::Carries { pressure_pa: young * 1e-3, strain: [1e-3, 1e-3] };
    let (kind, points, bar) = (draft.kind, draft.points, Some(shares));
    let mut body = draft.body(&Wanted {
        name: "a",
        kind,
        size_m: size,
        bar,
        points,
        stiffness,
        density: Some(density),
        damping: Some("heavy"),
    });
    let newton = strain * young * shares[1] * shares[2] * size * size;
    let newton = if kind == BodyKind::Shape {
        newton.min(50.0 * GRAVITY * density * shares[1] * shares[2] * size * size * size)
    } else {
        newton.min(MOST_NEWTON)
    };
    let force = match draft.random.whole(0, 2) {
        0 => json!(three_digits(newton)),
        _ => json!([[1, 0.0], [1 + draft.frames / 4, three_digits(newton)]]),
    };
    body["sets"] = json!({ "l": { "side": "-x" }, "r": { "side": "x" } });
    body["director"] =
        json!([{ "kind": "pin", "on": "l" }, { "kind": "force", "on": "r", "newton": [force, 0.0, 0.0] }]);
    draft.bodies.push(body);
}

/// Held at one end under gravity, by a pin that may move.
pub(super) fn hang(draft: &mut Draft) {
    let size = draft.size_m();
    let density = draft.random.log_between(100.0, 5000.0);
    draft.kind = draft.kind.solid();
    let damping = draft.random.pick(&["none", "light", "medium", "heavy"]);
    let pressure_pa = density * GRAVITY * size;
    let stiffness = Stiffness::Carries { pressure_pa, strain: [1e-6, 1.0] };
    let (kind, points, bar) = (draft.kind, draft.points, Some([1.0, 0.25, 0.25]));
    let mut body = draft.body(&Wanted {
        name: "a",
        kind,
        size_m: size,
        bar,
        points,
        stiffness,
        density: Some(density),
        damping: Some(damping),
    });
    let mut pin = json!({ "kind": "pin", "on": "l" });
    if draft.random.chance(0.4) {
        let along = draft.direction().map(|d| three_digits(d * size));
        let key = |value: f64| json!([[1, 0.0], [1 + draft.frames / 2, value]]);
        pin["move"] = json!(along.map(key));
    }
    body["sets"] = json!({ "l": { "side": "-x" } });
    body["director"] = json!([pin]);
    if draft.random.chance(0.3) {
        let muscle = draft.muscle();
        body["director"].as_array_mut().into_iter().for_each(|directors| directors.push(muscle.clone()));
    }
    draft.bodies.push(body);
}

/// Held at one end, pushed aside and let go.
pub(super) fn pluck(draft: &mut Draft) {
    let size = draft.size_m();
    let density = draft.random.log_between(100.0, 5000.0);
    draft.kind = draft.kind.solid();
    draft.gravity = [0.0; 3];
    let damping = draft.random.pick(&["none", "light", "medium", "heavy"]);
    // A push that bends it by some per cent, at stiffness that swings a few times.
    let shot_secs = f64::from(draft.frames) / f64::from(draft.fps);
    let wave_m_s = 20.0 * size / shot_secs * draft.random.log_between(1.0, 30.0);
    let young = three_digits(density * wave_m_s * wave_m_s).clamp(1.0, 1e12);
    let stiffness = Stiffness::Carries { pressure_pa: young * 1e-3, strain: [1e-3, 1e-3] };
    let (kind, points, bar) = (draft.kind, draft.points, Some([1.0, 0.25, 0.25]));
    let mut body = draft.body(&Wanted {
        name: "a",
        kind,
        size_m: size,
        bar,
        points,
        stiffness,
        density: Some(density),
        damping: Some(damping),
    });
    // δ = F L³ / 3 E I with I = t⁴ / 12.
    let bent = draft.random.log_between(1e-3, 0.2);
    let newton = three_digits(bent * size * size * young * 0.25f64.powi(4) / 4.0);
    let until = 1 + (draft.frames / 6).max(1);
    let keys = json!({ "keys": [[1, 0.0], [until, newton]], "outside": "zero" });
    body["sets"] = json!({ "l": { "side": "-x" }, "r": { "side": "x" } });
    body["director"] =
        json!([{ "kind": "pin", "on": "l" }, { "kind": "force", "on": "r", "newton": [0.0, keys, 0.0] }]);
    draft.bodies.push(body);
}

/// On the ground, in the way of a plate or ball that moves.
pub(super) fn push(draft: &mut Draft) {
    let size = draft.size_m();
    draft.kind = draft.kind.solid();
    let density = draft.random.log_between(100.0, 5000.0);
    let stiffness = Stiffness::Carries { pressure_pa: density * GRAVITY * size, strain: [1e-5, 0.05] };
    let (kind, points, bar) = (draft.kind, draft.points, Some(CUBE));
    let mut body = draft.body(&Wanted {
        name: "a",
        kind,
        size_m: size,
        bar,
        points,
        stiffness,
        density: Some(density),
        damping: None,
    });
    body["at"] = json!([0.0, 0.5 * size, 0.0]);
    draft.bodies.push(body);
    draft.ground();
    let goes_m = three_digits(size * draft.random.between(1.0, 4.0));
    let frames = draft.random.whole(draft.frames / 4, draft.frames).max(1);
    let thick = three_digits(size * draft.random.log_between(0.02, 0.5));
    let from = three_digits(-0.7 * size - 0.5 * thick);
    let at = json!([[1, from], [1 + frames, three_digits(from + goes_m)]]);
    let obstacle = if draft.random.chance(0.6) {
        let wide = three_digits(6.0 * size);
        json!({ "shape": "box", "size": [thick, wide, wide], "at": [at, 0.0, 0.0] })
    } else {
        let from = three_digits(-1.1 * size);
        let at = json!([[1, from], [1 + frames, three_digits(from + goes_m)]]);
        json!({ "shape": "sphere", "radius": three_digits(0.5 * size), "at": [at, three_digits(0.5 * size), 0.0] })
    };
    draft.obstacles.push(obstacle);
}

/// In water, with or without muscles.
pub(super) fn swim(draft: &mut Draft) {
    let size = draft.size_m();
    let mut body = draft.any("a", size);
    draft.gravity = if draft.random.chance(0.5) { [0.0; 3] } else { [0.0, -GRAVITY, 0.0] };
    let speed = draft.speed(size, 0.2);
    body["velocity"] = json!(draft.direction().map(|d| three_digits(d * speed)));
    if draft.kind != BodyKind::Sheet && draft.random.chance(0.5) {
        let muscle = draft.muscle();
        body["director"] = json!([muscle]);
    }
    draft.bodies.push(body);
    let drag = draft.random.log_between(1.0, 1e4);
    let mut medium = json!({ "normal_drag": drag, "tangential_drag": three_digits(0.1 * drag) });
    if draft.random.chance(0.3) {
        medium["wind"] = json!(draft.direction());
    }
    draft.medium = Some(medium);
}

/// Drawn about by a hand, and let go.
pub(super) fn hand(draft: &mut Draft) {
    let size = draft.size_m();
    let mut body = draft.any("a", size);
    body["at"] = json!([0.0, size, 0.0]);
    draft.bodies.push(body);
    draft.ground();
    let to = draft.direction().map(|d| d * 2.0 * size);
    let until = 2 + draft.random.whole(1, draft.frames.max(4) / 2);
    let at = draft.direction().map(|d| three_digits(0.4 * d * size));
    draft.tugs.push(json!({
        "body": "a",
        "at": at,
        "to": [three_digits(to[0]), three_digits(to[1].abs() + size), three_digits(to[2])],
        "frames": [2, until],
    }));
}
