//! Reading NPZ files back: members stored (as sinew writes them) or deflated, with f4, f8, u4 or i4 in C order.

use super::npy::{Dtype, number_count, parse_head};
use super::{NpzError, zip};
use crate::inflate;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// An open archive; arrays are read, and checked, when asked for.
#[derive(Debug)]
pub struct NpzReader {
    path: PathBuf,
    file: RefCell<File>,
    len: u64,
    members: Vec<Stored>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NpzArray {
    pub shape: Vec<usize>,
    pub values: Values,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    F4(Vec<f32>),
    F8(Vec<f64>),
    U4(Vec<u32>),
    I4(Vec<i32>),
}

#[derive(Debug)]
struct Stored {
    name: String,
    method: u16,
    crc: u32,
    /// As it lies in the file, and as it is meant.
    stored_bytes: u64,
    bytes: u64,
    offset: u64,
}

impl NpzReader {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, NpzError> {
        let path = path.as_ref().to_owned();
        let opened = crate::disk::open_regular(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (len, file) = match opened {
            Ok(opened) => opened,
            Err(source) => return Err(NpzError::Read { path, source }),
        };
        let mut reader = Self { path, file: RefCell::new(file), len, members: Vec::new() };
        reader.members = reader.read_directory()?;
        Ok(reader)
    }

    /// In the order of the file.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    pub fn array(&self, name: &str) -> Result<NpzArray, NpzError> {
        let Some(member) = self.members.iter().find(|member| member.name == name) else {
            let have = self.names().collect::<Vec<_>>().join(", ");
            return Err(NpzError::Missing { path: self.path.clone(), name: name.to_owned(), have });
        };
        let damaged = |what: String| self.damaged(format!("array {name:?}: {what}"));
        let bytes = self.member_bytes(member)?;
        let (shape, dtype, head_bytes) = parse_head(&bytes).map_err(damaged)?;
        let numbers = &bytes[head_bytes..];
        let expected = number_count(&shape).and_then(|count| count.checked_mul(dtype.bytes()));
        if expected != Some(numbers.len() as u64) {
            return Err(damaged(format!("{} bytes of numbers do not fit shape {shape:?}", numbers.len())));
        }
        Ok(NpzArray { shape, values: values(numbers, dtype) })
    }

    /// A member's data, checked against its CRC.
    fn member_bytes(&self, member: &Stored) -> Result<Vec<u8>, NpzError> {
        const STORED: u16 = 0;
        const DEFLATED: u16 = 8;
        if ![STORED, DEFLATED].contains(&member.method) {
            let what = format!(
                "array {:?} is packed by method {}; stored or deflated ones are read",
                member.name, member.method
            );
            return Err(self.damaged(what));
        }
        let header = self.read_at(member.offset, 30)?;
        if u32_at(&header, 0) != zip::LOCAL {
            return Err(self.damaged(format!("no header of {:?} at byte {}", member.name, member.offset)));
        }
        let after = member.offset + 30 + u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        let mut bytes = self.read_at(after, member.stored_bytes)?;
        if member.method == DEFLATED {
            bytes = inflate::plain(&bytes, member.bytes)
                .map_err(|what| self.damaged(format!("array {:?}: {what}", member.name)))?;
        }
        if crc32fast::hash(&bytes) != member.crc {
            return Err(self.damaged(format!("array {:?} does not match its checksum", member.name)));
        }
        Ok(bytes)
    }

    fn read_directory(&self) -> Result<Vec<Stored>, NpzError> {
        let (count, offset, bytes) = self.find_directory()?;
        let directory = self.read_at(offset, bytes)?;
        let mut rest = &directory[..];
        let mut members = Vec::new();
        for _ in 0..count {
            let (member, after) =
                parse_entry(rest).ok_or_else(|| self.damaged("its directory is cut short or garbled".to_owned()))?;
            members.push(member);
            rest = after;
        }
        Ok(members)
    }

    /// Count of members, offset and size of the central directory.
    fn find_directory(&self) -> Result<(u64, u64, u64), NpzError> {
        /// The end record, the locator before it, and the ZIP64 record before that. An archive comment would come after;
        /// NPZ files have none.
        const END_BYTES: u64 = 22;
        const LOCATOR_BYTES: u64 = 20;
        const END64_BYTES: u64 = 56;
        let no_end = || self.damaged("it does not end as a ZIP archive does".to_owned());
        let end = self.read_at(self.len.checked_sub(END_BYTES).ok_or_else(no_end)?, END_BYTES)?;
        if u32_at(&end, 0) != zip::END {
            return Err(no_end());
        }
        if u32_at(&end, 16) != zip::IN_EXTRA && u16_at(&end, 10) != u16::MAX {
            return Ok((u64::from(u16_at(&end, 10)), u64::from(u32_at(&end, 16)), u64::from(u32_at(&end, 12))));
        }
        let locator_at = self.len.checked_sub(END_BYTES + LOCATOR_BYTES).ok_or_else(no_end)?;
        let locator = self.read_at(locator_at, LOCATOR_BYTES)?;
        let end64 = self.read_at(u64_at(&locator, 8), END64_BYTES)?;
        if u32_at(&locator, 0) != zip::END64_LOCATOR || u32_at(&end64, 0) != zip::END64 {
            return Err(no_end());
        }
        Ok((u64_at(&end64, 32), u64_at(&end64, 48), u64_at(&end64, 40)))
    }

    /// Bytes of the file; asking beyond its end is an error before any memory is asked for.
    fn read_at(&self, offset: u64, count: u64) -> Result<Vec<u8>, NpzError> {
        if offset.checked_add(count).is_none_or(|end| end > self.len) {
            return Err(self.damaged(format!("it ends before byte {}", offset.saturating_add(count))));
        }
        let read = || -> io::Result<Vec<u8>> {
            let mut file = self.file.borrow_mut();
            let mut bytes = vec![0; count as usize];
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|source| NpzError::Read { path: self.path.clone(), source })
    }

    fn damaged(&self, what: String) -> NpzError {
        NpzError::Damaged { path: self.path.clone(), what }
    }
}

/// One entry of the central directory, and what follows it.
fn parse_entry(bytes: &[u8]) -> Option<(Stored, &[u8])> {
    let (fixed, rest) = bytes.split_at_checked(46)?;
    if u32_at(fixed, 0) != zip::CENTRAL {
        return None;
    }
    let (name, rest) = rest.split_at_checked(usize::from(u16_at(fixed, 28)))?;
    let (mut extra, rest) = rest.split_at_checked(usize::from(u16_at(fixed, 30)))?;
    let (_, rest) = rest.split_at_checked(usize::from(u16_at(fixed, 32)))?;
    let mut wide = &[][..];
    while let Some((field, after)) = extra.split_at_checked(4) {
        let (data, after) = after.split_at_checked(usize::from(u16_at(field, 2)))?;
        if u16_at(field, 0) == zip::ZIP64_EXTRA {
            wide = data;
        }
        extra = after;
    }
    // The extra field holds, in this order, those of size, stored size and offset that did not fit.
    let mut number = |at: usize| {
        if u32_at(fixed, at) != zip::IN_EXTRA {
            return Some(u64::from(u32_at(fixed, at)));
        }
        let (taken, left) = wide.split_at_checked(8)?;
        wide = left;
        Some(u64_at(taken, 0))
    };
    let (bytes, stored_bytes, offset) = (number(24)?, number(20)?, number(42)?);
    let name = std::str::from_utf8(name).ok()?;
    let name = name.strip_suffix(".npy").unwrap_or(name).to_owned();
    let method = u16_at(fixed, 10);
    (method != 0 || bytes == stored_bytes)
        .then_some((Stored { name, method, crc: u32_at(fixed, 16), stored_bytes, bytes, offset }, rest))
}

fn values(bytes: &[u8], dtype: Dtype) -> Values {
    let four = || bytes.as_chunks::<4>().0.iter().copied();
    match dtype {
        Dtype::F4 => Values::F4(four().map(f32::from_le_bytes).collect()),
        Dtype::F8 => Values::F8(bytes.as_chunks::<8>().0.iter().copied().map(f64::from_le_bytes).collect()),
        Dtype::U4 => Values::U4(four().map(u32::from_le_bytes).collect()),
        Dtype::I4 => Values::I4(four().map(i32::from_le_bytes).collect()),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
