//! The command line, which is too small for a library.

pub struct Arguments {
    pub vertices: usize,
    pub steps: usize,
    pub threads: usize,
    pub iterations: usize,
    pub kind: Kind,
    pub step_secs: f64,
    /// Of the linear solve of `fem`; none: as the peer comes, with its own residual and most iterations.
    pub residual: Option<f64>,
    /// None: the benchmark bar of that many vertices.
    pub size_m: Option<[f64; 3]>,
    /// Cubes of 0.1 m, instead of a number of vertices.
    pub cells: Option<[usize; 3]>,
    pub young_pa: f64,
    /// Every step that is timed is the first one from rest, and this file gets the positions after it.
    pub first: Option<String>,
    /// So many bodies in a pile instead of one that hangs.
    pub pile: Option<usize>,
    /// Of a pile: steps of falling before the one that is timed, and the most iterations that are tried.
    pub before: usize,
    pub most: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Corotated,
    Volume,
    /// The linearised implicit step by conjugate gradients.
    Fem,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Corotated => "corotated",
            Self::Volume => "volume",
            Self::Fem => "FEM",
        }
    }
}

const USAGE: &str =
    "rapier_peer --vertices N [--steps S] [--threads T] [--iterations I] [--kind corotated|volume|FEM] [--size X,Y,Z] [--h SECS] \
     [--residual R] [--cells X,Y,Z] [--young PA] [--first FILE] [--pile BODIES] [--before STEPS] [--most N]";

impl Arguments {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments =
            Self {
                vertices: 0,
                steps: 100,
                threads: 1,
                iterations: 1,
                kind: Kind::Corotated,
                step_secs: 0.005,
                residual: None,
                size_m: None,
                cells: None,
                young_pa: 1.0e5,
                first: None,
                pile: None,
                before: 10,
                most: 64,
            };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value\nusage: {USAGE}"))?;
            match word.as_str() {
                "--vertices" => arguments.vertices = count(&word, &value)?,
                "--steps" => arguments.steps = count(&word, &value)?,
                "--threads" => arguments.threads = count(&word, &value)?,
                "--iterations" => arguments.iterations = count(&word, &value)?,
                "--kind" => arguments.kind = kind(&value)?,
                "--h" => arguments.step_secs = positive(&word, &value)?,
                "--residual" => arguments.residual = Some(positive(&word, &value)?),
                "--size" => arguments.size_m = Some(size(&value)?),
                "--cells" => arguments.cells = Some(cells(&value)?),
                "--young" => arguments.young_pa = positive(&word, &value)?,
                "--first" => arguments.first = Some(value),
                "--pile" => arguments.pile = Some(count(&word, &value)?),
                "--before" => arguments.before = count(&word, &value)?,
                "--most" => arguments.most = count(&word, &value)?,
                _ => return Err(format!("unknown option {word}\nusage: {USAGE}")),
            }
        }
        if arguments.vertices == 0 && arguments.cells.is_none() {
            return Err(format!("--vertices is missing\nusage: {USAGE}"));
        }
        Ok(arguments)
    }
}

/// The bars that all peers are timed on have cubes of 0.1 m: vertices, and lengths in metres.
const BENCHMARK_BARS: [(usize, [f64; 3]); 8] = [
    (72, [0.7, 0.2, 0.2]),
    (315, [0.8, 0.6, 0.4]),
    (468, [1.2, 0.5, 0.5]),
    (847, [1.0, 1.0, 0.6]),
    (1302, [3.0, 0.6, 0.5]),
    (1575, [2.4, 0.8, 0.6]),
    (20_000, [4.9, 1.9, 1.9]),
    (100_000, [4.9, 4.9, 3.9]),
];

impl Arguments {
    pub fn bar_size_m(&self) -> [f64; 3] {
        let known = BENCHMARK_BARS.iter().find(|(vertices, _)| *vertices == self.vertices);
        self.size_m.unwrap_or(known.map_or([4.0, 1.0, 1.0], |(_, size_m)| *size_m))
    }
}

fn count(name: &str, value: &str) -> Result<usize, String> {
    value.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("{name} {value}: expected a whole number above 0"))
}

fn positive(name: &str, value: &str) -> Result<f64, String> {
    value.parse().ok().filter(|n| *n > 0.0).ok_or_else(|| format!("{name} {value}: expected a number above 0"))
}

fn kind(value: &str) -> Result<Kind, String> {
    [Kind::Corotated, Kind::Volume, Kind::Fem]
        .into_iter()
        .find(|kind| kind.name() == value)
        .ok_or_else(|| format!("--kind {value}: expected corotated, volume or FEM"))
}

fn size(value: &str) -> Result<[f64; 3], String> {
    let sides: Option<Vec<f64>> = value.split(',').map(|side| side.parse().ok().filter(|m| *m > 0.0)).collect();
    let sides = sides.and_then(|sides| <[f64; 3]>::try_from(sides).ok());
    sides.ok_or_else(|| format!("--size {value}: expected three lengths in metres above 0, like 4,1,1"))
}

fn cells(value: &str) -> Result<[usize; 3], String> {
    let counts: Option<Vec<usize>> = value.split(',').map(|count| count.parse().ok().filter(|n| *n > 0)).collect();
    let counts = counts.and_then(|counts| <[usize; 3]>::try_from(counts).ok());
    counts.ok_or_else(|| format!("--cells {value}: expected three whole numbers above 0, like 24,8,6"))
}
