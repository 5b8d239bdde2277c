//! Faults on purpose: the n-th call to the disk fails, is interrupted or writes less than it was given.
//!
//! Tests arm a [`Plan`] for the calls of their own thread; without one a call costs the look at a thread's variable.

use std::cell::Cell;
use std::io;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No room is left (`ENOSPC`), from this call on.
    Full,
    /// The disk fails (`EIO`), from this call on.
    Broken,
    /// The disk fails at this call only.
    BrokenOnce,
    /// The call is interrupted (`EINTR`) and may be made again.
    Interrupted,
    /// Only the first byte of a write is taken.
    Short,
}

impl Fault {
    pub const ALL: [Self; 5] = [Self::Full, Self::Broken, Self::BrokenOnce, Self::Interrupted, Self::Short];

    /// Whether a program that does everything right notices nothing.
    pub fn is_harmless(self) -> bool {
        matches!(self, Self::Interrupted | Self::Short)
    }
}

/// Which call goes wrong, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Counted from 1 on, over writes, cuts, syncs and renames.
    pub nth: u64,
    pub fault: Fault,
}

/// Kinds of calls that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Create,
    Write,
    Cut,
    Sync,
    Rename,
}

#[derive(Debug, Clone, Copy)]
struct State {
    plan: Option<Plan>,
    calls: u64,
}

thread_local! {
    static STATE: Cell<Option<State>> = const { Cell::new(None) };
}

/// Counts this thread's calls from now on, and lets one fail where there is a plan.
pub fn arm(plan: Option<Plan>) {
    STATE.set(Some(State { plan, calls: 0 }));
}

/// Ends it. How many calls there were.
pub fn disarm() -> u64 {
    STATE.take().map_or(0, |state| state.calls)
}

pub(super) fn check(call: Call) -> io::Result<()> {
    match due(call) {
        // Only writes can be short, and only they are interrupted on files.
        None | Some(Fault::Interrupted | Fault::Short) => Ok(()),
        Some(fault) => Err(error(fault)),
    }
}

/// How many of `len` bytes may be written.
pub(super) fn before_write(len: usize) -> io::Result<usize> {
    match due(Call::Write) {
        None => Ok(len),
        Some(Fault::Short) => Ok(len.min(1)),
        Some(fault) => Err(error(fault)),
    }
}

fn due(call: Call) -> Option<Fault> {
    let mut state = STATE.get()?;
    state.calls += 1;
    STATE.set(Some(state));
    let plan = state.plan?;
    let lasts = matches!(plan.fault, Fault::Full | Fault::Broken);
    // A full disk can still cut and rename; room is what it lacks.
    let concerns = plan.fault != Fault::Full || matches!(call, Call::Create | Call::Write | Call::Sync);
    let is_due = state.calls == plan.nth || lasts && state.calls > plan.nth;
    (is_due && concerns).then_some(plan.fault)
}

fn error(fault: Fault) -> io::Error {
    match fault {
        Fault::Full => io::ErrorKind::StorageFull.into(),
        Fault::Interrupted => io::ErrorKind::Interrupted.into(),
        _ => io::Error::other("the disk failed (injected)"),
    }
}
