//! The words in the chain of modifiers of a form.

use super::brackets::{split, split_head};

/// The words, with their dots, in the chain of modifiers at the start of a form. All alternatives are listed.
///
/// `{@p} add{.sat}.{u32,s32} d, a, b` has `.sat`, `.u32` and `.s32`.
pub(super) fn words(form: &str) -> Vec<String> {
    let form = form.strip_prefix("{@p} ").unwrap_or(form);
    let mut found = Vec::new();
    chain(split_head(form).0, &mut found);
    found.retain(|word| word.starts_with('.'));
    found
}

/// Collects the words of a chain. `current` contains the alternatives of the word that is being read.
fn chain(text: &str, found: &mut Vec<String>) {
    let mut current = vec![String::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '.' {
            found.append(&mut current);
            current.push(".".to_owned());
            rest = &rest[1..];
        } else if let Some((inside, after)) = group(rest) {
            rest = after;
            let choices = split(inside, |c| matches!(c, ',' | '|'));
            if inside.starts_with('.') {
                found.append(&mut current);
                choices.into_iter().for_each(|choice| chain(choice, found));
            } else {
                let longer: Vec<String> = (choices.iter())
                    .flat_map(|choice| current.iter().map(move |word| format!("{word}{choice}")))
                    .collect();
                if !inside.starts_with(':') {
                    current.clear();
                }
                current.extend(longer);
            }
        } else {
            current.iter_mut().for_each(|word| word.push(c));
            rest = &rest[c.len_utf8()..];
        }
    }
    found.append(&mut current);
    found.retain(|word| !word.is_empty() && word != ".");
}

/// The contents of the group in braces at the start of `text`, and the text after it.
fn group(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('{')?;
    let mut depth = 0_usize;
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some((&inside[..at], &inside[at + 1..])),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn choices_options_and_parts_of_words_are_all_listed() {
        assert_eq!(words("add{.sat}.{u32,s32} d, a, b"), [".sat", ".u32", ".s32"]);
        assert_eq!(words("{@p} bra{.uni} label"), [".uni"]);
        assert_eq!(words("x.shared{::cta}.global [a]"), [".shared", ".shared::cta", ".global"]);
        assert_eq!(words("t.wait::{ld,st}.sync"), [".wait::ld", ".wait::st", ".sync"]);
        assert_eq!(words("c{.f32|.f16} d"), [".f32", ".f16"]);
        assert_eq!(words("m{.shared{::cta}}.b64 a"), [".shared", ".shared::cta", ".b64"]);
        assert!(words("{ statement... }").is_empty());
    }
}
