//! The head of a `.npy` file: magic, version 1.0, and a Python dictionary padded to a multiple of 64 bytes.

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    F4,
    F8,
    U4,
    I4,
}

impl Dtype {
    pub(super) const ALL: [Self; 4] = [Self::F4, Self::F8, Self::U4, Self::I4];

    pub fn bytes(self) -> u64 {
        if self == Self::F8 { 8 } else { 4 }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::F4 => "<f4",
            Self::F8 => "<f8",
            Self::U4 => "<u4",
            Self::I4 => "<i4",
        }
    }
}

pub(super) fn head(shape: &[usize], dtype: Dtype) -> Vec<u8> {
    // A tuple of one needs its comma.
    let sizes: Vec<String> = shape.iter().map(|size| format!("{size},")).collect();
    let shape = sizes.join(" ");
    let dictionary = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", dtype.describe());
    let padded = (MAGIC.len() + 2 + dictionary.len() + 1).next_multiple_of(64) - MAGIC.len() - 2;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(padded as u16).to_le_bytes());
    bytes.extend_from_slice(format!("{dictionary:<width$}\n", width = padded - 1).as_bytes());
    bytes
}

/// Shape, type and length of a head that [`head`] could have written.
pub(super) fn parse_head(bytes: &[u8]) -> Result<(Vec<usize>, Dtype, usize), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("not a .npy of version 1.0")?;
    let (length, rest) = rest.split_first_chunk::<2>().ok_or("the head of a .npy is cut short")?;
    let length = usize::from(u16::from_le_bytes(*length));
    let dictionary = rest.get(..length).ok_or("the head of a .npy is cut short")?;
    let text = std::str::from_utf8(dictionary).map_err(|_| "the head of a .npy is not text")?;
    let dtype = Dtype::ALL.into_iter().find(|dtype| text.contains(&format!("'descr': '{}'", dtype.describe())));
    if !text.contains("'fortran_order': False") {
        return Err(format!("an array not in C order: {text}"));
    }
    let (_, after) = text.split_once("'shape': (").ok_or_else(|| format!("no shape in {text}"))?;
    let (sizes, _) = after.split_once(')').ok_or_else(|| format!("no shape in {text}"))?;
    let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = sizes.map(str::parse).collect::<Result<Vec<usize>, _>>().map_err(|_| format!("no shape in {text}"))?;
    let dtype = dtype.ok_or_else(|| format!("numbers of another type than f4, f8, u4, i4: {text}"))?;
    Ok((shape, dtype, MAGIC.len() + 2 + length))
}

/// How many numbers an array of this shape has.
pub(super) fn number_count(shape: &[usize]) -> Option<u64> {
    shape.iter().try_fold(1u64, |count, size| count.checked_mul(*size as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_padded_and_come_back() {
        for shape in [&[][..], &[7], &[2, 3], &[96, 20_000, 3], &[0, 4]] {
            for dtype in Dtype::ALL {
                let bytes = head(shape, dtype);
                assert!(bytes.len().is_multiple_of(64) && bytes.ends_with(b"\n"));
                assert_eq!(parse_head(&bytes).unwrap(), (shape.to_vec(), dtype, bytes.len()));
            }
        }
    }
}
