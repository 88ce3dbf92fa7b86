//! Inline PTX of host files: each mistake of the corpus at its characters, and no error or warning in right files.

mod certainty;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use warplens_ide::{AnalysisHost, Diagnostic, FileId, Profile, Rules, Severity, TextRange, TextSize, inline};
use warplens_test_support::shared;

fn entries(folder: &str, index: &str) -> Vec<(PathBuf, Value)> {
    let Some(folder) = shared(&format!("corpus/inline/{folder}")) else { return Vec::new() };
    let entries: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(folder.join(index)).unwrap()).unwrap();
    entries.into_iter().map(|entry| (folder.clone(), entry)).collect()
}

fn check(path: &Path, target: Option<&str>) -> (String, Vec<Diagnostic>) {
    let text = std::fs::read_to_string(path).unwrap();
    let host = warplens_host::by_extension(path.extension().unwrap().to_str().unwrap()).unwrap();
    let profile = Profile { architecture: target.map(str::to_owned), ..Profile::default() };
    let found = inline::diagnostics(host, &text, &profile, &Rules::default());
    (text, found)
}

/// Line and UTF-16 columns of a diagnostic.
fn range(text: &str, found: &Diagnostic) -> [u64; 3] {
    let (from, to) = (usize::from(found.range.start()), usize::from(found.range.end()));
    let line = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let column = |to: usize| text[line..to].encode_utf16().count() as u64;
    [text[..from].matches('\n').count() as u64, column(from), column(to)]
}

fn shown(text: &str, found: &Diagnostic) -> String {
    format!("{:?} {:?} {}: {}", range(text, found), found.severity, found.code, found.message)
}

#[test]
fn mistakes_are_found_at_their_characters() {
    let mut wrong = Vec::new();
    for (folder, case) in entries("mistakes", "cases.json") {
        let id = case["id"].as_str().unwrap();
        let (text, found) = check(&folder.join(case["file"].as_str().unwrap()), None);
        let ranges: Vec<&Value> =
            std::iter::once(&case["range"]).chain(case["also"].as_array().unwrap()).collect();
        let least = match case["severity"].as_str().unwrap() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Hint,
        };
        let at = |found: &Diagnostic| {
            ranges.iter().any(|accepted| **accepted == Value::from(range(&text, found).to_vec()))
        };
        let is_it = |found: &&Diagnostic| {
            let codes = case["codes"].as_array().unwrap();
            codes.iter().any(|code| code == found.code) && found.severity <= least && at(found)
        };
        if !found.iter().any(|found| is_it(&found)) {
            let found: Vec<_> = found.iter().map(|found| shown(&text, found)).collect();
            wrong.push(format!("{id} {ranges:?}: {found:#?}"));
        } else if case["consequences"] != true {
            let line = |found: &Diagnostic| range(&text, found)[0];
            let lines: Vec<u64> = ranges.iter().filter_map(|range| range[0].as_u64()).collect();
            let others =
                found.iter().filter(|found| !lines.contains(&line(found)) && found.severity < Severity::Hint);
            wrong.extend(others.map(|found| format!("{id}: also {}", shown(&text, found))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn problems(path: &Path) -> Vec<String> {
    let (text, found) = check(path, None);
    let found = found.iter().filter(|found| found.severity <= Severity::Warning);
    found.map(|found| format!("{}: {}", path.display(), shown(&text, found))).collect()
}

#[test]
fn right_files_have_no_error_and_no_warning() {
    let twins = entries("mistakes", "cases.json")
        .into_iter()
        .map(|(folder, case)| folder.join(case["twin"].as_str().unwrap()));
    let others = ["strings", "silent"].into_iter().flat_map(|folder| entries(folder, "index.json"));
    let files = twins.chain(others.map(|(folder, entry)| folder.join(entry["file"].as_str().unwrap())));
    let wrong: Vec<_> = files.flat_map(|file| problems(&file)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The codes and messages in a text of a host, without hints.
#[track_caller]
fn found_in(extension: &str, text: &str) -> Vec<String> {
    let host = warplens_host::by_extension(extension).unwrap();
    let found = inline::diagnostics(host, text, &Profile::default(), &Rules::default());
    let serious = found.iter().filter(|found| found.severity < Severity::Information);
    serious.map(|found| format!("{}: {}", found.code, found.message)).collect()
}

/// The codes and severities of all problems of a CUDA file.
fn severities_in(text: &str) -> Vec<(&'static str, Severity)> {
    let host = warplens_host::by_extension("cu").unwrap();
    let found = inline::diagnostics(host, text, &Profile::default(), &Rules::default());
    found.iter().map(|found| (found.code, found.severity)).collect()
}

#[test]
fn a_name_is_that_of_its_last_declaration() {
    let load = "asm volatile(\"ld.shared.f32 %0, [%1];\" : \"=f\"(v) : \"r\"(tile));";
    let array = "__shared__ __align__(16) float tile[64];";
    let kernel = |inside: &str| format!("__global__ void k() {{ float v; {inside} {load} }}");
    let reported = found_in("cu", &kernel(array));
    assert!(reported[0].starts_with("asm-address-space"), "{reported:?}");
    // The array of another function, a parameter, and a variable that hides the array.
    let other = format!("__global__ void other() {{ {array} }}");
    assert_eq!(
        found_in("cu", &format!("{other} __device__ void f(unsigned tile) {{ float v; {load} }}")),
        [""; 0]
    );
    assert_eq!(found_in("cu", &format!("{other} {}", kernel("extern unsigned tile2;"))), [""; 0]);
    assert_eq!(found_in("cu", &kernel(&format!("{array} {{ unsigned tile = 0;"))), [""; 0]);
}

#[test]
fn a_misspelled_special_register() {
    let mov = |name: &str| format!("void f() {{ int x; asm(\"mov.u32 %0, %%{name};\" : \"=r\"(x)); }}");
    for name in ["tidx.x", "laneId", "clock32", "threadIdx"] {
        let found = found_in("cu", &mov(name));
        assert!(found[0].starts_with("unresolved-name: undeclared register"), "{found:?}");
    }
    assert_eq!(found_in("cu", &mov("laneid")), [""; 0]);
}

#[test]
fn what_denies_side_effects_is_said_with_its_remedy() {
    for (extension, text, remedy) in [
        ("cu", "void f() { int x; asm(\"mov.u32 %0, %%clock;\" : \"=r\"(x)); }", "write `asm volatile`"),
        (
            "jl",
            "f() = @asmcall(\"mov.u32 \\$0, %clock;\", \"=r\", UInt32, Tuple{})",
            "write `true` after the constraints",
        ),
        (
            "jl",
            "f() = @asmcall(\"mov.u32 \\$0, %clock;\", \"=r\", false, UInt32, Tuple{})",
            "but the argument `false` lets",
        ),
        (
            "py",
            "import triton.language as tl\ndef k():\n    tl.inline_asm_elementwise(\"mov.u32 $0, %clock;\", \"=r\", [], tl.int32, True, 1)\n",
            "but the argument `True` for `is_pure` lets the compiler delete, merge or move the statement; write `False`",
        ),
        (
            "py",
            "import triton.language as tl\ndef k():\n    tl.inline_asm_elementwise(\"mov.u32 $0, %clock;\", \"=r\", [], dtype=tl.int32, is_pure=True, pack=1)\n",
            "but `is_pure=True` lets the compiler delete, merge or move the statement; write `is_pure=False`",
        ),
    ] {
        let found = found_in(extension, text);
        assert!(found.len() == 1 && found[0].contains(remedy), "{found:?}");
    }
}

/// Each text has this problem, and its right twin none.
#[track_caller]
fn assert_problems(extension: &str, cases: &[(&str, &str, &str)]) {
    for (text, right, problem) in cases {
        let found = found_in(extension, text);
        assert!(found.iter().any(|found| found.starts_with(problem)), "{text}\n{found:#?}");
        assert_eq!(found_in(extension, right), [""; 0], "{right}");
    }
}

#[test]
fn declarations_that_inlined_copies_repeat() {
    let in_scope = "void f(int a) { int o; asm(\"{ .reg .b32 t; add.s32 t, %1, 1; mov.b32 %0, t; }\" : \"=r\"(o) : \"r\"(a)); }";
    let without = in_scope.replace("{ .reg", ".reg").replace("t; }", "t;");
    let label = "void f() { asm volatile(\"bra DONE; membar.gl; DONE:\" ::: \"memory\"); }";
    let unique = label.replace("DONE", "DONE%=");
    assert_problems(
        "cu",
        &[
            (&without, in_scope, "asm-label: the register `t`"),
            (label, &unique, "asm-label: the label `DONE`"),
            (
                "void f(int a) { asm volatile(\".shared .b32 t; st.shared.b32 [t], %0;\" :: \"r\"(a) : \"memory\"); }",
                "void f(int a) { asm volatile(\"{ .shared .b32 t; st.shared.b32 [t], %0; }\" :: \"r\"(a) : \"memory\"); }",
                "asm-label: the variable `t`",
            ),
        ],
    );
    // Statements that share a register, and a scope that another statement opens.
    for shared in [
        "void f(int a) { asm volatile(\".reg .b32 t;\"); asm volatile(\"mov.b32 t, %0;\" :: \"r\"(a)); }",
        "__global__ void f() { asm volatile(\"{\"); asm volatile(\".reg .b32 t; mov.b32 t, 1;\"); asm volatile(\"}\"); }",
        "__global__ void f() { asm volatile(\".shared .b8 room[4096];\"); }",
        "__global__ void f() { asm(\"{ .reg.pred %p; .reg.b32 %t;\"); asm(\"mov.b32 %t, 1; setp.ne.b32 %p, %t, 0;\"); asm(\"}\"); }",
    ] {
        assert_eq!(found_in("cu", shared), [""; 0], "{shared}");
    }
}

#[test]
fn pointers_in_accesses_to_shared_memory() {
    let load = |before: &str, address: &str| {
        format!(
            "__device__ float f({before} float v; asm volatile(\"ld.shared.f32 %0, [%1];\" : \"=f\"(v) : \"l\"({address}) : \"memory\"); return v; }}"
        )
    };
    for (before, address) in [
        ("int i) { __shared__ float t[64];", "t + i"),
        ("int i) { __shared__ float t[64];", "(const void *)(t + i)"),
        ("int i) { float x; float *p = &x;", "p"),
        ("int i) { __shared__ float t[64]; float *p = t;", "p"),
    ] {
        let found = found_in("cu", &load(before, address));
        assert!(
            found.len() == 1 && found[0].starts_with("asm-address-space"),
            "{before} {address}: {found:?}"
        );
    }
    // A caller may pass an address of shared memory as a pointer.
    for (before, address) in [
        ("const float *p) {", "p"),
        ("const float *p, int i) {", "p + i"),
        ("float const* __restrict__ const p) {", "p"),
    ] {
        assert_eq!(
            severities_in(&load(before, address)),
            [("asm-address-space", Severity::Hint)],
            "{before} {address}"
        );
    }
    for (before, address) in [
        ("uint64_t p) {", "p"),
        ("const S *p) {", "p->address"),
        ("const S *p) {", "p->address + 4"),
        ("uint64_t a, uint64_t b) { uint64_t p = a * b;", "p"),
        ("uint64_t a) { float *p = (float *)__cvta_generic_to_shared(&x);", "p"),
        ("const float *q) { uint64_t p = address(a * q);", "p"),
        ("const float *p) { p = (const float *)__cvta_generic_to_shared(p);", "p"),
        ("const float *p) { asm(\"cvta.to.shared.u64 %0, %0;\" : \"+l\"(p));", "p"),
    ] {
        assert_eq!(found_in("cu", &load(before, address)), [""; 0], "{before} {address}");
    }
    assert_eq!(found_in("cu", &load("uint64_t const p) {", "p")), [""; 0]);
    // A parameter of another function.
    let other = "__device__ float g(const float *p) { return *p; }";
    assert_eq!(found_in("cu", &format!("{other} {}", load("", "p").replace("f( ", "f() { "))), [""; 0]);
}

/// Each statement has its addresses in shared memory in another place.
#[test]
fn every_address_in_shared_memory() {
    let with = |text: &str, address: &str| {
        format!(
            "__device__ void f(const void *g, uint64_t a) {{ __shared__ float t[64]; __shared__ uint64_t bar; asm volatile(\"{text}\" :: \"l\"({address}), \"l\"(g) : \"memory\"); }}"
        )
    };
    for (text, address) in [
        ("mbarrier.init.shared::cta.b64 [%0], 1; prefetch.global.L2 [%1];", "&bar"),
        ("cp.async.cg.shared.global [%0], [%1], 16;", "t"),
        ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [bar];", "t + 4"),
    ] {
        let found = found_in("cu", &with(text, address));
        assert!(found.iter().any(|found| found.starts_with("asm-address-space")), "{text}: {found:?}");
        let found = found_in("cu", &with(text, "a"));
        assert!(!found.iter().any(|found| found.starts_with("asm-address-space")), "{text}: {found:?}");
    }
}

#[test]
fn branches_inside_a_statement() {
    let with = |one: &str, other: &str, more: &str| {
        format!(
            "void f(int a) {{ int r; asm volatile(\"add.u32 %0, %1, 1;\\n\"\n#if X\n\"{one}\"\n#else\n\"{other}\"\n#endif\n{more} : \"=r\"(r) : \"r\"(a)); }}"
        )
    };
    let right = with("add.u32 %0, %1, 2;", "add.u32 %0, %1, 3;", "");
    assert_problems(
        "cu",
        &[
            (&with("addd.u32 %0, %1, 2;", "add.u32 %0, %1, 3;", ""), &right, "unknown-instruction"),
            (&with("add.u32 %0, %1, 2;", "addd.u32 %0, %1, 3;", ""), &right, "unknown-instruction"),
            (&with("add.u32 %0, %1, 2;", "add.u32 %0, %1, %2;", ""), &right, "asm-operand-index"),
        ],
    );
    // A condition again, in other words, has the same branch.
    let again = "\n#if defined(X)\n\"add.u32 %0, t, 1; }\"\n#endif\n";
    for right in [
        "void f(int a) { int r; asm volatile(\n#if X\n\"mov.u32 %0, 1;\"\n#else\n\"mov.u32 %0, %1;\"\n#endif\n : \"=r\"(r) : \"r\"(a)); }",
        &with("{ .reg .u32 t; mov.u32 t, 1;", "", again).replace("#if X", "#ifdef X"),
        &with("add.u32 %0, %1, 2;", "hole hole", "\"\" MACRO(a)"),
    ] {
        assert_eq!(found_in("cu", right), [""; 0], "{right}");
    }
    // More combinations than are read.
    let many: String = (0..4).map(|at| format!("\n#if X{at}\n\"addd.u32 %0, %1, 2;\"\n#endif\n")).collect();
    assert_eq!(found_in("cu", &with("", "", &many)), [""; 0]);
}

#[test]
fn names_that_no_statement_declares() {
    for statement in
        ["ld.shared.u32 tmp, [%1]; add.u32 %0, tmp, 1;", "mov.u32 %0, 1; st.shared.u32 [%1], tmp;"]
    {
        let text = format!(
            "__device__ void f(unsigned a) {{ unsigned o; asm volatile(\"{statement}\" : \"=r\"(o) : \"r\"(a) : \"memory\"); }}"
        );
        let found = found_in("cu", &text);
        assert!(found.iter().any(|found| found.starts_with("unresolved-name")), "{statement}: {found:?}");
        let declared = text.replace("f(unsigned a) {", "f(unsigned a) { asm volatile(\".reg .u32 tmp;\");");
        assert_eq!(found_in("cu", &declared), [""; 0]);
    }
}

#[test]
fn comments_have_no_code() {
    let statement = |text: &str| {
        format!(
            "__device__ void f(int a, int b) {{ int r; asm(\"{text}\" : \"=r\"(r) : \"r\"(a), \"r\"(b)); }}"
        )
    };
    for right in [
        "{ // result {%0}, inputs %1, %2\\n .reg .u32 t; add.u32 t, %1, %2; mov.u32 %0, t; }",
        "add.u32 %0, %1, %2; /* opens { here */",
        "{ /* https://x.y/z } */ .reg .u32 t; add.u32 t, %1, %2; mov.u32 %0, t; }",
        "add.u32 %0, %1, %2; /* see https://x.y */\" \"mul.lo.u32 %0, %0, 3;",
    ] {
        assert_eq!(found_in("cu", &statement(right)), [""; 0], "{right}");
    }
    let open = found_in("cu", &statement("{ add.u32 %0, %1, %2; /* } */"));
    assert!(open.len() == 1 && open[0].contains("this `{` is never closed"), "{open:?}");
}

#[test]
fn elements_in_sequence() {
    let pack = |operands: [&str; 4]| {
        let operands = operands.map(|operand| format!("\"r\"({operand})")).join(", ");
        format!(
            "__device__ void f(const unsigned *a, unsigned b0, unsigned b1, unsigned b2, unsigned b3, int i) {{ asm volatile(\"st.global.v4.b32 [%0], {{%1, %2, %3, %4}};\" :: \"l\"(a), {operands} : \"memory\"); }}"
        )
    };
    for (operands, missing) in [
        (["a[0]", "a[1]", "a[1]", "a[3]"], "a[2]"),
        (["a[i + 0]", "a[i + 1]", "a[i + 1]", "a[i + 3]"], "a[i + 2]"),
        (["a[0x0]", "a[0x1]", "a[0x1]", "a[0x3]"], "a[2]"),
        (["*(a + 0)", "*(a + 0)", "*(a + 2)", "*(a + 3)"], "*(a + 1)"),
        (["v[0].x", "v[1].x", "v[1].x", "v[3].x"], "v[2].x"),
        (["v.x", "v.y", "v.y", "v.w"], "v.z"),
        (["b0", "b1", "b2", "b2"], "b3"),
    ] {
        let found = found_in("cu", &pack(operands));
        let expected =
            format!("asm-repeated-operand: `{}` is passed twice, and `{missing}` never", twice(operands));
        assert!(found.len() == 1 && found[0].starts_with(&expected), "{found:?}");
    }
    for array in ["(&c)[4]", "c[4]"] {
        let text = pack(["c[0]", "c[1]", "c[2]", "c[2]"]);
        assert_eq!(found_in("cu", &text), [""; 0]);
        let found = found_in("cu", &text.replace("int i)", &format!("const unsigned {array})")));
        assert!(found.len() == 1 && found[0].contains("`c[3]` never"), "{found:?}");
    }
    // Vectors of two elements, a value used twice in a sum, and other sequences.
    for operands in
        [["q.x", "q.y", "q.y", "q.y"], ["c[0]", "c[1]", "c[1]", "i"], ["a[0]", "a[0]", "a[1]", "a[1]"]]
    {
        assert_eq!(found_in("cu", &pack(operands)), [""; 0], "{operands:?}");
    }
    let fma = "__device__ void f(float2 q, float *r) { float3 v; float x; asm(\"fma.rn.f32 %0, %1, %2, %3;\" : \"=f\"(x) : \"f\"(v.x), \"f\"(v.y), \"f\"(v.y)); *r = x + v.z; }";
    assert_eq!(found_in("cu", fma), [""; 0]);
}

fn twice(operands: [&str; 4]) -> &str {
    let mut later = operands.iter().enumerate().skip(1);
    later.find(|(at, operand)| operands[..*at].contains(operand)).map(|(_, operand)| *operand).unwrap()
}

#[test]
fn lambdas_run_where_they_are_called() {
    let dealloc = |group: u32| {
        format!("asm volatile(\"tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %0, 64;\" :: \"r\"(s));")
    };
    let function = |one: String, two: String| {
        format!("template<bool Two> __device__ void f(unsigned s) {{ {one} {two} }}")
    };
    let lambda = |name: &str, body: String| format!("auto {name} = [&](int) {{ {body} }};");
    let right = function(lambda("one", dealloc(1)), lambda("two", dealloc(2)));
    assert_eq!(found_in("cu", &right), [""; 0]);
    assert_problems("cu", &[(&function(dealloc(1), dealloc(2)), &right, "asm-cta-group")]);
}

#[test]
fn forms_that_no_target_has() {
    let of = |text: &str| {
        format!("__device__ void f(float x) {{ float r; asm(\"{text}\" : \"=f\"(r) : \"f\"(x)); }}")
    };
    assert_problems(
        "cu",
        &[
            (&of("ex2.f32 %0, %1;"), &of("ex2.approx.f32 %0, %1;"), "removed-form"),
            (&of("div.f32 %0, %1, %1;"), &of("div.rn.f32 %0, %1, %1;"), "removed-form"),
            (&of("mad.f32 %0, %1, %1, %1;"), &of("mad.rn.f32 %0, %1, %1, %1;"), "removed-form"),
        ],
    );
    // Targets before sm_70 have them.
    let shuffle = "__device__ void f(int x) { int r; asm volatile(\"shfl.bfly.b32 %0, %1, 1, 31;\" : \"=r\"(r) : \"r\"(x)); }";
    assert_eq!(found_in("cu", shuffle), [""; 0]);
}

#[test]
fn scopes_that_functions_and_branches_share() {
    for right in [
        "#define BEGIN asm volatile(\"{ .reg .b32 t;\")\n#define END asm volatile(\"}\")\n__global__ void k() {}",
        "struct Scope { __device__ Scope() { asm volatile(\"{ .reg .b32 t;\"); } __device__ ~Scope(); };",
        "struct Scope { __device__ Scope(); };\n__device__ Scope::~Scope() { asm volatile(\"}\"); }",
        "__device__ void f() {\n#if A\nasm(\"{ mov.b32 %0, 1;\" : \"=r\"(x));\n#else\nasm(\"{ mov.b32 %0, 2;\" : \"=r\"(x));\n#endif\nasm(\"}\"); }",
    ] {
        assert_eq!(found_in("cu", right), [""; 0], "{right}");
    }
    let open = found_in("cu", "__device__ void f() { asm volatile(\"{ membar.gl;\"); }");
    assert!(open.len() == 1 && open[0].contains("never closed"), "{open:?}");
    // The scope of another statement is closed.
    let other =
        "__device__ void g() { asm volatile(\"{ .reg .pred p; setp.eq.u32 p, 0, 0; @p membar.gl; }\"); }";
    let forgotten = format!(
        "{other} __device__ void f() {{ asm volatile(\"{{ setp.eq.u32 p, 0, 0; @p membar.gl; }}\"); }}"
    );
    let right = forgotten.replace("{ setp", "{ .reg .pred p; setp");
    assert_problems("cu", &[(&forgotten, &right, "unresolved-name")]);
}

#[test]
fn what_a_statement_really_says() {
    let mov =
        |text: &str| format!("__device__ void f(int a) {{ int o; asm(\"{text}\" : \"=r\"(o) : \"r\"(a)); }}");
    let right = mov("{ .reg .b32 tmp; mov.b32 tmp, %1; mov.b32 %0, tmp; }");
    let counted = |condition: &str| {
        format!(
            "__device__ void f() {{\n#if {condition}\nasm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n#endif\n}}"
        )
    };
    let early = "__device__ void f(int a) { int o; asm(\"add.s32 %0, %0, 1; mov.b32 %0, %1;\" : \"=r\"(o) : \"r\"(a)); }";
    let jump = early.replace(
        "add.s32 %0, %0, 1; mov.b32 %0, %1;",
        "bra S%=; L%=: add.s32 %0, %0, 1; bra E%=; S%=: mov.b32 %0, %1; bra L%=; E%=:",
    );
    assert_problems(
        "cu",
        &[
            // The destination of `mov` is no variable of the module.
            (&mov("{ mov.b32 tmp, %1; mov.b32 %0, tmp; }"), &right, "unresolved-name"),
            (
                &mov("{ .reg .b32 %r1; mov.b32 %r1, %1; mov.b32 %0, %r1; }"),
                &mov("{ .reg .b32 %%r1; mov.b32 %%r1, %1; mov.b32 %0, %%r1; }"),
                "asm-operand-index: nvcc takes `%r1`",
            ),
            (&counted("__CUDA_ARCH__ > 880"), &counted("__CUDA_ARCH__ > 890"), "needs-target"),
            (early, &jump, "asm-output-read"),
        ],
    );
    // LLVM knows registers by their width; arguments may come from a dictionary.
    for right in [
        "import triton.language as tl\ndef k(v):\n    tl.inline_asm_elementwise(\"add.u32 $0, $1, 0x8000;\", \"=f,f\", [v], tl.float32, True, 1)\n",
        "from cutlass._mlir.dialects import llvm\nx = llvm.inline_asm(T.i32(), [], \"mov.u32 $0, %clock;\", \"=r\", **kw)\n",
    ] {
        assert_eq!(found_in("py", right), [""; 0], "{right}");
    }
}

#[test]
fn an_argument_for_each_input() {
    let cute = |arguments: &str| {
        format!(
            "from cutlass._mlir.dialects import llvm\nx = llvm.inline_asm(T.i32(), [{arguments}], \"add.u32 $0, $1, $2;\", \"=r,r,r\", has_side_effects=True)\n"
        )
    };
    assert_problems(
        "py",
        &[(
            &cute("a"),
            &cute("a, b"),
            "asm-constraint-type: the constraints have 2 inputs, but the call passes 1 argument",
        )],
    );
    let julia = |arguments: &str| {
        format!(
            "f(x, y) = @asmcall(\"add.u32 \\$0, \\$1, \\$2;\", \"=r,r,r\", true, UInt32, Tuple{{UInt32}}, {arguments})"
        )
    };
    assert_problems(
        "jl",
        &[
            (&julia("x"), &julia("x, y"), "asm-constraint-type"),
            (&julia("x"), &julia("values..."), "asm-constraint-type"),
        ],
    );
    let mojo = |arguments: &str| {
        format!(
            "fn f():\n    return inlined_assembly[\"add.u32 $0, $1, $2;\", UInt32, constraints=\"=r,r,r\", has_side_effect=True]({arguments})\n"
        )
    };
    assert_problems("mojo", &[(&mojo("x, y, z"), &mojo("x, y"), "asm-constraint-type")]);
}

#[test]
fn escapes_of_each_host() {
    assert_eq!(
        found_in(
            "jl",
            "f(a) = @asmcall(\"add.u32 \\x240, \\u00241, \\0441;\\x0a\", \"=r,r\", true, UInt32, Tuple{UInt32}, a)"
        ),
        [""; 0]
    );
    let python = |text: &str| {
        format!(
            "import triton.language as tl\ndef k(v):\n    tl.inline_asm_elementwise(\"{text}\", \"=r,r\", [v], tl.int32, True, 1)\n"
        )
    };
    assert_problems(
        "py",
        &[(
            &python("add.u32 $0, $1, $7; // \\n"),
            &python("add.u32 $0, $1, $1; // \\N{BULLET}\\n"),
            "asm-operand-index",
        )],
    );
    let raw =
        "unsafe fn f() { asm!(\"{ .reg .pred p; setp.eq.u32 p, 0, 0; @p membar.gl; }\", options(raw)); }";
    assert_eq!(found_in("rs", raw), [""; 0]);
}

#[test]
fn what_the_compiler_of_the_host_is_told() {
    let mask = |volatile: &str| {
        format!("unsigned f() {{ unsigned m; asm {volatile}(\"activemask.b32 %0;\" : \"=r\"(m)); }}")
    };
    let mov = |output: &str, input: &str| {
        format!("__device__ void f(int a) {{ int o; asm(\"mov.b32 %0, %1;\" : {output} : {input}); }}")
    };
    let right = mov("\"=r\"(o)", "\"r\"(a)");
    let comment = "void f(int a) { int o; asm(\"add.u32 %0, %1, %1; // double\\n\"\n \"sub.u32 %0, %0, 1;\" : \"=r\"(o) : \"r\"(a)); }";
    assert_problems(
        "cu",
        &[
            (&mask(""), &mask("volatile"), "asm-volatile"),
            (
                &mov("\"=m\"(o)", "\"r\"(a)"),
                &right,
                "asm-constraint-type: the constraint `\"=m\"` does not exist in PTX",
            ),
            (
                &mov("\"=r\"(o)", "\"g\"(a)"),
                &right,
                "asm-constraint-type: the constraint `\"g\"` does not exist in PTX",
            ),
            (
                "__device__ void f() { asm volatile(\"trap\"); }",
                "__device__ void f() { asm volatile(\"trap;\"); }",
                "syntax-error",
            ),
            (
                &mov("\"r\"(o)", "\"r\"(a)"),
                &right,
                "asm-constraint-type: the constraint `\"r\"` of an output lacks `=`",
            ),
            (
                &mov("\"=r\"(o)", "\"=r\"(a)"),
                &right,
                "asm-constraint-type: the constraint `\"=r\"` is one of an output",
            ),
            (&comment.replace("double\\n", "double"), comment, "asm-comment"),
            (
                "__device__ void f() { asm volatile(\"membar.gl;\" ::: \"memory\", \"r5\"); }",
                "__device__ void f() { asm volatile(\"membar.gl;\" ::: \"memory\"); }",
                "asm-clobber: nvcc refuses the clobber `r5`",
            ),
            (
                "__device__ void f() { asm volatile(\"membar.gl;\" ::: \"cc\", \"memory\"); }",
                "__device__ void f() { asm volatile(\"membar.gl;\" ::: \"%memory\"); }",
                "asm-clobber: nvcc refuses the clobber `cc`",
            ),
            (
                "void f() { asm volatile(\"{.reg .u32 t; mov.u32 t, %%tid.x;}\"); }",
                "void f() { asm volatile(\"{.reg .u32 t; mov.u32 t, %tid.x;}\"); }",
                "syntax-error: `%%` stands for `%` only in a statement with a colon",
            ),
        ],
    );
    // Assembly of a CPU, in a file that is about CUDA too.
    for cpu in [
        "void cuda() { int o; asm volatile(\"mov %1, %0;\" : \"=m\"(o) : \"g\"(1)); }",
        "void cuda() { asm volatile(\"lock; addl %1, %0;\" : \"+m\"(o) : \"x\"(1)); }",
    ] {
        assert_eq!(found_in("cu", cpu), [""; 0], "{cpu}");
    }
    let load = |option: &str| {
        format!(
            "unsafe fn f(p: *const u32) -> u32 {{ let r: u32; asm!(\"ld.global.u32 {{0}}, [{{1}}];\", out(reg32) r, in(reg64) p, options({option})); r }}"
        )
    };
    assert_problems(
        "rs",
        &[(&load("nomem"), &load("readonly"), "asm-memory-clobber: `ld.global.u32` reads memory")],
    );
    let both = |constraint: &str| {
        format!(
            "unsafe fn f() {{ let mut x = 1u32; ptx_asm!(\"add.u32 %0, %0, 1;\", inout(\"{constraint}\") x); }}"
        )
    };
    assert_problems(
        "rs",
        &[
            (&both("r"), &both("+r"), "asm-constraint-type: the constraint `\"r\"` of an output lacks `+`"),
            (&both("+n"), &both("+r"), "asm-constraint-type: the constraint `\"+n\"` is that of a constant"),
        ],
    );
    let max = |text: &str, constraints: &str| {
        format!(
            "import triton.language as tl\ndef k(v):\n    tl.inline_asm_elementwise(\"{text}\", \"{constraints}\", [v], dtype=tl.float32, is_pure=True, pack=1)\n"
        )
    };
    let right = max("max.f32 $0, $1, $1;", "=f,f");
    assert_problems(
        "py",
        &[
            (
                &max("max.f32 $0, $1, $2;", "=f,f,f"),
                &right,
                "asm-constraint-type: the constraints have 2 inputs",
            ),
            (
                &max("max.f32 %0, %1, %1;", "=f,f"),
                &right,
                "asm-operand-index: operand 0 is written `$0` here",
            ),
        ],
    );
}

/// A header with many statements.
fn header() -> String {
    let function = |index: usize| {
        format!(
            "__device__ int f{index}(int a) {{\n    int r;\n    asm(\"{{ .reg .b32 t;\\n\"\n        \"add.s32 t, %1, {index};\\n\"\n        \"mul.lo.s32 %0, t, t; }}\\n\" : \"=r\"(r) : \"r\"(a));\n    return r;\n}}\n"
        )
    };
    (0..100).map(function).collect()
}

/// Also prints how long it takes to open a header and to check it after edits in the middle. `WARPLENS_HEADER` names another one.
#[test]
fn an_edit_in_a_header_gives_and_takes_a_problem() {
    let named = std::env::var("WARPLENS_HEADER").ok();
    let rounds = if named.is_some() { 50 } else { 2 };
    let text = named.map_or_else(header, |path| std::fs::read_to_string(path).unwrap());
    let host = warplens_host::by_id("cuda-cpp").unwrap();
    let file = FileId(0);
    let mut documents = AnalysisHost::new();
    let start = Instant::now();
    documents.open_host(file, host, &text);
    println!("opened in {:?}", start.elapsed());
    let first = documents.snapshot().diagnostics(file).unwrap().len();
    println!("first checked after {:?}", start.elapsed());
    let ends: Vec<usize> = text.match_indices(";\\n\"").map(|(at, _)| at).collect();
    let at = TextSize::try_from(ends[ends.len() / 2]).unwrap();
    let mut times = Vec::new();
    for _ in 0..rounds {
        for (range, insert, count) in
            [(TextRange::empty(at), ", .q", first + 1), (TextRange::at(at, 4.into()), "", first)]
        {
            let start = Instant::now();
            documents.edit(file, range, insert).unwrap();
            let found = documents.snapshot().diagnostics(file).unwrap();
            times.push(start.elapsed());
            assert!(if insert.is_empty() { found.len() == count } else { found.len() >= count });
        }
    }
    times.sort();
    println!(
        "edit to diagnostics: median {:?}, p95 {:?}",
        times[times.len() / 2],
        times[times.len() * 95 / 100]
    );
}
