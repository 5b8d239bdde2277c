//! Messages that no page sends: mutated ones into the parser, and those that are edits into a document. Nothing panics, and a
//! refusal is a sentence. A few here; `cargo xtask messages` sends ten million.

use crate::protocol::Command;
use sinew_scene::{Document, builtin};

/// What pages say, and what they might.
const SEEDS: [&str; 17] = [
    r#"{"do":"play"}"#,
    r#"{"do":"seek","frame":12}"#,
    r#"{"do":"range","first":3,"last":9}"#,
    r#"{"do":"pick","id":4,"origin":[0.0,1.0,2.0],"direction":[0.0,0.0,-1.0],"clip":{"through":[0,0,0],"normal":[0,1,0]}}"#,
    r#"{"do":"drag","body":0,"at_rest":[0.1,0.2,0.3],"to":[1.0,2.0,3.0]}"#,
    r#"{"do":"look","body":0,"look":"phase","directions":"primary","beside":["layer"]}"#,
    r#"{"do":"cut","body":0,"stroke":{"points":[[0,0,0],[1,0,0]],"direction":[0,0,1]},"layer":0.5}"#,
    r#"{"do":"export","file":"out","format":"glb","options":{"bound":0.001,"take":"first"},"overwrite":true}"#,
    r#"{"do":"render","file":"film","format":"gif","options":{"size":[64,48],"style":"lines"}}"#,
    r#"{"do":"edit","command":{"do":"set","path":"scene.gravity","value":[0.0,-1.0,0.0]}}"#,
    r#"{"do":"edit","command":{"do":"set","path":"body.jelly.director.swim.period","value":{"keys":[[1,1.0],[20,2.0]]}}}"#,
    r#"{"do":"edit","command":{"do":"batch","commands":[{"do":"unset","path":"scene.fps"},{"do":"set","path":"scene.substeps","value":5}]}}"#,
    r#"{"do":"keep_take","name":"first"}"#,
    r#"{"do":"save_as","file":"a/b.toml"}"#,
    r#"{"do":"sculpt","body":0,"director":"shape","frame":14.0,"edit":{"do":"bend","part":{"points":[1,2,3],"falloff":0.1},"along":[1,0,0],"about":[0,0,1],"deg":30.0}}"#,
    r#"{"do":"sculpt","body":0,"director":"take","frame":14,"edit":{"do":"pull","at":[0,0,0],"by":[0,0.1,0],"radius":0.2},"width":12}"#,
    r#"{"do":"edit","command":{"do":"copy_director","from":"body.jelly.director.swim","to":"body.jelly","mirror":"x"}}"#,
];

const NASTY: [&str; 16] = [
    "1e999",
    "-1",
    "null",
    "99999999999999999999",
    "\"",
    "[[[[",
    "{}",
    "\\u0000",
    "\u{202e}",
    "true",
    ",",
    "../",
    "NaN",
    "\"\"",
    ":",
    "}",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// One to three changes; what is left is text.
fn mutate(message: &str, dice: &mut Dice) -> String {
    let mut text: Vec<char> = message.chars().collect();
    for _ in 0..=dice.below(3) {
        let place = dice.below(text.len());
        let end = (place + dice.below(12)).min(text.len());
        match dice.below(5) {
            0 => drop(text.splice(place..end, NASTY[dice.below(NASTY.len())].chars())),
            1 => drop(text.drain(place..end)),
            2 => {
                let piece: Vec<char> = text[place..end].to_vec();
                text.splice(place..place, piece);
            }
            3 => {
                let other: Vec<char> = SEEDS[dice.below(SEEDS.len())].chars().collect();
                let from = dice.below(other.len());
                text.splice(place..end, other[from..(from + dice.below(20)).min(other.len())].iter().copied());
            }
            _ => {
                if let Some(letter) = text.get_mut(place) {
                    *letter = char::from(32 + dice.below(95) as u8);
                }
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn mutated_messages_are_commands_or_refused_in_words() {
    let set = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = set("SINEW_FUZZ_MESSAGES").unwrap_or(200_000);
    let mut dice = Dice(set("SINEW_FUZZ_SEED").unwrap_or(11));
    let fresh = || Document::parse(builtin::find("jellyfish").unwrap().toml, "jellyfish").unwrap();
    let mut document = fresh();
    let (mut obeyed, mut edits, mut refused) = (0u64, 0u64, 0u64);
    for number in 0..count {
        let message = mutate(SEEDS[dice.below(SEEDS.len())], &mut dice);
        match Command::parse(&message, 1) {
            Ok(Command::Edit { command } | Command::Preview { command }) => {
                edits += 1;
                // A scene is parsed and checked anew for each: a thousandth of the messages is enough of them.
                if edits.is_multiple_of(50) {
                    if let Err(error) = document.apply(&command) {
                        assert!(!error.problems.is_empty() && !error.problems[0].message.is_empty(), "{message}");
                    }
                    assert!(
                        Document::parse(document.text(), "jellyfish").is_ok(),
                        "message {number} broke the scene: {message}"
                    );
                    if document.text().len() > 100_000 {
                        document = fresh();
                    }
                }
                obeyed += 1;
            }
            Ok(_) => obeyed += 1,
            Err(why) => {
                assert!(!why.is_empty() && why.len() < 1000, "{message}: {why}");
                refused += 1;
            }
        }
    }
    println!("messages: {count} ({obeyed} obeyed, {edits} of them edits, {refused} refused)");
    assert!(obeyed > count / 100 && refused > count / 100, "{obeyed} obeyed, {refused} refused");
}
