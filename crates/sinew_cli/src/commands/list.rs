//! `sinew list`.

use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use sinew::scene::builtin;

/// Built-in models, each with one line on what it is.
const MODELS: [(&str, &str); 4] = [
    ("bar", "A box with sharp edges"),
    ("cylinder", "A solid cylinder about the y axis"),
    ("cloth", "A flat sheet, for flesh of kind \"shell\""),
    ("bell", "A jellyfish's bell: a dome open below"),
];

pub(crate) fn run(output: Output) -> Result<(), Failure> {
    let scenes: Vec<_> = builtin::scenes().iter().map(|s| json!({ "name": s.name, "about": s.about })).collect();
    let models: Vec<_> = MODELS.iter().map(|(name, about)| json!({ "name": name, "about": about })).collect();
    output.finish(&json!({ "scenes": scenes, "models": models }), || {
        let line = |name: &str, about: &str| format!("  {name:<14} {about}\n");
        let scenes: String = builtin::scenes().iter().map(|s| line(s.name, s.about)).collect();
        let models: String = MODELS.iter().map(|(name, about)| line(name, about)).collect();
        format!("Scenes (sinew studio NAME)\n{scenes}\nModels (skin = {{ model = \"NAME\" }})\n{}", models.trim_end())
    })
}
