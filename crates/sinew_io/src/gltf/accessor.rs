//! Numbers of a glTF buffer.

use super::Document;
use crate::FormatError;
use serde_json::Value;

/// Where numbers of one accessor, or of its sparse part, lie.
struct View<'a> {
    bytes: &'a [u8],
    /// From one element to the next.
    stride: usize,
    component: Component,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: &Value) -> Option<Self> {
        Some(match code.as_u64()? {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

impl Document {
    /// Vectors of N numbers, all finite; whole numbers are scaled to 0..1 where the accessor says so.
    pub(crate) fn vectors<const N: usize>(&self, index: &Value) -> Result<Vec<[f32; N]>, FormatError> {
        let accessor = self.entry("accessors", index)?;
        let kind = match N {
            1 => "SCALAR".to_owned(),
            16 => "MAT4".to_owned(),
            _ => format!("VEC{N}"),
        };
        if accessor["type"].as_str() != Some(&kind) {
            return Err(self.wrong(format!("accessor {index} is {}, where {kind} is needed", accessor["type"])));
        }
        let normalized = accessor["normalized"].as_bool() == Some(true);
        let count = self.element_count(accessor, index)?;
        let mut values = if accessor["bufferView"].is_null() {
            vec![[0.0; N]; count]
        } else {
            let view = self.view(accessor, index, &accessor["bufferView"], accessor, N, count)?;
            (0..count).map(|i| view.element(i, normalized)).collect()
        };
        let sparse = &accessor["sparse"];
        if sparse.is_object() {
            let changed = self.element_count(sparse, index)?;
            let places =
                self.view(accessor, index, &sparse["indices"]["bufferView"], &sparse["indices"], 1, changed)?;
            let view = self.view(accessor, index, &sparse["values"]["bufferView"], &sparse["values"], N, changed)?;
            for i in 0..changed {
                let place = places.whole(i) as usize;
                let value = values.get_mut(place);
                *value.ok_or_else(|| self.wrong(format!("accessor {index}: sparse element {place} of {count}")))? =
                    view.element(i, normalized);
            }
        }
        match values.iter().position(|value| !value.iter().all(|number| number.is_finite())) {
            Some(wild) => Err(self.wrong(format!("accessor {index}: element {wild} is not finite"))),
            None => Ok(values),
        }
    }

    /// Red, green and blue, with opacity or without.
    pub(crate) fn colours(&self, index: &Value) -> Result<Vec<[f32; 3]>, FormatError> {
        if self.entry("accessors", index)?["type"].as_str() == Some("VEC4") {
            return Ok(self.vectors::<4>(index)?.into_iter().map(|[r, g, b, _]| [r, g, b]).collect());
        }
        self.vectors::<3>(index)
    }

    pub(crate) fn indices(&self, index: &Value) -> Result<Vec<u32>, FormatError> {
        let accessor = self.entry("accessors", index)?;
        let count = self.element_count(accessor, index)?;
        let view = self.view(accessor, index, &accessor["bufferView"], accessor, 1, count)?;
        Ok((0..count).map(|i| view.whole(i)).collect())
    }

    /// A count that the file is large enough for, even where no bytes of it are used.
    fn element_count(&self, of: &Value, index: &Value) -> Result<usize, FormatError> {
        let count = of["count"].as_u64().unwrap_or(u64::MAX);
        if count > self.byte_count as u64 {
            return Err(self
                .wrong(format!("accessor {index}: {} elements in a file of {} bytes", of["count"], self.byte_count)));
        }
        Ok(count as usize)
    }

    fn view<'a>(
        &'a self,
        accessor: &Value,
        index: &Value,
        view: &Value,
        offsets: &Value,
        width: usize,
        count: usize,
    ) -> Result<View<'a>, FormatError> {
        let component = Component::of(offsets.get("componentType").unwrap_or(&accessor["componentType"]));
        let component = component.ok_or_else(|| self.wrong(format!("accessor {index}: unknown componentType")))?;
        let view = self.entry("bufferViews", view)?;
        let buffer = view["buffer"].as_u64().and_then(|buffer| self.buffer(buffer));
        let number = |of: &Value, key: &str| of[key].as_u64().unwrap_or_default() as usize;
        let (from, length) = (number(view, "byteOffset"), number(view, "byteLength"));
        let bytes = buffer.and_then(|buffer| buffer.get(from..from.checked_add(length)?));
        let bytes = bytes.and_then(|bytes| bytes.get(number(offsets, "byteOffset")..));
        let element = component.bytes() * width;
        let stride = Some(number(view, "byteStride")).filter(|stride| *stride > 0).unwrap_or(element);
        let needed =
            if count == 0 { Some(0) } else { stride.checked_mul(count - 1).and_then(|n| n.checked_add(element)) };
        match bytes.filter(|bytes| needed.is_some_and(|needed| needed <= bytes.len())) {
            Some(bytes) => Ok(View { bytes, stride, component }),
            None => Err(self.wrong(format!("accessor {index}: its {count} elements reach beyond its buffer"))),
        }
    }
}

impl View<'_> {
    fn element<const N: usize>(&self, i: usize, normalized: bool) -> [f32; N] {
        let at = i * self.stride;
        std::array::from_fn(|j| self.number(at + j * self.component.bytes(), normalized))
    }

    fn number(&self, at: usize, normalized: bool) -> f32 {
        let b = &self.bytes[at..];
        let (value, full) = match self.component {
            Component::I8 => (f32::from(b[0] as i8), 127.0),
            Component::U8 => (f32::from(b[0]), 255.0),
            Component::I16 => (f32::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            Component::U16 => (f32::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
            Component::U32 => (u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f32, u32::MAX as f32),
            Component::F32 => return f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        };
        if normalized { (value / full).max(-1.0) } else { value }
    }

    fn whole(&self, i: usize) -> u32 {
        let b = &self.bytes[i * self.stride..];
        match self.component {
            Component::I8 | Component::U8 => u32::from(b[0]),
            Component::I16 | Component::U16 => u32::from(u16::from_le_bytes([b[0], b[1]])),
            Component::U32 | Component::F32 => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        }
    }
}
