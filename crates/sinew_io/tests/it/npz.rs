//! A take-like archive, written in pieces, is what our own reader and numpy read; damage is noticed.

use sinew_io::npz::{Dtype, NpzError, NpzReader, NpzWriter, Values};
use std::path::Path;
use std::process::Command;

const FRAMES: usize = 5;
const POINTS: usize = 700;

fn skin(frame: usize) -> Vec<f32> {
    (0..POINTS * 3).map(|i| (frame * 10_000 + i) as f32 * 0.25).collect()
}

fn write(path: &Path) {
    let mut npz = NpzWriter::create(path).unwrap();
    npz.array("jelly/skin", &[FRAMES, POINTS, 3], Dtype::F4, |out| (0..FRAMES).try_for_each(|f| out.f4(&skin(f))))
        .unwrap();
    npz.u4("jelly/faces", &[2, 3], &[0, 1, 2, 2, 1, u32::MAX]).unwrap();
    npz.f8("times", &[FRAMES], &[0.0, 0.5, 1.0, 1.5, f64::MIN_POSITIVE]).unwrap();
    npz.i4("frames", &[FRAMES], &[-1, 0, 1, 2, i32::MIN]).unwrap();
    npz.f8("worm/mass", &[0], &[]).unwrap();
    npz.finish().unwrap();
}

#[test]
fn arrays_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.npz");
    write(&path);
    let npz = NpzReader::open(&path).unwrap();
    assert_eq!(npz.names().collect::<Vec<_>>(), ["jelly/skin", "jelly/faces", "times", "frames", "worm/mass"]);
    let array = npz.array("jelly/skin").unwrap();
    assert_eq!(array.shape, [FRAMES, POINTS, 3]);
    assert_eq!(array.values, Values::F4((0..FRAMES).flat_map(skin).collect()));
    assert_eq!(npz.array("jelly/faces").unwrap().values, Values::U4(vec![0, 1, 2, 2, 1, u32::MAX]));
    assert_eq!(npz.array("frames").unwrap().values, Values::I4(vec![-1, 0, 1, 2, i32::MIN]));
    assert_eq!(npz.array("worm/mass").unwrap().shape, [0]);
    let missing = npz.array("jelly/flesh").unwrap_err();
    assert!(missing.to_string().contains("it has jelly/skin, jelly/faces"), "{missing}");
}

#[test]
fn the_same_arrays_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.npz"), folder.path().join("b.npz"));
    write(&a);
    write(&b);
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
}

#[test]
fn numpy_reads_the_same() {
    let Some(python) = crate::beside::python("numpy") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.npz");
    write(&path);
    let script = format!(
        "import sys, numpy as np, zipfile\n\
         z = np.load(sys.argv[1])\n\
         assert zipfile.ZipFile(sys.argv[1]).testzip() is None\n\
         assert z.files == ['jelly/skin', 'jelly/faces', 'times', 'frames', 'worm/mass'], z.files\n\
         s = z['jelly/skin']\n\
         assert s.dtype == np.float32 and s.shape == ({FRAMES}, {POINTS}, 3)\n\
         assert (s.reshape({FRAMES}, -1) == (np.arange({FRAMES})[:, None] * 10000 + np.arange({POINTS} * 3)) * 0.25).all()\n\
         assert z['jelly/faces'].dtype == np.uint32 and z['jelly/faces'].tolist() == [[0, 1, 2], [2, 1, 2**32 - 1]]\n\
         assert z['times'].dtype == np.float64 and z['times'][4] == np.finfo(float).tiny\n\
         assert z['frames'].dtype == np.int32 and z['frames'].tolist() == [-1, 0, 1, 2, -2**31]\n\
         assert z['worm/mass'].shape == (0,)\n"
    );
    let status = Command::new(python).arg("-c").arg(script).arg(&path).status().unwrap();
    assert!(status.success(), "numpy does not agree: {status}");
}

#[test]
fn a_damaged_archive_gives_an_error_or_the_truth() {
    // In memory where there is such a folder: replacing a file thousands of times makes a disk sweat.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let path = folder.path().join("a.npz");
    let mut npz = NpzWriter::create(&path).unwrap();
    npz.f8("times", &[2], &[0.5, 1.5]).unwrap();
    npz.u4("tets", &[1, 4], &[0, 1, 2, 3]).unwrap();
    npz.finish().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let ask = |bytes: &[u8]| -> Result<_, NpzError> {
        std::fs::write(&path, bytes).unwrap();
        let npz = NpzReader::open(&path)?;
        Ok((npz.array("times")?, npz.array("tets")?))
    };
    let truth = ask(&whole).unwrap();
    let (mut errors, mut unnoticed) = (0, 0);
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut flipped = whole.clone();
            flipped[place] ^= 1 << bit;
            match ask(&flipped) {
                Ok(found) => {
                    assert_eq!(found, truth, "byte {place}");
                    unnoticed += 1;
                }
                Err(_) => errors += 1,
            }
        }
        assert!(ask(&whole[..place]).is_err(), "cut to {place} bytes");
    }
    // Dates, versions and the like may change without harm; data and directory may not.
    assert!(errors > unnoticed, "{errors} {unnoticed}");
}
