//! The types that numbers have in binary files, whatever a format calls them.

use crate::ByteError;
use crate::bytes::Bytes;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl NumberType {
    /// One number, in the byte order of `bytes`. Whole numbers beyond 2⁵³ are rounded.
    pub(crate) fn byte_count(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub(crate) fn read(self, bytes: &mut Bytes<'_>) -> Result<f64, ByteError> {
        let what = "a number";
        Ok(match self {
            Self::I8 => f64::from(i8::from_le_bytes(bytes.array(what)?)),
            Self::U8 => f64::from(u8::from_le_bytes(bytes.array(what)?)),
            Self::I16 => f64::from(i16::from_le_bytes(bytes.array(what)?)),
            Self::U16 => f64::from(u16::from_le_bytes(bytes.array(what)?)),
            Self::I32 => f64::from(i32::from_le_bytes(bytes.array(what)?)),
            Self::U32 => f64::from(u32::from_le_bytes(bytes.array(what)?)),
            Self::I64 => i64::from_le_bytes(bytes.array(what)?) as f64,
            Self::U64 => u64::from_le_bytes(bytes.array(what)?) as f64,
            Self::F32 => f64::from(f32::from_le_bytes(bytes.array(what)?)),
            Self::F64 => f64::from_le_bytes(bytes.array(what)?),
        })
    }
}
