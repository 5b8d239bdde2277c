//! `sinew schema`.

use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn run() -> Result<(), Failure> {
    let schema = sinew::scene::schema();
    let text = serde_json::to_string_pretty(&schema)?;
    Output { json: false }.finish(&schema, || text)
}
