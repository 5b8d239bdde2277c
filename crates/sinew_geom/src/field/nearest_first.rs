//! The queue of marching methods: places whose distance was lowered, the nearest first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Distances of places, and those of them that still have to tell their neighbours.
#[derive(Debug)]
pub(super) struct NearestFirst {
    pub distance: Vec<f64>,
    open: BinaryHeap<Open>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Open {
    place: u32,
    at: f64,
}

impl NearestFirst {
    pub(super) fn new(count: usize) -> Self {
        Self { distance: vec![f64::INFINITY; count], open: BinaryHeap::new() }
    }

    /// Lowers a place's distance if `way` is shorter.
    pub(super) fn lower(&mut self, place: u32, way: f64) {
        /// Relative gain below which a shorter way is rounding.
        const GAIN: f64 = 1e-12;
        let best = &mut self.distance[place as usize];
        if way < *best - GAIN * way {
            *best = way;
            self.open.push(Open { place, at: way });
        }
    }

    /// The nearest place that was lowered since it was last given.
    pub(super) fn next(&mut self) -> Option<u32> {
        while let Some(Open { place, at }) = self.open.pop() {
            // Lowered again since, it is in the queue a second time.
            if at <= self.distance[place as usize] {
                return Some(place);
            }
        }
        None
    }
}

impl Eq for Open {}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.total_cmp(&self.at).then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
