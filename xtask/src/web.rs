//! The page: types, lints, unit tests, bundle.

use crate::run::{has, root, run_in, skip};
use anyhow::Result;

pub(crate) fn test() -> Result<()> {
    let web = root().join("web");
    if !has("npm") {
        return skip("the page's tests", "there is no npm; install Node 20 or newer");
    }
    run_in(&web, "npm ci --ignore-scripts --no-audit --no-fund", &[])?;
    run_in(&web, "npm run --silent check", &[])?;
    run_in(&web, "npm run --silent test", &[])
}
