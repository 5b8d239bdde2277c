//! The parts of a ZIP archive of stored members.

/// Marks a field whose value stands in the ZIP64 extra field.
pub(super) const IN_EXTRA: u32 = u32::MAX;
pub(super) const LOCAL: u32 = 0x0403_4b50;
pub(super) const CENTRAL: u32 = 0x0201_4b50;
pub(super) const END: u32 = 0x0605_4b50;
pub(super) const END64: u32 = 0x0606_4b50;
pub(super) const END64_LOCATOR: u32 = 0x0706_4b50;
pub(super) const ZIP64_EXTRA: u16 = 1;
/// Where the CRC stands in a local header.
pub(super) const LOCAL_CRC_AT: u64 = 14;

const VERSION: u16 = 20;
const VERSION64: u16 = 45;
/// 1980-01-01: the archive depends on its arrays alone.
const DATE: u16 = (1 << 5) | 1;
const UTF8_NAME: u16 = 1 << 11;

#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    pub bytes: u64,
    pub crc: u32,
    /// Where its local header begins.
    pub offset: u64,
    /// Whether its sizes stand in the ZIP64 extra field.
    pub large: bool,
}

#[derive(Default)]
struct Fields(Vec<u8>);

impl Fields {
    fn u16(&mut self, value: u16) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }
}

/// The header before a member's data, with its CRC still to come.
pub(super) fn local_header(member: &Member) -> Vec<u8> {
    let mut out = Fields::default();
    out.u32(LOCAL);
    shared(&mut out, member, member.large);
    out.u16(if member.large { 20 } else { 0 });
    out.0.extend_from_slice(member.name.as_bytes());
    if member.large {
        out.u16(ZIP64_EXTRA).u16(16).u64(member.bytes).u64(member.bytes);
    }
    out.0
}

/// What local header and central directory both say, up to the length of the name.
fn shared(out: &mut Fields, member: &Member, zip64: bool) {
    let size = if member.large { IN_EXTRA } else { member.bytes as u32 };
    let flags = if member.name.is_ascii() { 0 } else { UTF8_NAME };
    out.u16(if zip64 { VERSION64 } else { VERSION }).u16(flags).u16(0).u16(0).u16(DATE);
    out.u32(member.crc).u32(size).u32(size).u16(member.name.len() as u16);
}

/// A member's entry in the central directory. Offsets from `zip64_from` on go into the extra field.
pub(super) fn central_entry(member: &Member, zip64_from: u64) -> Vec<u8> {
    let far = member.offset >= zip64_from;
    let extra = if member.large { 16 } else { 0 } + if far { 8 } else { 0 };
    let zip64 = extra > 0;
    let mut out = Fields::default();
    out.u32(CENTRAL).u16(if zip64 { VERSION64 } else { VERSION });
    shared(&mut out, member, zip64);
    out.u16(if zip64 { extra + 4 } else { 0 }).u16(0).u16(0).u16(0).u32(0);
    out.u32(if far { IN_EXTRA } else { member.offset as u32 });
    out.0.extend_from_slice(member.name.as_bytes());
    if zip64 {
        out.u16(ZIP64_EXTRA).u16(extra);
    }
    if member.large {
        out.u64(member.bytes).u64(member.bytes);
    }
    if far {
        out.u64(member.offset);
    }
    out.0
}

/// What closes the archive.
pub(super) fn end(count: u64, directory_offset: u64, directory_bytes: u64, zip64_from: u64) -> Vec<u8> {
    let mut out = Fields::default();
    let large = count >= u64::from(u16::MAX) || directory_offset.max(directory_bytes) >= zip64_from;
    if large {
        out.u32(END64).u64(44).u16(VERSION64).u16(VERSION64).u32(0).u32(0);
        out.u64(count).u64(count).u64(directory_bytes).u64(directory_offset);
        out.u32(END64_LOCATOR).u32(0).u64(directory_offset + directory_bytes).u32(1);
    }
    let short = if large { u16::MAX } else { count as u16 };
    out.u32(END).u16(0).u16(0).u16(short).u16(short);
    out.u32(if large { IN_EXTRA } else { directory_bytes as u32 });
    out.u32(if large { IN_EXTRA } else { directory_offset as u32 });
    out.u16(0);
    out.0
}
