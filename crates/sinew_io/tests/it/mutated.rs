//! Files of our own writers, mutated: an error or a mesh, never a panic, never more memory than the file is worth.

use crate::formats::{Format, formats};
use crate::watching::LARGEST;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The same numbers each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// One to four changes: bits, bytes, numbers made huge, pieces removed, doubled or cut off. Half of them early in the file,
/// where formats keep their counts.
fn mutate(whole: &[u8], dice: &mut Dice) -> Vec<u8> {
    const NASTY: [&[u8]; 8] =
        [b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"99999999999999999999", b"-1", b"1e999", b"nan", b"\"", b"[[[["];
    let mut bytes = whole.to_vec();
    for _ in 0..=dice.below(4) {
        if bytes.is_empty() {
            break;
        }
        let reach = if dice.below(2) == 0 { bytes.len().min(4096) } else { bytes.len() };
        let place = dice.below(reach);
        match dice.below(6) {
            0 => bytes[place] ^= 1 << dice.below(8),
            1 => bytes[place] = dice.below(256) as u8,
            2 => {
                let nasty = NASTY[dice.below(NASTY.len())];
                let end = (place + nasty.len()).min(bytes.len());
                bytes.splice(place..end, nasty.iter().copied());
            }
            3 => drop(bytes.drain(place..(place + dice.below(64)).min(reach))),
            4 => {
                let piece = bytes[place..(place + dice.below(64)).min(reach)].to_vec();
                bytes.splice(place..place, piece);
            }
            _ => bytes.truncate(place),
        }
    }
    bytes
}

/// Mutated files that a reader took: changing them further leads to places that one mutation does not reach. They are kept in
/// `SINEW_FUZZ_CORPUS`, where that is set, so that runs build on each other.
struct Corpus {
    files: Vec<Vec<u8>>,
    folder: Option<PathBuf>,
}

impl Corpus {
    const MOST: usize = 256;
    /// What grows beyond this is slow, not interesting.
    const LARGEST_BYTES: usize = 64 << 10;

    fn of(name: &str, whole: &[u8]) -> Self {
        let folder = std::env::var_os("SINEW_FUZZ_CORPUS").map(|all| PathBuf::from(all).join(name.replace(' ', "-")));
        let mut files = vec![whole.to_vec()];
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder).unwrap();
            let entries = std::fs::read_dir(folder).unwrap().flatten().take(Self::MOST);
            files.extend(entries.filter_map(|entry| std::fs::read(entry.path()).ok()));
        }
        Self { files, folder }
    }

    fn pick(&self, dice: &mut Dice) -> &[u8] {
        // As it was written, every other time.
        if dice.below(2) == 0 { &self.files[0] } else { &self.files[dice.below(self.files.len())] }
    }

    fn keep(&mut self, file: Vec<u8>, dice: &mut Dice) {
        if file.len() > Self::LARGEST_BYTES || dice.below(16) > 0 {
            return;
        }
        if self.files.len() < Self::MOST {
            self.files.push(file);
        } else {
            let place = 1 + dice.below(Self::MOST - 1);
            self.files[place] = file;
        }
    }

    fn store(&self) {
        let Some(folder) = &self.folder else { return };
        for (number, file) in self.files.iter().enumerate().skip(1) {
            std::fs::write(folder.join(number.to_string()), file).unwrap();
        }
    }
}

/// How many mutated files of one format are read: so many here, a share of `SINEW_FUZZ_INPUTS` in a long run.
fn inputs_of_a_format(formats: usize) -> u64 {
    const IN_THE_SUITE: u64 = 2000;
    let all = std::env::var("SINEW_FUZZ_INPUTS").ok().and_then(|text| text.parse::<u64>().ok());
    all.map_or(IN_THE_SUITE, |all| all.div_ceil(formats as u64))
}

#[test]
fn mutated_files_are_errors_or_meshes() {
    let formats = formats();
    // Another seed in every run that counts on, so that a run is never the last one again.
    let seed = std::env::var("SINEW_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let inputs = inputs_of_a_format(formats.len());
    let mut total = 0;
    for format in &formats {
        let Format { name, file: whole, read } = format;
        assert!(read(whole), "{name} as it was written");
        // Each format draws its own numbers, so that a new format changes no other's files.
        let mut dice =
            Dice(name.bytes().fold(seed, |mixed, byte| mixed.wrapping_mul(31).wrapping_add(u64::from(byte))));
        let mut corpus = Corpus::of(name, whole);
        let (mut good, mut refused) = (0u64, 0u64);
        let begun = Instant::now();
        while good + refused < inputs {
            let mutated = mutate(corpus.pick(&mut dice), &mut dice);
            LARGEST.store(0, Ordering::Relaxed);
            let is_read = read(&mutated);
            let largest = LARGEST.load(Ordering::Relaxed);
            assert!(
                largest < format.worth(mutated.len()),
                "{name}: {largest} bytes at once for a file of {}",
                mutated.len()
            );
            if is_read {
                good += 1;
                corpus.keep(mutated, &mut dice);
            } else {
                refused += 1;
            }
        }
        corpus.store();
        total += good + refused;
        println!("{name}: {good} read, {refused} refused, {} kept, {:.1?}", corpus.files.len(), begun.elapsed());
        assert!(refused > 0, "{name}: nothing was ever wrong with it");
    }
    println!("inputs: {total}");
}
