//! What a page sees of a body besides its shape: fields, sections, colours.

use crate::house::{Heard, House, Page};
use serde_json::json;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at))
}

/// Body, look, frame, components, points, and the values.
fn field(page: &mut Page) -> ([u32; 2], i32, u32, Vec<f32>) {
    let bytes = page.until(|heard| match heard {
        Heard::Field(bytes) => Some(bytes.clone()),
        _ => None,
    });
    let (components, points) = (u32_at(&bytes, 16), u32_at(&bytes, 20));
    let values: Vec<f32> = (0..(components * points) as usize).map(|i| f32_at(&bytes, 32 + 4 * i)).collect();
    assert_eq!(bytes.len(), 32 + 4 * values.len());
    ([u32_at(&bytes, 4), u32_at(&bytes, 8)], u32_at(&bytes, 12).cast_signed(), components, values)
}

fn section(page: &mut Page) -> Vec<u8> {
    page.until(|heard| match heard {
        Heard::Section(bytes) => Some(bytes.clone()),
        _ => None,
    })
}

#[test]
fn a_field_comes_once_what_moves_comes_with_each_frame_and_only_to_who_asked() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("jellyfish", folder.path());
    let (mut page, mut other) = (house.page(), house.page());
    let points = page.event("welcome")["scene"]["bodies"][0]["points"].as_u64().unwrap() as usize;
    page.ask(&json!({ "do": "look", "body": 0, "look": "phase" }));
    let (of, _, components, values) = field(&mut page);
    assert_eq!((of, components, values.len()), ([0, 4], 1, points));
    let (low, high) = values.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    assert!(low >= 0.0 && high <= 1.0 && high - low > 0.5, "from {low} to {high}");
    for _ in 0..10 {
        let again = page.until(|heard| Some(matches!(heard, Heard::Field(_))));
        assert!(!again, "nothing changed");
    }
    page.ask(&json!({ "do": "look", "body": 0, "look": "contraction" }));
    let first = field(&mut page);
    let second = field(&mut page);
    assert!(second.1 != first.1 && first.0 == [0, 0], "one with each frame: {} {}", first.1, second.1);
    page.ask(&json!({ "do": "look", "body": 0, "look": "primary" }));
    let (_, _, components, values) = loop {
        let heard = field(&mut page);
        if heard.0 == [0, 5] {
            break heard;
        }
    };
    assert_eq!((components, values.len()), (3, 3 * points));
    assert!(values.chunks(3).all(|v| (v.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-4), "unit vectors");
    for look in ["speed", "stretch", "stiffness", "contact"] {
        page.ask(&json!({ "do": "look", "body": 0, "look": look }));
        let number = sinew_studio::LOOKS.iter().position(|known| *known == look).unwrap() as u32;
        while field(&mut page).0 != [0, number] {}
    }
    page.ask(&json!({ "do": "look", "body": 0, "look": "hunger" }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("contraction, excitation"));
    for _ in 0..20 {
        assert!(!matches!(other.hear(), Heard::Field(_)), "the other page asked for nothing");
    }
}

#[test]
fn an_edit_of_a_field_brings_the_new_one_while_it_is_paused() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("jellyfish", folder.path());
    let mut page = house.page();
    page.ask(&json!({ "do": "pause" }));
    page.transport(|now| now["playing"] == false);
    page.ask(&json!({ "do": "look", "body": 0, "look": "amplitude" }));
    let before = field(&mut page).3;
    let command = json!({ "do": "set", "path": "body.jelly.director.swim.amplitude.to", "value": 0.3 });
    page.ask(&json!({ "do": "edit", "command": command }));
    let after = field(&mut page).3;
    let highest = |values: &[f32]| values.iter().fold(0.0f32, |high, v| high.max(*v));
    assert!(highest(&before) > 0.9 && (highest(&after) - 0.3).abs() < 1e-3, "{} {}", highest(&before), highest(&after));
}

#[test]
fn a_cut_moves_with_the_flesh_carries_the_field_and_says_what_it_takes_away() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("jellyfish", folder.path());
    let mut page = house.page();
    let points = page.event("welcome")["scene"]["bodies"][0]["points"].as_u64().unwrap() as u32;
    page.ask(&json!({ "do": "look", "body": 0, "look": "layer" }));
    let plane = json!({ "through": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0] });
    page.ask(&json!({ "do": "cut", "body": 0, "plane": plane }));
    let cut = section(&mut page);
    let [count, triangles, sides] = [12, 16, 20].map(|at| u32_at(&cut, at));
    assert!(count > 50 && triangles > 50 && sides == points, "{count} points, {triangles} triangles, {sides} sides");
    assert_eq!(cut.len() as u32, 24 + 28 * count + 12 * triangles + 4 * sides);
    for point in 0..count as usize {
        let at = |i: usize| f32_at(&cut, 24 + 28 * point + 4 * i);
        assert!(at(2).abs() < 0.1 && at(5).abs() < 0.1, "near the plane, in the world and at rest");
        assert!((0.0..=1.0).contains(&at(6)) || at(6).is_nan(), "{}", at(6));
    }
    let later = section(&mut page);
    assert_eq!(later[24 + 28 * count as usize..], cut[24 + 28 * count as usize..], "the same triangles and sides");
    page.ask(&json!({ "do": "cut", "body": 0 }));
    for _ in 0..3 {
        page.until(|heard| matches!(heard, Heard::Frame { .. }).then_some(()));
    }
    let more = page.until(|heard| {
        matches!(heard, Heard::Frame { .. } | Heard::Section(_)).then_some(matches!(heard, Heard::Section(_)))
    });
    assert!(!more, "it was put away");
    let stroke =
        json!({ "points": [[-1.0, 1.2, 0.0], [0.0, 1.25, 0.0], [1.0, 1.2, 0.0]], "direction": [0.0, 0.0, -1.0] });
    page.ask(&json!({ "do": "cut", "body": 0, "stroke": stroke }));
    assert!(u32_at(&section(&mut page), 16) > 0);
}

#[test]
fn a_sheet_cannot_be_cut() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("cloth-drape", folder.path());
    let mut page = house.page();
    let plane = json!({ "through": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0] });
    page.ask(&json!({ "do": "cut", "body": 0, "plane": plane }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("sheet"));
}
