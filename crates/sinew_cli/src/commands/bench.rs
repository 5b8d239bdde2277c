//! `sinew bench`.

use crate::args::Bench;
use crate::bench::{self, Row};
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use sinew::scene::nearest::did_you_mean;

pub(crate) fn run(args: &Bench, output: Output) -> Result<(), Failure> {
    let known: Vec<&str> = bench::TABLES.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = args.names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::usage(format!("there is no table {unknown:?}"), did_you_mean(unknown, &known)));
    }
    let peers = bench::Peers::find(!args.no_build);
    let mut rows: Vec<Row> = Vec::new();
    for (_, table) in
        bench::TABLES.iter().filter(|(name, _)| args.names.is_empty() || args.names.iter().any(|n| n == name))
    {
        rows.extend(table(&peers)?);
    }
    let machine = bench::machine();
    output.finish(&json!({ "machine": machine, "rows": rows }), || bench::as_text(&machine, &rows))
}
