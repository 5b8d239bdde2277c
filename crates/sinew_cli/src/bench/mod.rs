//! The measured tables. Every speed is a ratio against a named peer in the same run.

mod acceleration;
mod elastic;
mod embedding;
mod formats;
mod limits;
mod mesher;
mod peers;
mod procdef;
mod render;
mod seek;
mod shape_matching;
mod surface;

pub(crate) use peers::{FirstStep, Peers, PileStep};

use crate::failure::Failure;
use serde::Serialize;

/// One line of a table.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    pub name: String,
    pub ours_ms: f64,
    pub peer: String,
    /// None where the peer could not run; `error` says why.
    pub peer_ms: Option<f64>,
    /// How many times faster ours is.
    pub ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What we set out to reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reach_ms: Option<f64>,
    /// What the method's paper reports, on a machine of its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_per_region_pass: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_per_vertex_sweep: Option<f64>,
    /// The least time that the counted operations, and the counted bytes, can take on this machine, as shares of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_of_flops: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_of_bytes: Option<f64>,
    /// Root mean square distance from what was to be computed, as a share of its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_share: Option<f64>,
}

impl Row {
    pub(crate) fn new(
        name: impl Into<String>,
        ours_ms: f64,
        peer: impl Into<String>,
        peer_ms: Result<f64, String>,
    ) -> Self {
        let (peer_ms, error) = match peer_ms {
            Ok(ms) => (Some(ms), None),
            Err(error) => (None, Some(error)),
        };
        Self {
            name: name.into(),
            ours_ms,
            peer: peer.into(),
            peer_ms,
            ratio: peer_ms.map(|ms| ms / ours_ms),
            error,
            reach_ms: None,
            paper_ms: None,
            ns_per_region_pass: None,
            ns_per_vertex_sweep: None,
            share_of_flops: None,
            share_of_bytes: None,
            off_share: None,
        }
    }
}

type Table = fn(&Peers) -> Result<Vec<Row>, Failure>;

/// Names and what measures them.
pub(crate) const TABLES: [(&str, Table); 10] = [
    ("take_seek", seek::measure),
    ("shape_matching", shape_matching::measure),
    ("procdef", procdef::measure),
    ("acceleration", acceleration::measure),
    ("elastic", elastic::measure),
    ("elastic_accuracy", elastic::measure_accuracy),
    ("embedding", embedding::measure),
    ("mesher", mesher::measure),
    ("formats", formats::measure),
    ("render", render::measure),
];

/// What this was measured on.
pub(crate) fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        text.lines().find_map(|line| {
            line.strip_prefix("model name").map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned())
        })
    });
    let cores = crate::commands::bake::all_cores();
    format!("{}, {cores} cores, {}", cpu.as_deref().unwrap_or("unknown processor"), lanes())
}

fn lanes() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return "AVX-512";
        }
        if is_x86_feature_detected!("avx2") {
            return "AVX2";
        }
    }
    "portable lanes"
}

pub(crate) fn as_text(machine: &str, rows: &[Row]) -> String {
    let mut text = format!("{machine}\n{:<46} {:>10} {:>10} {:>8}  peer\n", "", "ours ms", "peer ms", "ratio");
    for row in rows {
        text.push_str(&row.as_text());
        text.push('\n');
    }
    text.trim_end().to_owned()
}

impl Row {
    fn as_text(&self) -> String {
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
        let (peer_ms, ratio) = (number(self.peer_ms), number(self.ratio));
        let mut text = format!("{:<46} {:>10.4} {peer_ms:>10} {ratio:>8}  {}", self.name, self.ours_ms, self.peer);
        if let Some(error) = &self.error {
            text.push_str(&format!(" ({error})"));
        }
        if let Some(more) = details(self) {
            text.push_str(&format!("\n    {more}"));
        }
        text
    }

    /// Tells whoever waits for a long table.
    pub(crate) fn told(self) -> Self {
        eprintln!("{}", self.as_text());
        self
    }
}

fn details(row: &Row) -> Option<String> {
    let said = [
        row.reach_ms.map(|ms| format!("to reach {ms:.3} ms")),
        row.paper_ms.map(|ms| format!("the paper's {ms} ms")),
        row.ns_per_region_pass.map(|ns| format!("{ns:.1} ns per region and pass")),
        row.ns_per_vertex_sweep.map(|ns| format!("{ns:.1} ns per vertex and sweep")),
        row.share_of_flops.map(|share| format!("{:.0} % of the machine's flops", share * 100.0)),
        row.share_of_bytes.map(|share| format!("{:.0} % of its bytes", share * 100.0)),
        row.off_share.map(|share| format!("off by {:.3} % of the body's size", share * 100.0)),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// The median of `repeats` timings of `work`, in milliseconds; what the noisy rest of the machine does matters least there.
pub(crate) fn median_ms(repeats: usize, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..repeats.max(1))
        .map(|_| {
            let begun = std::time::Instant::now();
            work();
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// How often ours and theirs take turns.
const ROUNDS: usize = 3;

/// Medians of a few rounds in which ours and theirs take turns; a peer that fails once is not asked again.
pub(crate) fn in_turns(
    name: String,
    peer: &str,
    mut ours: impl FnMut() -> f64,
    mut theirs: impl FnMut() -> Result<f64, String>,
) -> Row {
    let (mut mine, mut others) = (Vec::new(), Ok(Vec::new()));
    for _ in 0..ROUNDS {
        mine.push(ours());
        others = others.and_then(|mut times: Vec<f64>| {
            times.push(theirs()?);
            Ok(times)
        });
    }
    let median = |mut times: Vec<f64>| {
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    };
    Row::new(name, median(mine), peer, others.map(median))
}
