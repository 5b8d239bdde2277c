//! SIMD lanes: one region, vertex, cell or element per lane, the same arithmetic on every machine.
//!
//! Kernels are written once over [`Lanes`] and compiled for AVX-512 (16 lanes), AVX2 (8) and plain arrays (4). Only
//! operations that IEEE 754 rounds exactly are used, and never a fused multiply-add, so that every path gives the same
//! bits; how many lanes march together must not matter either, which is why masks only ever select per lane.
//!
//! Everything in here is `#[inline(always)]`: the code takes on the target features of the function it ends up in, and
//! [`Path::run`] enters one only where the machine has them (`dispatch.rs`).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Lanes of a stored block, whatever the machine: one AVX-512 register, one cache line.
pub(crate) const BLOCK: usize = 16;

/// One number of each region of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Slot(pub(crate) [f32; BLOCK]);

impl Slot {
    pub(crate) const ZERO: Self = Self([0.0; BLOCK]);
}

/// What neighbours read from one vertex or region: three rows of four numbers, and nothing in the rest of the line.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Record(pub(crate) [f32; BLOCK]);

impl Record {
    pub(crate) const ZERO: Self = Self([0.0; BLOCK]);
    pub(crate) const BYTES: usize = size_of::<Self>();
    /// How many of its numbers carry something.
    pub(crate) const USED: usize = 12;
}

/// Which records each record of a block adds up, as byte offsets: a load needs no shift then.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists {
    /// One more than there are lists.
    start: Vec<u32>,
    offset: Vec<u32>,
    /// Records that must exist for the lists to be read.
    records: usize,
}

impl Lists {
    /// Lists are summed two by two, so that the odd ones end in a record that is always zero.
    pub(crate) const EVEN: usize = 2;

    pub(crate) fn push(&mut self, records: impl IntoIterator<Item = usize>, zero_record: usize) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        let from = self.offset.len();
        self.offset.extend(records.into_iter().map(|record| (record * Record::BYTES) as u32));
        while !self.offset.len().is_multiple_of(Self::EVEN) {
            self.offset.push((zero_record * Record::BYTES) as u32);
        }
        let highest = self.offset[from..].iter().max().map_or(0, |&offset| offset as usize / Record::BYTES + 1);
        self.records = self.records.max(highest);
        self.start.push(self.offset.len() as u32);
    }

    /// Whether `records` holds all that the lists name.
    pub(crate) fn fit(&self, records: &[Record]) -> bool {
        records.len() >= self.records
    }

    pub(crate) fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    #[inline(always)]
    unsafe fn of(&self, list: usize) -> &[u32] {
        // SAFETY: the caller passes a list that exists; `push` keeps starts in order and within `offset`.
        unsafe {
            let range = *self.start.get_unchecked(list) as usize..*self.start.get_unchecked(list + 1) as usize;
            self.offset.get_unchecked(range)
        }
    }
}

/// As many f32 as one register of the machine holds. All arithmetic is exact IEEE rounding, lane by lane.
pub(crate) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    const WIDTH: usize;
    type Mask: Copy;

    fn splat(value: f32) -> Self;
    /// Lanes `at..at + WIDTH` of a slot; `at` is a multiple of the width.
    fn load(slot: &Slot, at: usize) -> Self;
    fn store(self, slot: &mut Slot, at: usize);
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// `self < other`, false where either is not a number.
    fn below(self, other: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn not(a: Self::Mask) -> Self::Mask;
    fn any(mask: Self::Mask) -> bool;
    /// One bit for each lane, the first one lowest.
    fn bits(mask: Self::Mask) -> u32;
    /// The smaller one; `other` where either is not a number.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        Self::select(self.below(other), self, other)
    }

    /// For each of the lists `first..first + WIDTH` the sum of its records; number `k` of every sum is in result `k`.
    ///
    /// # Safety
    /// The lists exist and name records of `records`.
    unsafe fn sum_records(records: &[Record], lists: &Lists, first: usize) -> [Self; Record::USED];

    /// Writes number `k` of each record from `values[k]`, to as many records as there are lanes.
    ///
    /// # Safety
    /// `to` holds at least `WIDTH` records.
    unsafe fn store_records(values: [Self; Record::USED], to: &mut [Record]);
}

/// Arrays spelled out. `array::from_fn` and `map` go through functions that lack the kernel's target features, which
/// keeps the compiler from inlining what is inside them: every element became a call.
macro_rules! three {
    ($i:ident => $e:expr) => {
        [{ const $i: usize = 0; $e }, { const $i: usize = 1; $e }, { const $i: usize = 2; $e }]
    };
}
macro_rules! four {
    ($i:ident => $e:expr) => {
        [{ const $i: usize = 0; $e }, { const $i: usize = 1; $e }, { const $i: usize = 2; $e }, { const $i: usize = 3; $e }]
    };
}
macro_rules! six {
    ($i:ident => $e:expr) => {
        [
            { const $i: usize = 0; $e },
            { const $i: usize = 1; $e },
            { const $i: usize = 2; $e },
            { const $i: usize = 3; $e },
            { const $i: usize = 4; $e },
            { const $i: usize = 5; $e },
        ]
    };
}
pub(crate) use {four, six, three};

/// The four operators of a kind of lanes, and its sign.
macro_rules! arithmetic {
    ($lanes:ty, $a:ident, $b:ident, $add:expr, $sub:expr, $mul:expr, $div:expr) => {
        arithmetic!(@one $lanes, Add, add, $a, $b, $add);
        arithmetic!(@one $lanes, Sub, sub, $a, $b, $sub);
        arithmetic!(@one $lanes, Mul, mul, $a, $b, $mul);
        arithmetic!(@one $lanes, Div, div, $a, $b, $div);
        impl Neg for $lanes {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self::splat(-0.0) - self
            }
        }
    };
    (@one $lanes:ty, $trait:ident, $name:ident, $a:ident, $b:ident, $op:expr) => {
        impl $trait for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $op
            }
        }
    };
}

pub(crate) mod blocks;
mod dispatch;
pub(crate) mod double;
pub(crate) mod gather;
pub(crate) mod matrix;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use dispatch::{Kernel, Path, Simd, compiled, dispatched};
pub(crate) use portable::Portable;
