//! What a connected page can do, and what it cannot do to the stage or to other pages.

use crate::house::{Heard, House, PATIENCE, Page, heights};
use crate::wobble::Wobble;
use sinew_studio::{Limits, StudioOptions};
use std::time::{Duration, Instant};
use tungstenite::Message;

fn house() -> House {
    House::open(Wobble::new([4, 1, 1], [1, 24]), StudioOptions::default())
}

/// The frame and its bytes, if the first body is pulled up in it.
fn held_high(heard: &Heard) -> Option<(i32, Vec<u8>)> {
    match heard {
        Heard::Frame { frame, bytes } => {
            heights(bytes, 0).iter().any(|height| *height > 1.5).then(|| (*frame, bytes.clone()))
        }
        _ => None,
    }
}

/// Pauses at a given frame.
fn at_frame(page: &mut Page, frame: i32) {
    page.say(r#"{"do":"pause"}"#);
    if page.transport(|now| now["playing"] == false)["frame"] != frame {
        page.say(&format!(r#"{{"do":"seek","frame":{frame}}}"#));
        page.transport(|now| now["frame"] == frame);
    }
}

#[test]
fn a_page_is_welcomed_with_scene_and_models_and_then_sees_frames() {
    let mut page = house().page();
    let Heard::Event(welcome) = page.hear() else { panic!("the welcome comes first") };
    assert_eq!((&welcome["event"], &welcome["wire_version"]), (&"welcome".into(), &7.into()));
    let scene = &welcome["scene"];
    assert_eq!(
        (&scene["name"], &scene["first_frame"], &scene["last_frame"]),
        (&"wobble".into(), &1.into(), &24.into())
    );
    assert_eq!(scene["model_count"], 1, "copies share one model");
    assert_eq!(scene["bodies"][1]["name"], "right");
    assert_eq!(scene["bodies"][0]["points"], 20);
    assert!(matches!(page.hear(), Heard::Model));
    let first = page.until(|heard| match heard {
        Heard::Frame { frame, .. } => Some(*frame),
        _ => None,
    });
    page.until(|heard| matches!(heard, Heard::Frame { frame, .. } if *frame > first).then_some(()));
}

#[test]
fn it_plays_in_real_time_pauses_steps_and_loops() {
    let house = House::open(Wobble::new([4, 1, 1], [1, 48]), StudioOptions::default());
    let mut page = house.page();
    // Measured from before it starts, so that a busy machine can only make it longer.
    let began = Instant::now();
    page.say(r#"{"do":"restart"}"#);
    page.sync();
    page.transport(|now| now["frame"].as_i64() >= Some(25));
    let took = began.elapsed().as_secs_f64();
    assert!(took > 0.9, "24 frames at 24 a second took {took} s");
    at_frame(&mut page, 10);
    page.say(r#"{"do":"step_forward"}"#);
    page.transport(|now| now["frame"] == 11 && now["playing"] == false);
    page.say(r#"{"do":"step_back"}"#);
    page.transport(|now| now["frame"] == 10);
    page.say(r#"{"do":"play"}"#);
    page.transport(|now| now["frame"] == 48);
    page.transport(|now| now["frame"] == 1 && now["recorded_to"] == 48);
    page.say(r#"{"do":"loop","on":false}"#);
    page.transport(|now| now["frame"] == 48 && now["playing"] == false);
    page.say(r#"{"do":"play"}"#);
    page.transport(|now| now["frame"].as_i64() < Some(48));
}

#[test]
fn scrubbing_shows_the_same_bytes_again_and_stays_within_what_is_recorded() {
    let mut page = house().page();
    let seen = page.frame(7);
    page.transport(|now| now["recorded_to"] == 24);
    at_frame(&mut page, 7);
    page.say(r#"{"do":"seek","frame":8}"#);
    page.frame(8);
    page.say(r#"{"do":"seek","frame":7}"#);
    assert_eq!(page.frame(7), seen);
    page.say(r#"{"do":"seek","frame":-2000000000}"#);
    page.transport(|now| now["frame"] == 1);
    page.say(r#"{"do":"seek","frame":2000000000}"#);
    page.transport(|now| now["frame"] == 24);
}

#[test]
fn a_pull_on_an_earlier_frame_changes_what_comes_after_it_and_nothing_before() {
    let mut page = house().page();
    let before = page.frame(9);
    let after = page.frame(12);
    page.transport(|now| now["recorded_to"] == 24);
    at_frame(&mut page, 10);
    // While time stands a pull changes nothing, and leaves nothing stale.
    let drag = r#"{"do":"drag","body":0,"at_rest":[0.6,0,0],"to":[0.6,2,-0.7]}"#;
    page.say(drag);
    page.say(r#"{"do":"let_go","body":0}"#);
    page.say(r#"{"do":"step_forward"}"#);
    page.transport(|now| now["frame"] == 11 && now["stale_from"].is_null());
    page.say(r#"{"do":"seek","frame":10}"#);
    page.transport(|now| now["frame"] == 10);
    page.say(drag);
    page.say(r#"{"do":"step_forward"}"#);
    page.transport(|now| now["stale_from"] == 12 && now["recorded_to"] == 24);
    page.say(r#"{"do":"step_forward"}"#);
    let pulled = page.frame(12);
    let highest = |frame: &[u8], body: usize| heights(frame, body).into_iter().fold(f64::MIN, f64::max);
    assert!(highest(&pulled, 0) > highest(&after, 0) + 0.5, "{} {}", highest(&pulled, 0), highest(&after, 0));
    assert_eq!(heights(&pulled, 1), heights(&after, 1), "the other body was not touched");
    page.say(r#"{"do":"let_go","body":0}"#);
    page.say(r#"{"do":"step_forward"}"#);
    page.say(r#"{"do":"step_forward"}"#);
    assert!(highest(&page.frame(14), 0) < 1.5, "let go, it falls back");
    page.say(r#"{"do":"seek","frame":9}"#);
    assert_eq!(page.frame(9)[24..], before[24..]);
}

#[test]
fn a_hand_that_holds_still_keeps_its_hold_when_the_show_starts_over() {
    let mut page = house().page();
    page.transport(|now| now["recorded_to"] == 24);
    at_frame(&mut page, 23);
    page.say(r#"{"do":"drag","body":0,"at_rest":[0.6,0,0],"to":[0.6,3,-0.7]}"#);
    page.say(r#"{"do":"play"}"#);
    page.until(|heard| held_high(heard).filter(|(frame, _)| *frame == 24));
    page.until(|heard| held_high(heard).filter(|(frame, _)| *frame == 2));
}

#[test]
fn going_back_replays_the_pulls_that_were_made_before() {
    let limits = Limits { checkpoint_bytes: 1, ..Limits::default() }; // only the first state is kept
    let house = House::open(Wobble::new([4, 1, 1], [1, 24]), StudioOptions { limits, ..StudioOptions::default() });
    let mut page = house.page();
    at_frame(&mut page, 1);
    page.say(r#"{"do":"restart"}"#);
    page.say(r#"{"do":"drag","body":0,"at_rest":[0.6,0,0],"to":[0.6,2,-0.7]}"#);
    let mut pulled = Vec::new();
    for frame in 2..=7 {
        page.say(r#"{"do":"step_forward"}"#); // one at a time: of several frames only the newest is sure to come
        let seen = page.until(|heard| held_high(heard).filter(|(number, _)| *number == frame));
        pulled.push(seen.1);
    }
    // A tap at frame 4 makes 5 to 7 stale; simulated again from the first state on, 5 is as it was.
    page.say(r#"{"do":"seek","frame":4}"#);
    page.say(r#"{"do":"touch","body":1,"at_rest":[0,0,0]}"#);
    page.transport(|now| now["stale_from"] == 5);
    page.say(r#"{"do":"step_forward"}"#);
    assert_eq!(page.frame(5)[24..], pulled[3][24..]);
}

#[test]
fn a_ray_is_answered_with_the_body_it_hits() {
    let mut page = house().page();
    page.say(r#"{"do":"pick","id":5,"origin":[-0.5,3,0.7],"direction":[0,-1,0]}"#);
    let picked = page.event("picked");
    assert_eq!((&picked["id"], &picked["hit"]["body"]), (&5.into(), &1.into()));
    let at_rest = picked["hit"]["at_rest"].as_array().unwrap();
    assert!((at_rest[0].as_f64().unwrap() + 0.5).abs() < 1e-6 && (at_rest[1].as_f64().unwrap() - 0.15).abs() < 1e-6);
    page.say(r#"{"do":"pick","id":6,"origin":[0,3,3],"direction":[0,-1,0]}"#);
    assert!(page.event("picked")["hit"].is_null());
}

#[test]
fn malformed_and_nested_json_is_refused_and_the_page_stays() {
    let mut page = house().page();
    let nested = format!(r#"{{"do":"seek","frame":{}"#, "[".repeat(60_000));
    for text in ["", "{", "null", "[]", r#"{"do":"explode"}"#, r#"{"do":"let_go","body":9}"#, &nested, "\u{0}"] {
        page.say(text);
        let refused = page.event("refused");
        assert!(refused["what"].as_str().unwrap().len() < 500, "{refused}");
    }
    page.say(r#"{"do":"pause"}"#);
    page.transport(|now| now["playing"] == false);
}

#[test]
fn binary_messages_end_the_conversation_and_only_that_one() {
    let house = house();
    let (mut bad, mut good) = (house.page(), house.page());
    bad.socket.send(Message::binary(vec![9, 9, 9])).unwrap();
    let code = bad.until(|heard| match heard {
        Heard::End(code) => Some(*code),
        _ => None,
    });
    assert_eq!(code, Some(1003));
    good.frame_from(20);
}

#[test]
fn an_oversized_message_ends_the_conversation_and_only_that_one() {
    let house = house();
    let (mut bad, mut good) = (house.page(), house.page());
    let _ = bad.socket.send(Message::text(" ".repeat(Limits::default().message_bytes + 1)));
    bad.until(|heard| matches!(heard, Heard::End(_)).then_some(()));
    good.frame_from(20);
}

#[test]
fn a_stalled_page_is_let_go_and_slows_nobody() {
    let limits = Limits { stalled_after: Duration::from_secs(2), pages: 2, ..Limits::default() };
    // A body whose frames fill the system's buffers soon.
    let show = Wobble::new([120, 24, 24], [1, 10_000]);
    let house = House::open(show, StudioOptions { limits, ..StudioOptions::default() });
    let stalled = house.page();
    let mut good = house.page();
    let first = good.until(|heard| match heard {
        Heard::Frame { frame, .. } => Some(*frame),
        _ => None,
    });
    good.frame_from(first + 60);
    drop(good);
    // The stalled page's place is free again: two more fit although only two may be there.
    let began = Instant::now();
    let seat = || house.try_live(&[("Origin", &house.origin()), ("Cookie", &house.cookie())]);
    while began.elapsed() < PATIENCE {
        if let (Ok(_first), Ok(_second)) = (seat(), seat()) {
            drop(stalled);
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the stalled page keeps its place");
}

#[test]
fn too_many_pages_are_turned_away() {
    let limits = Limits { pages: 2, ..Limits::default() };
    let house = House::open(Wobble::new([4, 1, 1], [1, 24]), StudioOptions { limits, ..StudioOptions::default() });
    let (_one, _two) = (house.page(), house.page());
    assert_eq!(house.try_live(&[("Origin", &house.origin()), ("Cookie", &house.cookie())]).err(), Some(503));
}

#[test]
fn a_page_that_comes_back_finds_the_show_as_it_is_and_its_hand_has_let_go() {
    let house = house();
    let mut watcher = house.page();
    {
        let mut page = house.page();
        page.say(r#"{"do":"restart"}"#);
        page.say(r#"{"do":"drag","body":0,"at_rest":[0.6,0,0],"to":[0.6,3,-0.7]}"#);
        page.frame(4);
    }
    let highest = |frame: &[u8]| heights(frame, 0).into_iter().fold(f64::MIN, f64::max);
    watcher.until(|heard| matches!(heard, Heard::Frame { bytes, .. } if highest(bytes) > 2.5).then_some(()));
    watcher.until(|heard| matches!(heard, Heard::Frame { bytes, .. } if highest(bytes) < 1.5).then_some(()));
    watcher.say(r#"{"do":"pause"}"#);
    let now = watcher.transport(|now| now["playing"] == false);
    let mut again = house.page();
    let (mut transport, mut shown) = (None, None);
    let (transport, shown) = again.until(|heard| {
        match heard {
            Heard::Event(event) if event["event"] == "transport" => transport = Some(event.clone()),
            Heard::Frame { frame, .. } => shown = Some(*frame),
            _ => {}
        }
        transport.clone().zip(shown)
    });
    assert_eq!((&transport, &transport["frame"]), (&now, &shown.into()));
}

#[test]
fn two_pages_see_one_show_and_one_cannot_open_the_others_hand() {
    let house = house();
    let (mut one, mut two) = (house.page(), house.page());
    one.frame(5); // so that starting over is a change
    one.say(r#"{"do":"pause"}"#);
    two.transport(|now| now["playing"] == false);
    one.say(r#"{"do":"restart"}"#);
    two.transport(|now| now["frame"] == 1 && now["recorded_to"] == 1);
    one.say(r#"{"do":"drag","body":0,"at_rest":[0.6,0,0],"to":[0.6,3,-0.7]}"#);
    one.say(r#"{"do":"step_forward"}"#);
    let (frame, seen_by_one) = one.until(held_high);
    assert_eq!((frame, seen_by_one), two.until(held_high));
    two.say(r#"{"do":"let_go","body":0}"#);
    two.say(r#"{"do":"step_forward"}"#);
    let highest = heights(&two.frame(3), 0).into_iter().fold(f64::MIN, f64::max);
    assert!(highest > 2.5, "still held: {highest}");
}

#[test]
fn a_stage_that_fails_stops_there_and_says_why() {
    let mut show = Wobble::new([4, 1, 1], [1, 24]);
    show.fails_after = 4 * 9;
    let mut page = House::open(show, StudioOptions::default()).page();
    let stopped = page.transport(|now| !now["problem"].is_null());
    assert_eq!((&stopped["playing"], &stopped["frame"]), (&false.into(), &10.into()));
    let problem = stopped["problem"].as_str().unwrap();
    assert!(problem.contains("frame 11") && problem.contains("vertex 7"), "{problem}");
    page.say(r#"{"do":"seek","frame":3}"#);
    page.frame(3);
    page.say(r#"{"do":"restart"}"#);
    page.transport(|now| now["problem"].is_null() && now["frame"] == 1);
}

#[test]
fn a_heavy_show_plays_slower_and_still_obeys() {
    let mut show = Wobble::new([4, 1, 1], [1, 1000]);
    show.busy = Duration::from_millis(40);
    let began = Instant::now();
    let mut page = House::open(show, StudioOptions::default()).page();
    page.frame_from(6);
    let least = 5 * 4 * Duration::from_millis(40);
    assert!(began.elapsed() > least, "every substep of five frames is made: {:?}", began.elapsed());
    page.say(r#"{"do":"pause"}"#);
    page.transport(|now| now["playing"] == false);
}
