//! Writing arrays one after the other, each in as many pieces as its source gives.

use super::NpzError;
use super::npy::{Dtype, head, number_count};
use super::zip::{self, Member};
use crate::AtomicFile;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Makes an NPZ file. It appears under its name with [`finish`](Self::finish), and not at all without.
pub struct NpzWriter {
    path: PathBuf,
    out: BufWriter<AtomicFile>,
    /// Those that are whole.
    members: Vec<Member>,
    /// Set while an array is being filled, and for good if that failed.
    open: Option<String>,
    /// Where the next byte goes.
    offset: u64,
    /// Sizes and offsets from which ZIP64 is used; tests lower it.
    zip64_from: u64,
}

/// Takes the numbers of one array, in C order.
pub struct ArrayWriter<'a> {
    npz: &'a mut NpzWriter,
    name: &'a str,
    dtype: Dtype,
    crc: crc32fast::Hasher,
    given: u64,
}

impl NpzWriter {
    pub fn create(path: impl AsRef<Path>) -> Result<Self, NpzError> {
        let path = path.as_ref().to_owned();
        match AtomicFile::create(&path) {
            Ok(file) => {
                let out = BufWriter::with_capacity(1 << 18, file);
                let zip64_from = u64::from(zip::IN_EXTRA);
                Ok(Self { path, out, members: Vec::new(), open: None, offset: 0, zip64_from })
            }
            Err(source) => Err(NpzError::Write { path, source }),
        }
    }

    /// Adds an array. `fill` gives its numbers in as many calls as it likes; their sum must fit the shape.
    pub fn array<E: From<NpzError>>(
        &mut self,
        name: &str,
        shape: &[usize],
        dtype: Dtype,
        fill: impl FnOnce(&mut ArrayWriter<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let npy_head = head(shape, dtype);
        let (mut member, expected) = self.begin(name, shape, dtype, npy_head.len() as u64)?;
        let mut array = ArrayWriter { npz: self, name, dtype, crc: crc32fast::Hasher::new(), given: 0 };
        array.bytes(&npy_head)?;
        fill(&mut array)?;
        let given = array.given;
        member.crc = array.crc.finalize();
        if given != expected {
            return Err(NpzError::Count { name: name.to_owned(), shape: shape.to_vec(), expected, given }.into());
        }
        self.end(member)?;
        Ok(())
    }

    /// An array whose numbers are at hand.
    pub fn f4(&mut self, name: &str, shape: &[usize], values: &[f32]) -> Result<(), NpzError> {
        self.array(name, shape, Dtype::F4, |out| out.f4(values))
    }

    pub fn f8(&mut self, name: &str, shape: &[usize], values: &[f64]) -> Result<(), NpzError> {
        self.array(name, shape, Dtype::F8, |out| out.f8(values))
    }

    pub fn u4(&mut self, name: &str, shape: &[usize], values: &[u32]) -> Result<(), NpzError> {
        self.array(name, shape, Dtype::U4, |out| out.u4(values))
    }

    pub fn i4(&mut self, name: &str, shape: &[usize], values: &[i32]) -> Result<(), NpzError> {
        self.array(name, shape, Dtype::I4, |out| out.i4(values))
    }

    /// Closes the archive and gives the file its name.
    pub fn finish(mut self) -> Result<(), NpzError> {
        self.check_closed()?;
        let directory_offset = self.offset;
        for member in std::mem::take(&mut self.members) {
            self.put(&zip::central_entry(&member, self.zip64_from))?;
            self.members.push(member);
        }
        let directory_bytes = self.offset - directory_offset;
        self.put(&zip::end(self.members.len() as u64, directory_offset, directory_bytes, self.zip64_from))?;
        let Self { path, out, .. } = self;
        let written = out.into_inner().map_err(io::IntoInnerError::into_error).and_then(AtomicFile::commit);
        written.map_err(|source| NpzError::Write { path, source })
    }

    /// Writes a member's header; gives it and how many numbers it needs.
    fn begin(&mut self, name: &str, shape: &[usize], dtype: Dtype, head_bytes: u64) -> Result<(Member, u64), NpzError> {
        self.check_closed()?;
        if name.is_empty() || name.len() > 60_000 || name.contains(char::is_control) {
            return Err(NpzError::Name { name: name.to_owned() });
        }
        let file_name = format!("{name}.npy");
        if self.members.iter().any(|member| member.name == file_name) {
            return Err(NpzError::Twice { name: name.to_owned() });
        }
        let expected = number_count(shape);
        let bytes = expected.and_then(|count| count.checked_mul(dtype.bytes())?.checked_add(head_bytes));
        let (Some(expected), Some(bytes)) = (expected, bytes.filter(|bytes| *bytes < 1 << 62)) else {
            return Err(NpzError::TooLarge { name: name.to_owned(), shape: shape.to_vec() });
        };
        let large = bytes >= self.zip64_from;
        let member = Member { name: file_name, bytes, crc: 0, offset: self.offset, large };
        self.open = Some(name.to_owned());
        self.put(&zip::local_header(&member))?;
        Ok((member, expected))
    }

    /// Goes back to fill in the checksum, which is known only now.
    fn end(&mut self, member: Member) -> Result<(), NpzError> {
        let place = SeekFrom::Start(member.offset + zip::LOCAL_CRC_AT);
        let patched = self.out.seek(place).and_then(|_| self.out.write_all(&member.crc.to_le_bytes()));
        let back = patched.and_then(|()| self.out.seek(SeekFrom::Start(self.offset)));
        back.map_err(|source| NpzError::Write { path: self.path.clone(), source })?;
        self.members.push(member);
        self.open = None;
        Ok(())
    }

    fn check_closed(&self) -> Result<(), NpzError> {
        self.open.clone().map_or(Ok(()), |name| Err(NpzError::Unfinished { name }))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), NpzError> {
        self.out.write_all(bytes).map_err(|source| NpzError::Write { path: self.path.clone(), source })?;
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

impl ArrayWriter<'_> {
    pub fn f4(&mut self, values: &[f32]) -> Result<(), NpzError> {
        self.numbers(Dtype::F4, values, f32::to_le_bytes)
    }

    pub fn f8(&mut self, values: &[f64]) -> Result<(), NpzError> {
        self.numbers(Dtype::F8, values, f64::to_le_bytes)
    }

    pub fn u4(&mut self, values: &[u32]) -> Result<(), NpzError> {
        self.numbers(Dtype::U4, values, u32::to_le_bytes)
    }

    pub fn i4(&mut self, values: &[i32]) -> Result<(), NpzError> {
        self.numbers(Dtype::I4, values, i32::to_le_bytes)
    }

    fn numbers<T: Copy, const N: usize>(
        &mut self,
        given: Dtype,
        values: &[T],
        to_bytes: fn(T) -> [u8; N],
    ) -> Result<(), NpzError> {
        const BLOCK: usize = 1024;
        if given != self.dtype {
            return Err(NpzError::Type { name: self.name.to_owned(), expected: self.dtype, given });
        }
        for block in values.chunks(BLOCK) {
            let mut bytes = [[0; N]; BLOCK];
            for (bytes, value) in bytes.iter_mut().zip(block) {
                *bytes = to_bytes(*value);
            }
            self.bytes(bytes[..block.len()].as_flattened())?;
        }
        self.given += values.len() as u64;
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), NpzError> {
        self.crc.update(bytes);
        self.npz.put(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npz::{NpzReader, Values};

    /// Small archives with ZIP64 in all places, in some, in none.
    #[test]
    fn zip64_is_read_back_wherever_it_begins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        for zip64_from in [0, 150, 200, 300, 500, 1000, u64::from(zip::IN_EXTRA)] {
            let mut npz = NpzWriter::create(&path).unwrap();
            npz.zip64_from = zip64_from;
            npz.f8("small", &[2], &[1.0, -0.0]).unwrap();
            npz.u4("körper/tets", &[10, 4], &[7; 40]).unwrap();
            npz.i4("frames", &[3], &[-1, 0, 1]).unwrap();
            npz.finish().unwrap();
            let reader = NpzReader::open(&path).unwrap();
            assert_eq!(reader.names().collect::<Vec<_>>(), ["small", "körper/tets", "frames"]);
            assert_eq!(reader.array("frames").unwrap().values, Values::I4(vec![-1, 0, 1]));
            assert_eq!(reader.array("körper/tets").unwrap().shape, [10, 4]);
            check_with_numpy(
                &path,
                "len(z.files) == 3 and z['frames'].tolist() == [-1, 0, 1] and z['small'].sum() == 1",
            );
        }
    }

    /// Asks the Python that `SINEW_PYTHON` names about the archive `z`; without one it passes, unless `SINEW_STRICT` is set.
    fn check_with_numpy(path: &Path, expression: &str) {
        let Some(python) = std::env::var_os("SINEW_PYTHON") else {
            assert!(std::env::var_os("SINEW_STRICT").is_none(), "SINEW_PYTHON is not set");
            println!("skipped: set SINEW_PYTHON to a Python with numpy to check with it");
            return;
        };
        let script = format!("import sys, numpy; z = numpy.load(sys.argv[1]); sys.exit(0 if {expression} else 3)");
        let status = std::process::Command::new(python).arg("-c").arg(script).arg(path).status().unwrap();
        assert!(status.success(), "numpy does not agree: {status}");
    }

    #[test]
    #[ignore = "writes 4.4 GB"]
    fn an_array_beyond_4_gib_and_one_behind_it_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.npz");
        let mut npz = NpzWriter::create(&path).unwrap();
        let block = vec![0.5f32; 1 << 20];
        let fill = |out: &mut ArrayWriter<'_>| (0..1100).try_for_each(|_| out.f4(&block));
        npz.array("large", &[1100, 1 << 20], Dtype::F4, fill).unwrap();
        npz.i4("behind", &[2], &[1, 2]).unwrap();
        npz.finish().unwrap();
        let reader = NpzReader::open(&path).unwrap();
        assert_eq!(reader.array("behind").unwrap().values, Values::I4(vec![1, 2]));
        let agrees =
            "z['behind'].tolist() == [1, 2] and z['large'].shape == (1100, 1 << 20) and z['large'][-1, -1] == 0.5";
        check_with_numpy(&path, agrees);
    }

    #[test]
    fn an_array_that_failed_keeps_the_file_from_appearing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let mut npz = NpzWriter::create(&path).unwrap();
        let short = npz.f4("x", &[2, 3], &[0.0; 5]).unwrap_err();
        assert_eq!(short.to_string(), "array \"x\" of shape [2, 3] needs 6 numbers, 5 were given");
        assert!(matches!(npz.f4("y", &[1], &[0.0]), Err(NpzError::Unfinished { .. })));
        assert!(matches!(npz.finish(), Err(NpzError::Unfinished { .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn wrong_types_names_and_sizes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut npz = NpzWriter::create(folder.path().join("a.npz")).unwrap();
        npz.f4("x", &[], &[1.0]).unwrap();
        assert!(matches!(npz.f4("x", &[], &[1.0]), Err(NpzError::Twice { .. })));
        assert!(matches!(npz.f4("", &[], &[1.0]), Err(NpzError::Name { .. })));
        assert!(matches!(npz.f4("y", &[usize::MAX, 2], &[]), Err(NpzError::TooLarge { .. })));
        let wrong = npz.array("y", &[1], Dtype::F8, |out| out.f4(&[1.0])).unwrap_err();
        assert_eq!(wrong.to_string(), "array \"y\" holds <f8, but was given <f4");
        assert!(matches!(NpzWriter::create("/no/such/folder/a.npz"), Err(NpzError::Write { .. })));
    }
}
