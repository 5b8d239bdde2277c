//! `sinew list`.

use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use sinew::scene::builtin;

pub(crate) fn run(output: Output) -> Result<(), Failure> {
    let scenes: Vec<_> = builtin::scenes().iter().map(|s| json!({ "name": s.name, "about": s.about })).collect();
    let models: Vec<_> = builtin::models().iter().map(|m| json!({ "name": m.name, "about": m.about })).collect();
    output.finish(&json!({ "scenes": scenes, "models": models }), || {
        let line = |name: &str, about: &str| format!("  {name:<14} {about}\n");
        let scenes: String = builtin::scenes().iter().map(|s| line(s.name, s.about)).collect();
        let models: String = builtin::models().iter().map(|m| line(m.name, m.about)).collect();
        format!("Scenes (sinew studio NAME)\n{scenes}\nModels (skin = {{ model = \"NAME\" }})\n{}", models.trim_end())
    })
}
