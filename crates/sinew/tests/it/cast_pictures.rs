//! Every built-in model can be looked at before it is used.

use sinew::scene::builtin;
use std::path::Path;

#[test]
fn every_model_has_a_picture_in_the_book() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = std::fs::read_to_string(docs.join("book/cast.md")).unwrap();
    for model in builtin::models() {
        let file = docs.join(format!("pictures/cast/{}.png", model.name));
        let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(bytes.starts_with(b"\x89PNG"), "{}", model.name);
        let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([side(16), side(20)], [480, 360], "{}", model.name);
        assert!(bytes.len() < 60_000, "{}: {} bytes", model.name, bytes.len());
        assert!(page.contains(&format!("pictures/cast/{}.png", model.name)), "{} is not on the page", model.name);
    }
}
