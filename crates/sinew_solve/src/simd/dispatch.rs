//! Which instructions a machine has, and the only way to kernels that use them.
//!
//! A [`Path`] is a capability: it exists only where the machine has its instructions. Types of lanes beyond [`Portable`] are private
//! to this module, so that a kernel meets them only when [`Path::run`] calls it, inside a function compiled for them. A lane that
//! would need missing instructions cannot be made.

use super::Portable;
use super::blocks::TakeBlocks;

/// What kernels are written over: lanes with everything that any of them needs.
pub(crate) trait Simd: TakeBlocks {}

impl<L: TakeBlocks> Simd for L {}

/// A kernel with its arguments `A`, for any lanes. [`dispatched!`] and [`compiled!`] make them.
pub(crate) trait Kernel<A> {
    fn run<L: Simd>(arguments: A);
}

/// Lanes that this machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Path(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Path {
    /// Plain arrays, which every machine has.
    pub(crate) const PORTABLE: Self = Self(Level::Portable);

    /// The widest one here.
    pub(crate) fn best() -> Self {
        Self::all().last().unwrap_or(Self::PORTABLE)
    }

    /// Every path this machine can take, narrowest first.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let avx2 = is_x86_feature_detected!("avx2").then_some(Self(Level::Avx2));
        let avx512 = is_x86_feature_detected!("avx512f").then_some(Self(Level::Avx512));
        [Some(Self::PORTABLE), avx2, avx512].into_iter().flatten()
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::PORTABLE)
    }

    /// Runs a kernel with the lanes of this path, compiled for its instructions.
    #[inline]
    pub(crate) fn run<K: Kernel<A>, A>(self, arguments: A) {
        match self.0 {
            Level::Portable => K::run::<Portable>(arguments),
            // SAFETY: `all` makes this path only where the machine has AVX2.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::<K, A>(arguments) },
            // SAFETY: `all` makes this path only where the machine has AVX-512.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::<K, A>(arguments) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<K: Kernel<A>, A>(arguments: A) {
    K::run::<super::x86::Avx2>(arguments);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512<K: Kernel<A>, A>(arguments: A) {
    K::run::<super::x86::Avx512>(arguments);
}

/// Defines `$name`, which runs the generic kernel `$kernel` with the lanes of a [`Path`].
macro_rules! dispatched {
    ($(#[$doc:meta])* $name:ident = $kernel:ident($($arg:ident: $type:ty),* $(,)?)) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "a kernel's arrays come one by one, so that each can be empty")]
        pub(super) fn $name(path: $crate::simd::Path, $($arg: $type),*) {
            struct Run;
            impl $crate::simd::Kernel<($($type,)*)> for Run {
                #[inline(always)]
                fn run<L: $crate::simd::Simd>(($($arg,)*): ($($type,)*)) {
                    $kernel::<L>($($arg),*);
                }
            }
            path.run::<Run, _>(($($arg,)*));
        }
    };
}

/// Defines `$name`, which runs the plain code of `$plain` as compiled for a [`Path`].
macro_rules! compiled {
    ($(#[$doc:meta])* $name:ident = $plain:ident($($arg:ident: $type:ty),* $(,)?)) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "a kernel: slices that belong together")]
        fn $name(path: $crate::simd::Path, $($arg: $type),*) {
            struct Run;
            impl $crate::simd::Kernel<($($type,)*)> for Run {
                #[inline(always)]
                fn run<L: $crate::simd::Simd>(($($arg,)*): ($($type,)*)) {
                    $plain($($arg),*);
                }
            }
            path.run::<Run, _>(($($arg,)*));
        }
    };
}
pub(crate) use {compiled, dispatched};
