use expect_test::{Expect, expect};
use warplens_ide::model_choices;

use super::*;

const TOML: LaunchHome<'_> = LaunchHome::File(Format::Toml);
const COMMENTS: LaunchHome<'_> = LaunchHome::Comments(&["//"]);

/// The text and the offset of its `|`.
fn marked(text: &str) -> (String, usize) {
    let offset = text.find('|').expect("a mark");
    (text.replacen('|', "", 1), offset)
}

fn suggested(text: &str, home: LaunchHome<'_>, expect: Expect) {
    let (text, offset) = marked(text);
    let found = suggestions(&text, home, offset, &model_choices());
    let lines = found.iter().map(|found| format!("`{}` → {}\n", &text[found.replace.clone()], found.snippet));
    expect.assert_eq(&lines.filter(|line| !line.contains("book")).take(6).collect::<String>());
}

fn documented(text: &str, home: LaunchHome<'_>, expect: Expect) {
    let (text, offset) = marked(text);
    expect.assert_eq(
        &documentation(&text, home, offset, &model_choices()).map_or("nothing".to_owned(), |found| found.1),
    );
}

fn reported(text: &str, home: LaunchHome<'_>, expect: Expect) {
    let line = |problem: Problem| {
        let at = problem.at.map_or("", |at| &text[at]);
        format!("`{at}` {} {}\n", problem.message, problem.replacement.unwrap_or_default())
    };
    expect.assert_eq(&problems(text, home).into_iter().map(line).collect::<String>());
}

#[test]
fn keys_of_a_launch() {
    suggested(
        "|",
        TOML,
        expect![[r#"
            `` → [[launch]]
            name = "${1:name}"
            file = "$2"
            grid = [${3:1}]
            block = [${4:32}]
            $0
        "#]],
    );
    suggested(
        "[[launch]]\nname = 'a'\nb|",
        TOML,
        expect![[r#"
            `b` → args = [{ $1 }]
            `b` → block = [$1]
            `b` → cluster = [$1]
            `b` → cooperative = $1
            `b` → device_memory = $1
            `b` → dynamic_shared = $1
        "#]],
    );
    suggested("[[launch]]\nname = 'a'\nfile = \"k.ptx\" # co|mment", TOML, expect![]);
    suggested(
        "[[launch]]\nname = 'a'\nargs = [{ name = 'x', b|",
        TOML,
        expect![[r#"
            `b` → b16 = $1
            `b` → b32 = $1
            `b` → b64 = $1
            `b` → b8 = $1
            `b` → bf16 = $1
            `b` → f16 = $1
        "#]],
    );
    suggested(
        "[[launch]]\nexpect = [{ |",
        TOML,
        expect![[r#"
            `` → bytes = "$1"
            `` → file = "$1"
            `` → name = "$1"
            `` → tolerance = $1
            `` → values = [$1]
        "#]],
    );
    suggested(
        "// @launch { name = 'a', |",
        COMMENTS,
        expect![[r#"
            `` → args = [{ $1 }]
            `` → block = [$1]
            `` → cluster = [$1]
            `` → cooperative = $1
            `` → device_memory = $1
            `` → dynamic_shared = $1
        "#]],
    );
    suggested("// launch { |", COMMENTS, expect![[""]]);
}

#[test]
fn values_of_a_key() {
    suggested(
        "[[launch]]\nmodel = |",
        TOML,
        expect![[r#"
            `` → "stack"
            `` → "ipdom"
            `` → "frontier"
            `` → "its"
            `` → "structured"
            `` → "wave-emu"
        "#]],
    );
    suggested(
        "[[launch]]\nmodel = \"i|",
        TOML,
        expect![[r#"
            `i` → stack
            `i` → ipdom
            `i` → frontier
            `i` → its
            `i` → structured
            `i` → wave-emu
        "#]],
    );
    suggested(
        "[[launch]]\ncooperative = t|",
        TOML,
        expect![[r#"
            `t` → true
            `t` → false
        "#]],
    );
    suggested(
        "[[launch]]\nargs = [{ name = 'x', buffer = 'f|'",
        TOML,
        expect![[r#"
            `f` → u8
            `f` → s8
            `f` → u16
            `f` → s16
            `f` → u32
            `f` → s32
        "#]],
    );
    suggested(
        "[[launch]]\nargs = [{ name = 'x', buffer = 'f32', fill = \"|\" }]",
        TOML,
        expect![[r#"
            `` → zero
            `` → iota
            `` → random
            `` → uninitialized
        "#]],
    );
    suggested("[[launch]]\ngrid = [|", TOML, expect![]);
}

#[test]
fn documentation_of_keys_and_values() {
    documented(
        "[[launch]]\ngr|id = [1]",
        TOML,
        expect!["`grid`: Blocks (workgroups) in x, y, z; each defaults to 1."],
    );
    documented(
        "[[launch]]\nmodel = 'it|s'",
        TOML,
        expect![
            "`its`: PTX: independent thread scheduling, as from sm_70 on: forward progress for every lane."
        ],
    );
    documented(
        "[[launch]]\nargs = [{ le|n = 4, buffer = 'u32' }]",
        TOML,
        expect!["`len`: The number of elements."],
    );
    documented("[[launch]]\nargs = [{ len = 4, buffer = 'u32' }]\nxp|ect = 1", TOML, expect!["nothing"]);
    documented(
        ".entry k\n// @launch { bl|ock = [32] }",
        COMMENTS,
        expect!["`block`: Threads of a block (workgroup) in x, y, z; each defaults to 1."],
    );
}

#[test]
fn problems_have_replacements() {
    reported(
        "[[launch]]\nname = 'a'\nfile = 'k.ptx'\ngird = [1]\n",
        TOML,
        expect![[r#"
        `gird` a launch has no key `gird`: did you mean `grid`? grid
    "#]],
    );
    reported(
        "[[launch]]\nname = 'a'\nfile = 'k.ptx'\ngrid = [0]\n[[launch]]\nname = 'a'\n",
        TOML,
        expect![[r#"
        `0` `grid` must be between 1 and 2147483647, not 0 
        `[[launch]]` this launch has no `file`, which launch files require 
    "#]],
    );
    reported(
        "x = \n",
        TOML,
        expect![[r#"
        `` invalid TOML: string values must be quoted, expected literal string 
    "#]],
    );
    reported(
        "// @launch { blok = [32] }\n.entry k\n",
        COMMENTS,
        expect![[r#"
        `blok` a launch has no key `blok`: did you mean `block`? block
    "#]],
    );
}

#[test]
fn keys_of_multimem_arguments() {
    suggested(
        "[[launch]]\nargs = [{ multimem = { |",
        TOML,
        expect![[r#"
        `` → buffer = "$1"
        `` → len = $1
        `` → replicas = [{ $1 }]
    "#]],
    );
    suggested(
        "[[launch]]\nargs = [{ multimem = { buffer = 'u32', replicas = [{ |",
        TOML,
        expect![[r#"
        `` → bytes = "$1"
        `` → file = "$1"
        `` → fill = "$1"
        `` → len = $1
        `` → seed = $1
        `` → values = [$1]
    "#]],
    );
    documented(
        "[[launch]]\nargs = [{ multimem = { buffer = 'u32', rep|licas = [] } }]",
        TOML,
        expect!["`replicas`: The contents of each replica."],
    );
    documented(
        "[[launch]]\nargs = [{ mult|imem = {} }]",
        TOML,
        expect![
            "`multimem`: A multimem address: it stands for the same offset in several buffers, the replicas. `expect` and --dump call replica 0 of `m` `m#0`."
        ],
    );
}

/// A path that is kept for each table would need gigabytes.
#[test]
fn tables_may_be_nested_deeply() {
    let (open, close) = ("{ fields = [".repeat(20_000), "] }".repeat(20_000));
    let (text, offset) = marked(&format!("[[launch]]\nargs = [{open}{close}]\nbl|"));
    let found = suggestions(&text, TOML, offset, &model_choices());
    assert!(found.iter().any(|found| found.label == "block"), "{found:?}");
    assert_eq!(suggestions(&text, TOML, "[[launch]]\nargs = [".len() + open.len(), &model_choices()), []);
}
