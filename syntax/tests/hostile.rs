//! Texts built to be slow or deep. None may panic, overflow the stack, or take quadratic time.

use warplens_syntax::{ItemList, TextRange, TextSize, parse_file};

/// Long enough for quadratic time to show.
const LENGTH: usize = 20_000;

fn check(unit: &str) {
    let text = unit.repeat(LENGTH / unit.len());
    for text in [text.clone(), format!(".entry k() {{\n add.s32 {text}"), format!(".entry k() {{\n{text}")] {
        let languages = [
            warplens_syntax::ptx::LANGUAGE,
            warplens_syntax::wave::LANGUAGE,
            warplens_syntax::sass::LANGUAGE,
        ];
        for language in languages {
            let parse = parse_file(language, &text);
            assert!(parse.green().to_string() == text, "{unit:?} loses text");
            let mut list = ItemList::new(language, &text);
            list.edit(TextRange::empty(TextSize::new(text.len() as u32 / 2)), "x");
        }
    }
}

#[test]
fn nests_deeply() {
    for unit in ["{", "(", "[", "{(", "-", "!", "(1+", "1?", "generic(", "= {", "a[", "{\n", "(.s64)"] {
        check(unit);
    }
}

#[test]
fn repeats() {
    for unit in
        ["}", ")", ";", ",", "|", "a|", "L:", "@", "@!", "a b ", ".a ", "1 ", "1+", "a,", "_", "::", ". "]
    {
        check(unit);
    }
}

#[test]
fn opens_and_never_closes() {
    for unit in
        ["/*", "/*\n", "\"", "\"\n", "\"\" ", "'", "' ' ", "a#", "#\n", "é", "é ", "0f", "/* */", "\\"]
    {
        check(unit);
    }
}

#[test]
fn looks_like_items() {
    for unit in [
        ".entry ",
        "Function : k\n",
        "/*0000*/ EXIT ;\n",
        ".section .text.k,\"ax\"\n",
        "> ",
        "1 |",
        "BRA `(.L) ",
        ".entry k() {\n",
        ".visible\n",
        ".func f ",
        ".version /*\n",
        ".loc 1 2\n",
        ".section .a {\n",
        ".global .u32 x = {",
        ".pragma ",
        ".kernel k\n",
        ".end\n",
        "{\n.visible .entry k(",
    ] {
        check(unit);
    }
}
