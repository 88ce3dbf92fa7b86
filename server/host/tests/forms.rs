//! How each host writes a template, and what is no statement. The statements are shown as their text, with `…` for a hole, their
//! operands and the text of the file that a marked part (`«»`) comes from.

use warplens_host::{Statement, Template, by_id};

/// The templates of a file, with holes as `…`.
fn templates(host: &str, text: &str) -> Vec<String> {
    statements(host, text)
        .iter()
        .map(|statement| statement.template.text.replace(Template::HOLE, "…"))
        .collect()
}

fn statements(host: &str, text: &str) -> Vec<Statement> {
    by_id(host).unwrap().statements(text)
}

/// Checks that a part of a template comes from the marked part of the file.
fn check_part(host: &str, marked: &str, part: &str) {
    let (start, end) = (marked.find('«').unwrap(), marked.find('»').unwrap());
    let text = marked.replace(['«', '»'], "");
    let found = statements(host, &text);
    assert_eq!(found.len(), 1, "{text}");
    let at = found[0].template.text.find(part).unwrap();
    assert_eq!(found[0].template.to_host(at..at + part.len()), Some(start..end - '«'.len_utf8()), "{marked}");
}

fn operands(host: &str, text: &str) -> Vec<String> {
    let of = |statement: Statement| {
        let operands = statement.operands.into_iter();
        operands
            .map(|one| format!("{} {}", one.constraint, one.expression.unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    statements(host, text).into_iter().flat_map(of).collect()
}

#[test]
fn cuda() {
    let of = |text: &str| templates("cuda-cpp", &format!("__device__ void f() {{ {text} }}"));
    assert_eq!(of(r#"asm("add.u32 %0, " /* a */ "%1, 1;" : "=r"(x) : "r"(y));"#), ["add.u32 %0, %1, 1;"]);
    assert_eq!(of("asm volatile(R\"x(bar.sync 0; // \")\")x\");"), ["bar.sync 0; // \")\""]);
    assert_eq!(
        of(r#"if (a) asm("bar.sync 0;"); else __asm__("bar.sync 1;");"#),
        ["bar.sync 0;", "bar.sync 1;"]
    );
    assert_eq!(of(r#"asm("ld." TYPE ".u32 %0, [%1];" : "=r"(x) : "l"(p));"#), ["ld.….u32 %0, [%1];"]);
    assert_eq!(
        of("\n#if 0\nasm(\"bar.sync 0;\");\n#elif X\nasm(\"bar.sync 1;\");\n#endif\n"),
        ["bar.sync 1;"]
    );
    assert_eq!(of("\n#if 1\nasm(\"bar.sync 0;\");\n#else\nasm(\"bar.sync 1;\");\n#endif\n"), ["bar.sync 0;"]);
    assert_eq!(of(r#"int asm_x = f("asm(\"bar.sync 0;\")"); // asm("bar.sync 0;");"#), [""; 0]);
    assert_eq!(templates("cuda-cpp", "int f(int) asm(\"bar.sync\");\nasm(\"bar.sync 0;\");\n"), [""; 0]);
    let body =
        "#define M(t) \\\n  asm volatile(\"ld.global.\" #t \" %0, [%1];\" \\\n : \"=r\"(x) : \"l\"(p))\n";
    assert_eq!(templates("cuda-cpp", body), ["ld.global.… %0, [%1];"]);
    assert_eq!(
        operands(
            "cpp",
            r#"void f() { asm("add.f32 %0, %1;" : "=f"(a::b[c ? 1 : 2]) : [x] "f"(g(1, 2)) "f"(z)); }"#
        ),
        ["=f a::b[c ? 1 : 2]", "f g(1, 2)", "f z"]
    );
    check_part("cuda-cpp", "void f() { asm(\"bar.sync 0;«\\n\\t»bar.sync 1;\"); }", "\n\t");
    check_part("cuda-cpp", "void f() { /* 😀 */ asm(\"bar.«sync\"\r\n  \" 0»;\"); }", "sync 0");
}

#[test]
fn words_that_only_ptx_has() {
    let text = "__device__ void f() { asm(\"{ xor .b32 %0, %1, %1; }\" : \"=r\"(o) : \"r\"(a)); asm volatile(\"pmevent 3;\"); }";
    assert_eq!(templates("cuda-cpp", text), ["{ xor .b32 %0, %1, %1; }", "pmevent 3;"]);
    assert_eq!(
        templates("cuda-cpp", "void f() { asm volatile(\"yield\"); asm(\"add .x, %0\" :: \"x\"(a)); }"),
        [""; 0]
    );
}

#[test]
fn rust() {
    let of = |text: &str| templates("rust", &format!("fn f() {{ unsafe {{ {text} }} }}"));
    assert_eq!(
        of(r##"asm!("add.u32 {0}, {0};", concat!("a", r#"b"#), inout(reg32) x)"##),
        ["add.u32 {0}, {0};\nab"]
    );
    assert_eq!(of(r#"asm!("mov {0}, 1", out(reg) x)"#), [""; 0]);
    assert_eq!(of(r#"ptx_asm!("mov.u32 %0, %%laneid;", out("=r") x)"#), ["mov.u32 %0, %%laneid;"]);
    assert_eq!(of(r#"asm!("ld.u32 ", $x, in(reg32) y)"#), ["ld.u32 \n…"]);
    assert_eq!(
        operands("rust", r#"fn f() { asm!("add.u32 {a};", a = in(reg32) g(1, 2), out(reg64) _) }"#),
        ["reg32 g(1, 2)", "reg64 _"]
    );
}

#[test]
fn python() {
    let of = |text: &str| templates("python", text);
    let call = |asm: &str| {
        format!("r = tl.inline_asm_elementwise({asm}, '=r,r', [x], dtype=tl.int32, is_pure=True, pack=1)\n")
    };
    assert_eq!(of(&call("'add.u32 ' \"$0, \" + f'{{$1}};'")), ["add.u32 $0, {$1};"]);
    assert_eq!(of(&call("f'add.{t}.u32 $0;'")), ["add.….u32 $0;"]);
    assert_eq!(of(&call("f'{op}.b{width} $0, $1;'")), ["….b… $0, $1;"]);
    assert_eq!(of(&call("'add.%s $0;' % t")), ["add.… $0;"]);
    assert_eq!(of(&format!("code = 'add.u32 $0;'\n{}", call("code"))), ["add.u32 $0;"]);
    assert_eq!(of(&format!("def f(code):\n  {}", call("code + '.u32;'"))), ["….u32;"]);
    assert_eq!(
        of("tl.inline_asm_elementwise(f'add{suffix} $0, $1;', '=r,r', [x], tl.int32, True, 1)"),
        ["add… $0, $1;"]
    );
    // A literal that is being typed.
    assert_eq!(of("ir.InlineAsm(t, \"add.u32 größe ä\n, \"=r\")\n"), ["add.u32 größe ä"]);
    assert_eq!(of("def inline_asm(x): return 'add.u32 $0;'\n"), [""; 0]);
    assert_eq!(
        operands("python", "y = llvm.inline_asm(T.i32(), [a, f(b)], 'add.u32 $0;', '=r,r,l,~{memory}')"),
        ["=r ", "r a", "l f(b)"]
    );
}

#[test]
fn julia_and_mojo() {
    let text = "f(x) = @asmcall(\"\"\"\n    add.u32 \\$0, \\$1;\n      ret;\n    \"\"\", \"=r,r\", true, UInt32, Tuple{UInt32}, x)";
    assert_eq!(templates("julia", text), ["add.u32 $0, $1;\n  ret;\n"]);
    assert_eq!(templates("julia", "@asmcall(\"add.$t \\$0;\", \"=r\", UInt32, Tuple{})"), [""; 0]);
    let text = "@asmcall \"add.u32 \\$0, \\$1, \\$2;\" \"=r,r,r\" UInt32 Tuple{UInt32, UInt32} a b[1, 2]\nc";
    assert_eq!(operands("julia", text), ["=r ", "r a", "r b[1, 2]"]);
    assert_eq!(
        templates("julia", "using CUDA\n@asmcall(\"membar.glb;\", \"\", true, Cvoid, Tuple{})"),
        ["membar.glb;"]
    );
    let text =
        "x = inlined_assembly[\"add.u32 $0, $1;\", UInt32, constraints=\"=r,r\", has_side_effect=False](y)";
    assert_eq!(operands("mojo", text), ["=r ", "r y"]);
    assert!(!statements("mojo", text)[0].volatile);
}
