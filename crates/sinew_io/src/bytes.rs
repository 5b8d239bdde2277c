//! Binary data, read from the front; asking beyond its end is an error before any memory is asked for.

use crate::ByteError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

#[derive(Debug, Clone)]
pub(crate) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
    endian: Endian,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8], endian: Endian) -> Self {
        Self { all, at: 0, endian }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.all[self.at..]
    }

    /// Passes over so many bytes, or all there are.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.all.len());
    }

    /// From here on, numbers are in the other order.
    pub(crate) fn turn(&mut self) {
        self.endian = if self.endian == Endian::Big { Endian::Little } else { Endian::Big };
    }

    pub(crate) fn left(&self) -> usize {
        self.all.len() - self.at
    }

    /// The next `count` bytes, which are said to be `what`.
    pub(crate) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], ByteError> {
        match self.all[self.at..].get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => {
                let left = self.left();
                Err(ByteError::new(
                    self.at,
                    format!("the file ends within {what}: {count} bytes are needed, {left} are left"),
                ))
            }
        }
    }

    pub(crate) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ByteError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        if self.endian == Endian::Big {
            array.reverse();
        }
        Ok(array)
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32, ByteError> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// A count, stored signed: negative ones are an error.
    pub(crate) fn count(&mut self, what: &str) -> Result<usize, ByteError> {
        let at = self.at;
        let number = i32::from_le_bytes(self.array(what)?);
        usize::try_from(number).map_err(|_| ByteError::new(at, format!("{number} is no number of {what}")))
    }

    pub(crate) fn f32(&mut self, what: &str) -> Result<f32, ByteError> {
        self.array(what).map(f32::from_le_bytes)
    }

    /// Points, all of them finite.
    pub(crate) fn points(&mut self, count: usize, what: &str) -> Result<Vec<[f32; 3]>, ByteError> {
        let at = self.at;
        let bytes = self.take(count.saturating_mul(12), what)?;
        let number = |bytes: [u8; 4]| match self.endian {
            Endian::Little => f32::from_le_bytes(bytes),
            Endian::Big => f32::from_be_bytes(bytes),
        };
        let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|bytes| number(*bytes)).collect();
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(wild) => Err(ByteError::new(at + 4 * wild, format!("{} is not a finite number", numbers[wild]))),
            None => Ok(numbers.as_chunks::<3>().0.to_vec()),
        }
    }
}
