//! Numbers that say what they count, and lists that only the right ones open: a tet's number cannot enter a list of vertices.
//!
//! Meshes keep their corners as plain `u32`, which files, GPUs and solvers want; ids are for what is asked of a mesh.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A number of one kind of thing.
pub trait Id: Copy {
    /// Meshes have fewer than 2³² of anything.
    fn new(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! id {
    ($name:ident, $what:literal) => {
        #[doc = $what]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl Id for $name {
            fn new(index: usize) -> Self {
                Self(index as u32)
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(VertexId, "A vertex of a mesh.");
id!(TetId, "A tetrahedron of a mesh.");
id!(TriangleId, "A triangle of a mesh.");

/// A value for each thing of one kind. Iterates like a slice; opens by id only.
pub struct Per<I, T> {
    values: Vec<T>,
    of: PhantomData<fn(I)>,
}

pub type PerVertex<T> = Per<VertexId, T>;
pub type PerTet<T> = Per<TetId, T>;
pub type PerTriangle<T> = Per<TriangleId, T>;

impl<I: Id, T> Per<I, T> {
    /// The same value for `count` things.
    pub fn filled(value: T, count: usize) -> Self
    where
        T: Clone,
    {
        vec![value; count].into()
    }

    /// Each value with the id of what it belongs to.
    pub fn pairs(&self) -> impl Iterator<Item = (I, &T)> {
        self.values.iter().enumerate().map(|(index, value)| (I::new(index), value))
    }

    pub fn into_vec(self) -> Vec<T> {
        self.values
    }
}

impl<I, T> From<Vec<T>> for Per<I, T> {
    fn from(values: Vec<T>) -> Self {
        Self { values, of: PhantomData }
    }
}

impl<I, T> FromIterator<T> for Per<I, T> {
    fn from_iter<V: IntoIterator<Item = T>>(values: V) -> Self {
        values.into_iter().collect::<Vec<T>>().into()
    }
}

impl<'a, I, T> IntoIterator for &'a Per<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<I: Id, T> Index<I> for Per<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.values[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Per<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.values[id.index()]
    }
}

impl<I, T> Deref for Per<I, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<I, T> DerefMut for Per<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Per<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<I, T: Clone> Clone for Per<I, T> {
    fn clone(&self) -> Self {
        self.values.clone().into()
    }
}

impl<I, T: PartialEq> PartialEq for Per<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_open_by_their_own_ids() {
        let mut volumes: PerTet<f64> = [1.0, 2.0].into_iter().collect();
        volumes[TetId(1)] += 0.5;
        assert_eq!(volumes.pairs().map(|(id, volume)| (id.0, *volume)).collect::<Vec<_>>(), [(0, 1.0), (1, 2.5)]);
        assert_eq!(volumes.iter().sum::<f64>(), 3.5);
        assert_eq!(format!("tet {}", TetId(7)), "tet 7");
    }
}
