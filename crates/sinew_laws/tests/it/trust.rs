//! docs/book/trust.md says what scenes with known answers give; nothing may be worse than it says.

use sinew_laws::answers::{ANSWERS, WAYS, stated};
use std::path::Path;

fn is_as_stated(name: &str) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/trust.md");
    let page = std::fs::read_to_string(page).unwrap();
    let answer = ANSWERS.iter().find(|answer| answer.name == name).unwrap();
    let start = format!("| {name} | {} |", answer.theory);
    let row = page.lines().find(|line| line.starts_with(&start));
    let stated = stated(row.unwrap_or_else(|| panic!("docs/book/trust.md has no row {start:?}")));
    let figures = answer.figures().unwrap();
    let new = answer.row(&figures);
    for ((way, figure), stated) in WAYS.iter().zip(&figures).zip(&stated) {
        let is_fine = match (figure, stated) {
            (Some(figure), Some(stated)) => !answer.is_worse(*figure, *stated),
            (figure, stated) => figure.is_none() && stated.is_none(),
        };
        assert!(is_fine, "{name} by {}: {figure:?}, the page says {stated:?}. The row would be\n{new}", way.name);
    }
}

macro_rules! answers {
    ($($name:ident)*) => {
        $(#[test] fn $name() { is_as_stated(stringify!($name)); })*

        #[test]
        fn every_answer_is_tested() {
            assert_eq!(ANSWERS.map(|answer| answer.name), [$(stringify!($name)),*]);
        }
    };
}

answers! { fall spin energy sinking pendulum stretch muscle elastica torsion frequency friction friction_stiff standing rolling stack impact }
