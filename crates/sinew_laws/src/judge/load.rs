//! What something stands on is pressed, not stretched.

use super::{Findings, Law};
use crate::Played;

/// What share of a body's length and width the one on it covers, at least: a slab that is pressed in its middle bulges beside it, and its corners rise.
const COVERED: f64 = 0.5;
/// How slow a body is, over √(g · size), where its height is taken.
const CALM: f64 = 5e-3;

pub(super) fn load(played: &Played, findings: &mut Findings) {
    let (facts, Some(last)) = (&played.facts, played.ticks.len().checked_sub(1)) else { return };
    let Some(gravity) = facts.gravity.filter(|gravity| gravity.y < 0.0) else { return };
    let is_plain = |number: usize| {
        let body = &facts.bodies[number];
        body.is_passive() && body.is_free() && body.forces.is_empty() && !body.is_sheet
    };
    let is_calm = |tick: usize, number: usize| {
        let speed = (gravity.length() * facts.bodies[number].size_m).sqrt();
        played.ticks[tick][number].fastest_m_s < CALM * speed
    };
    for low in 0..facts.bodies.len() {
        for high in (0..facts.bodies.len()).filter(|high| *high != low) {
            if !is_plain(low) || !is_plain(high) || facts.bodies[low].bar_m.is_none() || !facts.bodies[low].is_upright {
                continue;
            }
            let stands_on = |tick: usize| {
                let (a, b) = (&played.ticks[tick][low], &played.ticks[tick][high]);
                let off = (b.centre - a.centre).abs();
                let half = 0.5 * (a.box_high - a.box_low);
                let covers = (b.box_high - b.box_low) / (a.box_high - a.box_low);
                covers.x.min(covers.z) > COVERED
                    && b.box_low.y > a.centre.y
                    && off.x < half.x
                    && off.z < half.z
                    && b.box_low.y < a.box_high.y + 0.01 * facts.bodies[low].size_m
            };
            let height = |tick: usize| played.ticks[tick][low].box_high.y - played.ticks[tick][low].box_low.y;
            let is_apart = |tick: usize| {
                played.ticks[tick][high].box_low.y > played.ticks[tick][low].box_high.y + 0.2 * facts.bodies[low].size_m
            };
            let alone = (0..=last).rev().find(|&tick| is_apart(tick) && is_calm(tick, low) && tick > 0);
            let Some(alone) = alone else { continue };
            let is_pressed = stands_on(last) && is_calm(last, low) && is_calm(last, high);
            if is_pressed {
                findings.note(Law::Load, (height(last) - height(alone)) / height(alone), played, low, last);
            }
        }
    }
}
