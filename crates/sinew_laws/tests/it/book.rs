//! The book says what the judge does.

use sinew_laws::Law;
use std::path::Path;

#[test]
fn the_book_has_every_law_with_its_bound() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/laws.md");
    let page = std::fs::read_to_string(page).unwrap();
    for law in Law::ALL {
        assert!(page.contains(&law.row()), "docs/book/laws.md lacks this row:\n{}", law.row());
    }
}
