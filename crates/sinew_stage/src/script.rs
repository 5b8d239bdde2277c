//! Inputs that are part of the scene: the stage plays them as it plays those of a live hand.

use crate::Stage;
use sinew_solve::Input;
use std::collections::BTreeMap;

/// The inputs of a scene's events by tick, in the order in which they act.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script(BTreeMap<u64, Vec<Input>>);

impl Script {
    pub fn add(&mut self, tick: u64, input: Input) {
        self.0.entry(tick).or_default().push(input);
    }

    /// What happens at a tick.
    pub fn at(&self, tick: u64) -> &[Input] {
        self.0.get(&tick).map_or(&[], Vec::as_slice)
    }

    /// The first tick from `tick` on at which the two say different things.
    pub fn first_difference(&self, other: &Self, tick: u64) -> Option<u64> {
        let ticks = self.0.range(tick..).chain(other.0.range(tick..)).map(|(tick, _)| *tick);
        ticks.filter(|&tick| self.at(tick) != other.at(tick)).min()
    }

    /// Together with the live inputs of a tick, which come after its own: a live hand is stronger.
    pub(crate) fn with(&self, tick: u64, live: &[Input]) -> Option<Vec<Input>> {
        self.0.get(&tick).map(|own| [own, live].concat())
    }
}

impl Stage {
    /// The scene's own inputs.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// Other inputs from now on.
    pub fn set_script(&mut self, script: Script) {
        self.script = script;
    }
}
