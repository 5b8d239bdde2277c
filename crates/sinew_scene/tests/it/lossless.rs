//! A scene survives being written and read, as TOML and as JSON (rule L of SPEC.md).

use proptest::prelude::*;
use sinew_scene::{Document, Scene, builtin};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn l1_parse_write_parse_is_equal(scene in crate::generate::scene()) {
        let text = scene.to_toml();
        let read = Scene::from_toml(&text, "generated.toml").map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(&read, &scene, "{}", text);
        prop_assert_eq!(read.to_toml(), text);
    }

    #[test]
    fn l2_json_on_the_wire_is_equal(scene in crate::generate::scene()) {
        let wire = serde_json::to_string(&scene.to_json()).unwrap();
        let read = Scene::from_json(&serde_json::from_str(&wire).unwrap());
        prop_assert_eq!(read.map_err(|e| TestCaseError::fail(e.to_string()))?, scene);
    }
}

#[test]
fn l3_an_open_document_is_the_users_own_text() {
    for scene in builtin::scenes() {
        let document = Document::parse(scene.toml, scene.name).unwrap();
        assert_eq!(document.text(), scene.toml);
        assert_eq!(&Scene::from_toml(&document.scene().to_toml(), scene.name).unwrap(), document.scene());
    }
}
