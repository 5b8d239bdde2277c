//! Faults that are known and not mended yet: `known.toml`. The list is kept honest: what is mended must be taken off it, and nothing on it may get worse.

use crate::{Law, Verdict};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// A figure may be this many times the recorded one. Another processor may round sums of a factorisation otherwise,
/// and a scene that breaks a law often magnifies that.
const WORSE: f64 = 1.1;

/// A fault whose figure is at most this many times the law's bound may also hold, for the same reason.
const JUST_BEYOND: f64 = 1.25;

/// What the list begins with.
const HEAD: &str = "# Faults that are known and not mended yet (docs/book/laws.md). Figures are what was found; causes begin with \"probably\" until somebody has looked.\n";

/// A law that a scene is known to break.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// A file of `scenes/` without its ending, or a seed: "seed 17".
    pub scene: String,
    pub law: Law,
    /// What was found when it was last looked at.
    pub figure: f64,
    pub cause: String,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    fault: Vec<Known>,
}

pub fn read(text: &str) -> Result<Vec<Known>> {
    let file: File = toml::from_str(text)?;
    for known in &file.fault {
        ensure!(!known.cause.trim().is_empty(), "{} {}: no cause is named", known.scene, known.law.word());
    }
    Ok(file.fault)
}

/// The list as it stands now: figures as found, without what is mended; new faults have the cause "not found yet".
pub fn renewed(old: &[Known], judged: &[(String, Verdict)]) -> String {
    let mut fault = Vec::new();
    for (scene, verdict) in judged {
        for breach in verdict.faults() {
            let known = old.iter().find(|known| known.scene == *scene && known.law == breach.law);
            let cause = known.map_or_else(|| "not found yet".to_owned(), |known| known.cause.clone());
            let figure = crate::random::three_digits(breach.figure);
            fault.push(Known { scene: scene.clone(), law: breach.law, figure, cause });
        }
    }
    format!("{HEAD}\n{}", toml::to_string(&File { fault }).unwrap_or_default())
}

/// What the list and the verdicts disagree about, in words.
pub fn complaints(known: &[Known], judged: &[(String, Verdict)]) -> Vec<String> {
    let mut all = Vec::new();
    for (scene, verdict) in judged {
        for breach in verdict.faults() {
            let (law, figure) = (breach.law.word(), breach.figure);
            match known.iter().find(|known| known.scene == *scene && known.law == breach.law) {
                None => all.push(format!(
                    "{scene}: {law} is {figure:.3e}, at most {:e} is allowed ({}, frame {:.1})",
                    breach.law.bound(),
                    breach.solver,
                    breach.frame
                )),
                Some(known) if figure > WORSE * known.figure => {
                    all.push(format!("{scene}: {law} is {figure:.3e}, worse than the known {:.3e}", known.figure));
                }
                Some(_) => {}
            }
        }
    }
    for Known { scene, law, figure, .. } in known {
        match judged.iter().find(|(name, _)| name == scene) {
            Some((_, verdict)) if verdict.fault(*law).is_some() || *figure <= JUST_BEYOND * law.bound() => {}
            Some(_) => all.push(format!("{scene}: {} holds now; take it off known.toml", law.word())),
            None => all.push(format!("{scene} is on known.toml, but there is no such scene")),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Breach;

    fn verdict(figure: f64) -> Verdict {
        let breach =
            Breach { law: Law::Energy, figure, body: "a".into(), solver: "newton", frame: 3.0, is_excused: false };
        Verdict { breaches: vec![breach], ..Verdict::default() }
    }

    #[test]
    fn a_list_is_honest_in_both_directions() {
        let known = read("[[fault]]\nscene = \"s\"\nlaw = \"energy\"\nfigure = 0.5\ncause = \"c\"\n").unwrap();
        let says = |known: &[Known], verdict: Verdict| complaints(known, &[("s".to_owned(), verdict)]).len();
        assert_eq!(says(&known, verdict(0.54)), 0);
        assert_eq!(says(&known, verdict(0.56)), 1, "worse");
        assert_eq!(says(&known, Verdict::default()), 1, "mended");
        let just_beyond = [Known { figure: 1.2 * Law::Energy.bound(), ..known[0].clone() }];
        assert_eq!(says(&just_beyond, Verdict::default()), 0, "mended, or another processor");
        assert_eq!(says(&[], verdict(0.6)), 1, "new");
        assert!(read("[[fault]]\nscene = \"s\"\nlaw = \"energy\"\nfigure = 0.5\ncause = \" \"\n").is_err());
    }
}
