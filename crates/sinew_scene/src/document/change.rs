//! The difference between two texts as one replaced piece: what undo gives back, byte for byte.

/// At byte `at`, `removed` was replaced by `inserted`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    pub at: usize,
    pub removed: String,
    pub inserted: String,
}

impl TextChange {
    /// The smallest piece that turns `before` into `after`.
    pub fn between(before: &str, after: &str) -> Self {
        let start = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let start = (0..=start).rev().find(|i| before.is_char_boundary(*i) && after.is_char_boundary(*i)).unwrap_or(0);
        let (rest_before, rest_after) = (&before[start..], &after[start..]);
        let end = rest_before.bytes().rev().zip(rest_after.bytes().rev()).take_while(|(a, b)| a == b).count();
        let split = |end: usize| (rest_before.len() - end, rest_after.len() - end);
        let fits =
            |end: &usize| rest_before.is_char_boundary(split(*end).0) && rest_after.is_char_boundary(split(*end).1);
        let (end_before, end_after) = split((0..=end).rev().find(fits).unwrap_or(0));
        Self { at: start, removed: rest_before[..end_before].into(), inserted: rest_after[..end_after].into() }
    }

    pub fn is_nothing(&self) -> bool {
        self.removed == self.inserted
    }

    /// `text` after the change.
    pub(super) fn redone(&self, text: &str) -> String {
        replaced(text, self.at, self.removed.len(), &self.inserted)
    }

    /// `text` before the change.
    pub(super) fn undone(&self, text: &str) -> String {
        replaced(text, self.at, self.inserted.len(), &self.removed)
    }
}

fn replaced(text: &str, at: usize, length: usize, by: &str) -> String {
    [&text[..at], by, &text[at + length..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn u1_a_change_leads_from_one_text_to_the_other_and_back(before in "[aé\n]{0,12}", after in "[aé\n]{0,12}") {
            let change = TextChange::between(&before, &after);
            prop_assert_eq!(change.redone(&before), after.clone());
            prop_assert_eq!(change.undone(&after), before);
        }
    }

    #[test]
    fn only_what_differs_is_kept() {
        let change = TextChange::between("a = 1\nb = 2\n", "a = 1\nb = 3\n");
        assert_eq!(change, TextChange { at: 10, removed: "2".into(), inserted: "3".into() });
    }
}
