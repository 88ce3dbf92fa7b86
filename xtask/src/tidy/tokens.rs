//! The tokens of a Rust file, for checks of what it names.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Names, `::` and single characters: without comments, literals, attributes and items under `#[cfg(test)]`.
pub(super) fn code(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    flatten(text.parse().unwrap_or_default(), &mut tokens);
    tokens
}

fn flatten(stream: TokenStream, tokens: &mut Vec<String>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                trees.next_if(|next| next.to_string() == "!");
                let attribute = trees.next().map(|group| group.to_string().replace(' ', ""));
                if attribute.is_some_and(|attribute| attribute == "[cfg(test)]") {
                    trees.by_ref().find(ends_item);
                }
            }
            TokenTree::Punct(colon) if colon.as_char() == ':' && colon.spacing() == Spacing::Joint => {
                trees.next();
                tokens.push("::".to_owned());
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(open.to_owned());
                flatten(group.stream(), tokens);
                tokens.push(close.to_owned());
            }
            TokenTree::Literal(_) => {}
            TokenTree::Ident(_) | TokenTree::Punct(_) => tokens.push(tree.to_string()),
        }
    }
}

/// Whether an item ends with this tree: with its body, or a `;`.
fn ends_item(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => tree.to_string() == ";",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_literals_attributes_and_tests_are_omitted() {
        let text = "//! A file.\nfn f<'a>() { a::b(\"c\", 'd', 1); } /* e */\n\
                    #[cfg(test)]\nmod tests { use super::*; }\n#[cfg(test)] mod other;\n#[inline] fn g() {}";
        assert_eq!(code(text).join(" "), "fn f < ' a > ( ) { a :: b ( , , ) ; } fn g ( ) { }");
    }
}
