//! The map between templates and files, and hostile files. `WARPLENS_INLINE_CASES` sets the number of cases of each property.

use proptest::prelude::*;
use proptest::test_runner::Config;
use warplens_host::{Edit, HOSTS, PieceKind, Statement, by_id};

fn cases() -> u32 {
    std::env::var("WARPLENS_INLINE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

fn config() -> Config {
    Config { cases: cases(), failure_persistence: None, ..Config::default() }
}

/// Part of a template: its text, and how the literal writes it.
#[derive(Debug, Clone)]
struct Part {
    text: String,
    written: String,
}

fn plain() -> impl Strategy<Value = Part> {
    "[a-z0-9 .;,äπ😀]{0,8}".prop_map(|text| Part { written: text.clone(), text })
}

/// Escapes that C++, Python, Rust and Julia share, and a splice where the host has one.
fn escape() -> impl Strategy<Value = Part> {
    prop_oneof![Just(("\n", "\\n")), Just(("\t", "\\t")), Just(("\\", "\\\\")), Just(("\"", "\\\"")),]
        .prop_map(|(text, written)| Part { text: text.to_owned(), written: written.to_owned() })
}

fn literal() -> impl Strategy<Value = Vec<Part>> {
    prop::collection::vec(prop_oneof![plain(), escape()], 0..6)
}

/// A file of a host around literals, which come before and after other text.
fn file(host: &str, before: &str, literals: &[Vec<Part>], newline: &str) -> String {
    let written: Vec<String> = literals
        .iter()
        .map(|parts| format!("\"{}\"", parts.iter().map(|part| part.written.as_str()).collect::<String>()))
        .collect();
    let space = format!("{newline}    ");
    match host {
        "cuda-cpp" => format!(
            "// {before}{newline}__device__ void f() {{{newline}  asm volatile(\"add.u32 x, y, z;\" {}{space}: : : \"memory\");{newline}}}{newline}",
            written.join(&space)
        ),
        "python" => format!(
            "# {before}{newline}x = tl.inline_asm_elementwise(\"add.u32 x, y, z;\" {},{space}\"=r,r\", [a], dtype=tl.int32, is_pure=True, pack=1){newline}",
            written.join(&space)
        ),
        "rust" => format!(
            "// {before}{newline}fn f() {{ asm!(concat!(\"add.u32 x, y, z;\", {}),{space}in(reg32) x); }}{newline}",
            written.join(&format!(",{space}"))
        ),
        _ => format!(
            "# {before}{newline}f() = @asmcall(\"add.u32 x, y, z;\" * {}, \"\", true){newline}",
            written.join(" * ")
        ),
    }
}

fn check_map(text: &str, statement: &Statement) {
    let template = &statement.template;
    let mut at = 0;
    for piece in &template.pieces {
        assert_eq!(piece.template.start, at);
        at = piece.template.end;
        let (own, host) = (&template.text[piece.template.clone()], &text[piece.host.clone()]);
        if piece.kind == PieceKind::Copied {
            assert_eq!(own, host);
        }
        assert_eq!(template.to_host(piece.template.clone()), Some(piece.host.clone()));
    }
    assert_eq!(at, template.text.len());
    // Each character has its own part of the file, in order.
    let mut last = 0;
    for (at, c) in template.text.char_indices() {
        let host = template.to_host(at..at + c.len_utf8()).unwrap();
        assert!(last <= host.start && host.start < host.end, "{host:?} after {last}");
        last = host.end;
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn templates_are_decoded_and_mapped(
        host in prop::sample::select(vec!["cuda-cpp", "python", "rust", "julia"]),
        before in "[ -~äπ😀]{0,20}",
        literals in prop::collection::vec(literal(), 1..5),
        is_dos in any::<bool>(),
    ) {
        let newline = if is_dos { "\r\n" } else { "\n" };
        let before = before.trim_end_matches(['\\', '=']).replace(['#', '='], "");
        let text = file(host, &before, &literals, newline);
        let found = by_id(host).unwrap().statements(&text);
        prop_assert_eq!(found.len(), 1, "{}", text);
        let expected: String = literals.iter().flatten().map(|part| part.text.as_str()).collect();
        prop_assert_eq!(&found[0].template.text, &format!("add.u32 x, y, z;{expected}"));
        check_map(&text, &found[0]);
    }

    #[test]
    fn an_edit_of_a_literal_gives_what_a_scan_gives(
        host in prop::sample::select(vec!["cuda-cpp", "rust"]),
        literals in prop::collection::vec(literal(), 1..4),
        at in 0usize..200,
        length in 0usize..5,
        inserted in "[a-z0-9 .;,%{}\"\\\\()äπ\n]{0,4}",
    ) {
        let text = file(host, "", &literals, "\n").repeat(2);
        let end = |at: usize| text.ceil_char_boundary(at.min(text.len()));
        let removed = end(at)..end(end(at) + length);
        let host = by_id(host).unwrap();
        let mut statements = host.statements(&text);
        let edit = Edit { removed: removed.clone(), inserted: &inserted };
        if host.edit(&mut statements, &text, &edit).is_some() {
            let mut after = text.clone();
            after.replace_range(removed, &inserted);
            prop_assert_eq!(statements, host.statements(&after));
        }
    }

    #[test]
    fn hostile_files_never_panic(
        host in 0..HOSTS.len(),
        sample in prop::sample::select(SAMPLES.to_vec()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4usize, prop::sample::select(TOKENS.to_vec())), 1..12),
    ) {
        let mut text: Vec<char> = sample.chars().collect();
        for (at, removed, token) in edits {
            let at = if text.is_empty() { 0 } else { at.index(text.len()) };
            let end = (at + removed).min(text.len());
            text.splice(at..end, token.chars());
        }
        let text: String = text.into_iter().collect();
        for launch in HOSTS[host].launches(&text) {
            prop_assert!(text.get(launch.range.clone()).is_some());
        }
        for statement in HOSTS[host].statements(&text) {
            prop_assert!(text.get(statement.range.clone()).is_some());
            for operand in &statement.operands {
                prop_assert!(text.get(operand.range.clone()).is_some());
            }
            for piece in &statement.template.pieces {
                prop_assert!(text.get(piece.host.clone()).is_some(), "{:?}", piece);
            }
        }
    }
}

const TOKENS: &[&str] = &[
    "",
    "\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#",
    "#if 0\n",
    "\n#else\n",
    "\n#endif\n",
    "#define X(a) ",
    "/*",
    "*/",
    "//",
    "R\"x(",
    ")x\"",
    "r#\"",
    "\"#",
    "\"\"\"",
    "f\"{",
    "\\x",
    "\\u{",
    "\\u",
    "%",
    "$",
    "$(",
    "@asmcall ",
    "asm",
    "asm!(",
    ":",
    "::",
    ",",
    "=",
    "+",
    ";",
    "concat!(",
    "ä",
    "😀",
    "\0",
    "#=",
    "=#",
    "def f(",
    ".format(",
    "inline_asm(",
    "InlineAsm(",
    "<<<",
    ">>>(",
    "template <",
    "const int n = ",
    "cuLaunchKernel(",
    "lambda m: ",
];

const SAMPLES: &[&str] = &[
    "#if __CUDA_ARCH__ >= 900\n#define M(a) asm volatile(\"ld.\" #a \"u32 %0, [%1];\\n\" : \"=r\"(x) : \"l\"(p) : \"memory\")\n#else\nvoid f() { asm(R\"p(bar.sync 0;)p\"); }\n#endif\n",
    "fn f() { unsafe { asm!(\"add.u32 {0}, {1}, {x};\", concat!(\"a\", r#\"b\"#), out(reg32) y, in(reg32) z, x = const 4, options(pure)) } }\n",
    "@jit\ndef f(x):\n    code = f\"add.{op}.u32 $0, $1;\" + \"a\" \\\n      'b'\n    return tl.inline_asm_elementwise(code, \"=r,r\", [x], dtype=tl.int32, is_pure=True, pack=1)\n",
    "f(x) = @asmcall(\"\"\"\n    add.u32 \\$0, \\$1, $(x);\n    \"\"\", \"=r,r\", true, UInt32, Tuple{UInt32}, x)\n",
    "fn f():\n    return inlined_assembly[\"add.u32 $0, $1;\", UInt32, constraints=\"=r,r\", has_side_effect=False](x)\n",
    "x = llvm.inline_asm(T.i32(), [a], \"add.u32 $0, $1, %s;\" % n, \"=r,r\", has_side_effects=False)\nir.InlineAsm(t, \"a{}.u32 $0;\".format(y), \"=r\")\n",
    "#define N(a) ((a) + 1)\nnamespace a { struct S { int n = 4; }; }\ntemplate <int B> void f(int m) { const int n = N(2), k{3}; dim3 g(n, a::S::n); k<B><<<g, dim3(32) , 0>>>(n, 1.5f); }\n",
    "import triton\nB = 4\n@triton.jit\ndef k(x, n: tl.constexpr):\n    pass\ng = lambda meta: (triton.cdiv(100, meta['n']),)\nk[g](x, n=B, num_warps=2)\n",
];

/// Unclosed and nested calls take no more than linear work, and no stack.
#[test]
fn nested_calls_end_soon() {
    for (host, part) in [
        ("cuda-cpp", "asm("),
        ("cuda-cpp", "asm(\"add.u32 %0;\" : \"r\"("),
        ("rust", "asm!(concat!("),
        ("python", "llvm.inline_asm((("),
        ("python", "llvm.inline_asm(x, [], ("),
        ("julia", "@asmcall("),
        ("mojo", "inlined_assembly[("),
    ] {
        let _ = by_id(host).unwrap().statements(&part.repeat(10_000));
    }
}

/// The same for launches, and for the names that they look up.
#[test]
fn nested_launches_end_soon() {
    for (host, start, part) in [
        ("cuda-cpp", "", "k<<<"),
        ("cuda-cpp", "", "k<<<1, 32>>>("),
        ("cuda-cpp", "<<<", "f(int a) {"),
        ("cuda-cpp", "<<<", "f(int a) x {"),
        ("cuda-cpp", "<<<", "int a{"),
        ("cuda-cpp", "<<<", "int a = int b "),
        ("cuda-cpp", "<<<", "{ int n; n = 1; o.n = 2;"),
        ("cuda-cpp", "<<<", "struct A {"),
        ("cuda-cpp", "<<<", "= {"),
        ("cuda-cpp", "<<<", "template <template <"),
        ("cuda-cpp", "int a0 = 1;", "const int a = a + a; k<<<a, a>>>(a);"),
        ("python", "triton\n", "k[k["),
        ("python", "triton\n", "k[1](k[1]("),
        ("python", "triton\n", "def f(a):\n a = a\n"),
        ("python", "triton\ndef k(x): pass\n", "n = 1\nk[(n,)](n, num_warps=1)\n"),
    ] {
        let _ = by_id(host).unwrap().launches(&(start.to_owned() + &part.repeat(3_000)));
    }
}

/// Names that stand for a sum of themselves, or of names that double each time.
#[test]
fn doubled_names_end_soon() {
    let call = "tl.inline_asm_elementwise(s, '=r', [x], tl.int32, True, 1)\n";
    let chain: String = (1..30).map(|at| format!("s{at} = s{0} + s{0}\n", at - 1)).collect();
    for (host, text) in [
        ("python", format!("s = s + s\n{call}")),
        ("python", format!("s = 'mov'\n{}{call}", "s += s\n".repeat(50))),
        ("python", format!("s0 = 'mov.u32 $0, 1;'\n{chain}s = s29\n{}", call.repeat(20))),
        (
            "mojo",
            "alias s = s + s\nfn f():\n    inlined_assembly[s, UInt32, constraints=\"=r\"]()\n".to_owned(),
        ),
    ] {
        let statements = by_id(host).unwrap().statements(&text);
        assert!(statements.iter().all(|statement| statement.template.text.len() < 1 << 20));
    }
}
