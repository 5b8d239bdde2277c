//! Sheets that touch themselves and each other: nothing passes through, and what does finds its way out.

use crate::fixtures::written::{built, each_frame};
use sinew_bake::{Built, StageBody};
use sinew_math::DVec3;
use sinew_solve::{BodyState, Flesh, StageState};

fn sheet(size: [f64; 2], at: [f64; 3], turn: [f64; 3], vertices: usize, self_contact: bool) -> String {
    format!(
        r#"
        [[body]]
        name = "cloth-{vertices}"
        skin = {{ model = "cloth", size = {size:?} }}
        at = {at:?}
        turn = {turn:?}
        material = {{ preset = "cloth", young_pa = 2.0e5, damping = {{ wobble_per_sec = 1.0, rayleigh_stiffness_secs = 0.002 }} }}
        friction = 0.4
        self_contact = {self_contact}
        flesh = {{ kind = "shell", vertices = {vertices} }}
        solver = {{ kind = "springs", shear = 0.15, bend = 0.05 }}
        "#
    )
}

/// A strip of cloth that stands upright falls on itself in folds.
fn falling_strip(self_contact: bool) -> String {
    format!(
        r#"
        sinew = 1
        [scene]
        frames = [1, 36]
        substeps = 8
        {}
        [[obstacle]]
        name = "ground"
        shape = "plane"
        "#,
        sheet([1.2, 0.3], [0.0, 0.62, 0.0], [4.0, 0.0, 88.0], 500, self_contact)
    )
}

/// The triangles of a sheet, or of a body's surface.
fn triangles(flesh: &Flesh) -> Vec<[u32; 3]> {
    flesh.surface_triangles.iter().map(|t| t.map(|i| flesh.surface_rows[i as usize].0)).collect()
}

/// Pairs of an edge of one surface and a triangle of another (or the same, then without a common corner) that cross.
fn crossings_between(one: (&Flesh, &[DVec3]), two: (&Flesh, &[DVec3]), is_self: bool) -> usize {
    let ((mine, x), (theirs, y)) = ((triangles(one.0), one.1), (triangles(two.0), two.1));
    let mut edges: Vec<[u32; 2]> =
        mine.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    let cross = |edge: &[u32; 2], face: &[u32; 3]| {
        if is_self && edge.iter().any(|v| face.contains(v)) {
            return false;
        }
        let ([p, q], [a, b, c]) = (edge.map(|v| x[v as usize]), face.map(|v| y[v as usize]));
        let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
        let (over, under) = (volume(a, b, c, p), volume(a, b, c, q));
        let sides = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
        // Flat cloth lies in one plane but for rounding.
        let level = 1e-9 * (b - a).cross(c - a).length();
        let is_through = over * under < 0.0 && over.abs().min(under.abs()) > level;
        is_through && (sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0))
    };
    let near = |edge: &[u32; 2], face: &[u32; 3]| x[edge[0] as usize].distance_squared(y[face[0] as usize]) < 0.02;
    edges.iter().map(|edge| theirs.iter().filter(|face| near(edge, face) && cross(edge, face)).count()).sum()
}

/// All pairs of an edge and a triangle that cross.
fn crossings(built: &Built, state: &StageState) -> usize {
    let bodies: Vec<(&Flesh, &[DVec3])> =
        built.stage.bodies().iter().zip(&state.bodies).map(|(body, state)| (&*body.flesh, &state.x[..])).collect();
    let of_one = |(i, one): (usize, &(&Flesh, &[DVec3]))| {
        bodies.iter().enumerate().map(|(j, two)| crossings_between(*one, *two, i == j)).sum::<usize>()
    };
    bodies.iter().enumerate().map(of_one).sum()
}

/// Measured: none in any frame; 12 that lasted while vertices met nearest faces only and no edges, 1570 without self contact.
#[test]
fn a_strip_of_cloth_does_not_pass_through_itself() {
    let most = |self_contact: bool| {
        let mut most = 0;
        each_frame(&falling_strip(self_contact), |built, state| most = most.max(crossings(built, state)));
        most
    };
    let (with, without) = (most(true), most(false));
    assert!(without > 500, "folds should pass through each other without self contact: {without} crossings");
    assert_eq!(with, 0, "edges that cross triangles with self contact");
}

/// A cloth falls on another that falls on a ball: both hang over it in folds, and neither is in the other or in itself.
#[test]
fn a_cloth_on_a_cloth_stays_outside_it() {
    let toml = format!(
        r#"
        sinew = 1
        [scene]
        frames = [1, 36]
        substeps = 8
        {}
        {}
        [[obstacle]]
        name = "ball"
        shape = "sphere"
        radius = 0.25
        at = [0.0, 0.35, 0.0]
        [[obstacle]]
        name = "ground"
        shape = "plane"
        "#,
        sheet([1.0, 1.0], [0.0, 0.62, 0.0], [0.0, 0.0, 0.0], 600, true),
        sheet([0.9, 0.9], [0.0, 0.85, 0.0], [0.0, 30.0, 0.0], 500, true)
    );
    let (mut most, mut touched) = (0, 0);
    let state = each_frame(&toml, |built, state| {
        most = most.max(crossings(built, state));
        touched = built.stage.body_contacts().iter().filter(|contact| contact.gap_m < 0.0).count();
    });
    assert_eq!(most, 0, "edges that cross triangles");
    assert!(touched > 20, "one should lie on the other, at {touched} places");
    let top = |body: usize| state.bodies[body].x.iter().map(|x| x.y).fold(f64::MIN, f64::max);
    assert!(top(1) > top(0) && top(0) > 0.6, "they end at {} and {} m", top(0), top(1));
}

/// A bar with a square section holds up a cloth: its long edges, which have vertices only every 8 cm, do not show through. 265 pairs cross while only vertices and faces are held.
#[test]
fn the_edges_of_a_bar_do_not_cut_a_cloth() {
    let toml = format!(
        r#"
        sinew = 1
        [scene]
        frames = [1, 24]
        substeps = 8
        [[body]]
        name = "bar"
        skin = {{ model = "bar", size = [0.9, 0.15, 0.15] }}
        at = [0.0, 0.5, 0.0]
        turn = [45.0, 0.0, 0.0]
        material = {{ preset = "muscle", young_pa = 2.0e6 }}
        flesh = {{ kind = "tets", vertices = 100 }}
        solver = {{ kind = "springs" }}
        [body.sets]
        ends = {{ box = {{ min = [-1.0, -1.0, -1.0], max = [1.0, 1.0, 1.0] }} }}
        [[body.director]]
        name = "hold"
        kind = "pin"
        on = "ends"
        {}
        "#,
        sheet([0.6, 0.6], [0.0, 0.63, 0.0], [0.0, 17.0, 0.0], 600, true)
    );
    let mut cut = Vec::new();
    each_frame(&toml, |built, state| cut.push(crossings(built, state)));
    assert!(cut.iter().all(|cut| *cut == 0), "edges that cross triangles, frame by frame: {cut:?}");
}

/// Two free sheets, one of which runs into the other at 2 m/s.
fn meeting_sheets() -> String {
    format!(
        r#"
        sinew = 1
        [scene]
        frames = [1, 12]
        substeps = 8
        gravity = [0.0, 0.0, 0.0]
        {}
        {}
        "#,
        sheet([0.5, 0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 300, true),
        sheet([0.4, 0.3], [0.05, 0.22, 0.0], [10.0, 25.0, 35.0], 200, true)
    )
}

fn after_meeting(threads: usize, mut see: impl FnMut(&Built, &StageState)) -> StageState {
    let (mut built, mut state) = built(&meeting_sheets(), threads);
    state.bodies[1].v.fill(DVec3::new(0.3, -2.0, 0.0));
    for _ in 0..96 {
        built.stage.step(&mut state, &[]).unwrap();
        see(&built, &state);
    }
    state
}

#[test]
fn free_sheets_that_meet_keep_their_momentum() {
    let momentum = |built: &Built, state: &StageState| {
        let of = |(body, state): (&StageBody, &BodyState)| {
            state.v.iter().zip(&body.flesh.mass_kg).map(|(v, m)| *v * *m).sum::<DVec3>()
        };
        built.stage.bodies().iter().zip(&state.bodies).map(of).sum::<DVec3>()
    };
    let (mut first, mut touched) = (None, false);
    let state = after_meeting(2, |built, state| {
        let now = momentum(built, state);
        let first = *first.get_or_insert(now);
        touched |= built.stage.body_contacts().iter().any(|contact| contact.gap_m < 0.0);
        assert!(now.distance(first) < 1e-9 * first.length(), "step {}: {now} N s, not {first}", state.tick);
        assert_eq!(crossings(built, state), 0, "step {}: edges that cross triangles", state.tick);
    });
    let pushed = state.bodies[0].v.iter().map(|v| v.y).fold(0.0, f64::min);
    assert!(touched && pushed < -0.2, "the first should be pushed along: {pushed} m/s");
}

#[test]
fn sheets_that_meet_are_the_same_from_any_number_of_threads() {
    let one = after_meeting(1, |_, _| {});
    assert!(after_meeting(2, |_, _| {}) == one, "2 threads differ");
    assert!(after_meeting(8, |_, _| {}) == one, "8 threads differ");
}

/// A vertex of a sheet that lies on another has been pushed through it.
#[test]
fn a_sheet_that_is_caught_in_another_finds_its_way_out() {
    let toml = format!(
        r#"
        sinew = 1
        [scene]
        frames = [1, 12]
        substeps = 8
        gravity = [0.0, 0.0, 0.0]
        {}
        {}
        "#,
        sheet([0.5, 0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 300, true),
        sheet([0.4, 0.4], [0.004, 0.004, 0.005], [0.0, 20.0, 0.0], 200, true)
    );
    let (mut built, mut state) = built(&toml, 2);
    let centre = state.bodies[1].origin;
    let mut by_distance: Vec<usize> = (0..state.bodies[1].x.len()).collect();
    by_distance.sort_by(|&a, &b| {
        let from = |v: usize| state.bodies[1].x[v].distance(centre);
        from(a).total_cmp(&from(b))
    });
    state.bodies[1].x[by_distance[0]].y -= 0.015;
    let caught = crossings(&built, &state);
    assert!(caught >= 5, "only {caught} edges cross triangles");
    let mut after = Vec::new();
    for _ in 0..12 {
        (0..8).for_each(|_| {
            built.stage.step(&mut state, &[]).unwrap();
        });
        after.push(crossings(&built, &state));
    }
    assert!(after[4..].iter().all(|crossings| *crossings == 0), "{caught} crossings become {after:?}");
}
