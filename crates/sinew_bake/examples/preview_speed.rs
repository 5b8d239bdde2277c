//! How long ghosts take: `cargo run --release --example preview_speed -- rabbit threads=1 every=6` shows what comes in the next 48 frames, `every` frames
//! apart: by the steps alone, as a preview that is asked, and after an edit of the directors. Further words are settings of the scene
//! (`body.rabbit.flesh.vertices=2000`). A preview gives way to everything else on the machine; where that is busy, the processor's time tells more.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot go on should stop")]

use sinew_bake::{Preview, PreviewAsk, Previewed, Seating, Stage, build, directors};
use sinew_scene::{Command, Document, builtin};
use sinew_solve::StageState;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const FRAMES: u32 = 48;

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut number = |name: &str, left_out: usize| {
        let at = words.iter().position(|word| word.starts_with(&format!("{name}=")));
        at.map_or(left_out, |at| words.remove(at)[name.len() + 1..].parse().unwrap())
    };
    let (threads, every, from) = (number("threads", 1), number("every", 6) as u32, number("from", 1) as i32);
    let tries = number("tries", 3);
    let name = if words.is_empty() { "rabbit".to_owned() } else { words.remove(0) };
    let mut document = Document::parse(builtin::find(&name).unwrap().toml, &name).unwrap();
    words.iter().for_each(|setting| drop(document.apply(&Command::parse_set(setting).unwrap()).unwrap()));
    let make = || build(document.scene(), Path::new("."), threads).unwrap();
    let made = make();
    let seating = Seating::of(&made);
    let mut stage = made.stage;
    let points: usize = stage.bodies().iter().map(|body| body.flesh.point_count()).sum();
    let of = Arc::new(stage.outline());
    let mut state = stage.first_state();
    let until = stage.clock().tick_of(from);
    play(&mut stage, &mut state, until);
    println!("{name}: {points} points, {} substeps, from frame {from}, {threads} threads", stage.clock().substeps);
    for _ in 0..tries {
        steps_alone(&mut stage, &state, every);
    }
    if tries == 0 {
        return;
    }
    let (tell, heard) = channel();
    let mut preview =
        Preview::start(make().stage, move |previewed| drop(tell.send((Instant::now(), previewed)))).unwrap();
    let ask = || PreviewAsk {
        state: Arc::new(state.clone()),
        of: of.clone(),
        input: Vec::new(),
        ghosts: FRAMES / every,
        every,
    };
    for _ in 0..tries {
        let (began, cpu) = (Instant::now(), cpu_secs());
        let asked = preview.ask(ask());
        let [seen, first, all] = answered(&heard, asked, began);
        let cpu = cpu_secs() - cpu;
        println!(
            "asked: first ghost seen {seen:.1?}, in its place {first:.1?}, all {all:.1?} ({cpu:.2} s of processor)"
        );
        let (began, cpu) = (Instant::now(), cpu_secs());
        let directors = directors(document.scene(), &seating).unwrap();
        let made = began.elapsed();
        preview.direct(directors);
        let asked = preview.ask(ask());
        let [seen, first, all] = answered(&heard, asked, began);
        let cpu = cpu_secs() - cpu;
        println!(
            "edited: directors {made:.1?}, first ghost seen {seen:.1?}, in its place {first:.1?}, all {all:.1?} ({cpu:.2} s of processor)"
        );
    }
}

fn play(stage: &mut Stage, state: &mut StageState, until: u64) {
    while state.tick < until {
        stage.step(state, &[]).unwrap();
    }
}

/// The steps that a preview takes, without giving way to others.
fn steps_alone(stage: &mut Stage, state: &StageState, every: u32) {
    let (began, cpu, mut first) = (Instant::now(), cpu_secs(), None);
    let (mut now, substeps) = (state.clone(), u64::from(stage.clock().substeps));
    for ghost in 1..=FRAMES / every {
        play(stage, &mut now, state.tick + u64::from(ghost * every) * substeps);
        first.get_or_insert_with(|| (began.elapsed(), cpu_secs() - cpu));
    }
    let (first, first_cpu) = first.unwrap();
    let (all, all_cpu) = (began.elapsed(), cpu_secs() - cpu);
    println!("steps: {every} frames {first:.1?} ({first_cpu:.2} s of processor), all {all:.1?} ({all_cpu:.2} s)");
}

/// How long it takes until the first ghost of a question is seen, is in its place, and until the last is.
fn answered(heard: &Receiver<(Instant, Previewed)>, asked: u64, began: Instant) -> [Duration; 3] {
    let (mut seen, mut first) = (None, None);
    loop {
        match heard.recv().unwrap() {
            (at, Previewed::Over { asked: over, failed }) if over == asked => {
                assert_eq!(failed, None);
                return [seen.unwrap(), first.unwrap(), at - began];
            }
            (at, Previewed::Ghost(ghost)) if ghost.asked == asked => {
                seen = seen.or(Some(at - began));
                first = first.or((!ghost.is_on_its_way).then_some(at - began));
            }
            _ => {}
        }
    }
}

/// Seconds that the processor has spent on this program so far, on all threads; to 10 ms, on Linux.
fn cpu_secs() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().nth(11).and_then(|ticks| ticks.parse::<f64>().ok());
    ticks.unwrap_or(0.0) / 100.0
}
