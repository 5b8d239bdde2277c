//! The known name that is most like a misspelt one.

/// The nearest of `known`, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Longer words are no slip of the keyboard, and comparing takes time and memory that grow with them.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let folded = word.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&folded, &name.to_lowercase());
    let best = known.iter().copied().min_by_key(|name| distance(name))?;
    // A third of the letters may be wrong; a word that begins like a known one is near as well (`iter`, `iterations`).
    let longest = word.chars().count().max(best.chars().count());
    if distance(best) <= longest / 3 {
        return Some(best);
    }
    known.iter().copied().find(|name| {
        let shared = folded.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
        shared >= 3 && shared + 2 >= folded.chars().count()
    })
}

/// Help for an unknown name: the nearest known one, or all of them.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => "nothing is known here".into(),
        None => format!("known here: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_meant_name_and_no_other() {
        let known = ["iterations", "stiffness", "kind", "young_pa"];
        assert_eq!(nearest("iteratoins", &known), Some("iterations"));
        assert_eq!(nearest("iter", &known), Some("iterations"));
        assert_eq!(nearest("Kind", &known), Some("kind"));
        assert_eq!(nearest("youngpa", &known), Some("young_pa"));
        assert_eq!(nearest("youngs", &known), Some("young_pa"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("w", &["x", "y"]), None);
    }

    #[test]
    fn help_lists_what_is_known_where_nothing_is_near() {
        assert_eq!(did_you_mean("mass", &["radius", "height"]), "known here: radius, height");
        assert_eq!(did_you_mean("hieght", &["radius", "height"]), "did you mean `height`?");
    }
}
