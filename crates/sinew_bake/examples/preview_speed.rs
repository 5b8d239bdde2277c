//! How long ghosts take: `cargo run --example preview_speed -- jellyfish body.jelly.flesh.vertices=2000`
//! shows 8 of them, 6 frames apart.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot go on should stop")]

use sinew_bake::{Preview, PreviewAsk, Previewed, build};
use sinew_scene::{Command, Document, builtin};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

fn main() {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "jellyfish".into());
    let mut document = Document::parse(builtin::find(&name).unwrap().toml, &name).unwrap();
    words.for_each(|setting| drop(document.apply(&Command::parse_set(&setting).unwrap()).unwrap()));
    let make = || build(document.scene(), Path::new("."), 1).unwrap().stage;
    let stage = make();
    let points: usize = stage.bodies().iter().map(|body| body.flesh.point_count()).sum();
    let (of, state) = (Arc::new(stage.outline()), Arc::new(stage.first_state()));
    let (tell, heard) = channel();
    let mut preview = Preview::start(make(), move |previewed| drop(tell.send((Instant::now(), previewed)))).unwrap();
    for _ in 0..3 {
        let began = Instant::now();
        let ask = PreviewAsk { state: state.clone(), of: of.clone(), input: Vec::new(), ghosts: 8, every: 6 };
        let asked = preview.ask(ask);
        let mut first = None;
        let all = loop {
            match heard.recv().unwrap() {
                (at, Previewed::Over { asked: over, .. }) if over == asked => break at - began,
                (at, Previewed::Ghost(_)) => first = first.or(Some(at - began)),
                _ => {}
            }
        };
        println!("{name}: {points} points, first ghost {:?}, 48 frames {all:?}", first.unwrap());
    }
}
