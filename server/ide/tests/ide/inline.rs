//! Inline PTX of host files: each mistake of the corpus at its characters, and no error or warning in right files.

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
        ],
    );
    // Statements that share a register, and a scope that another statement opens.
    for shared in [
        "void f(int a) { asm volatile(\".reg .b32 t;\"); asm volatile(\"mov.b32 t, %0;\" :: \"r\"(a)); }",
        "__global__ void f() { asm volatile(\"{\"); asm volatile(\".reg .b32 t; mov.b32 t, 1;\"); asm volatile(\"}\"); }",
        "__global__ void f() { asm volatile(\".shared .b8 room[4096];\"); }",
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
        ("const float *p) {", "p"),
        ("const float *p, int i) {", "p + i"),
        ("int i) { __shared__ float t[64];", "t + i"),
        ("int i) { __shared__ float t[64];", "(const void *)(t + i)"),
        ("int i) { float x; float *p = &x;", "p"),
    ] {
        let found = found_in("cu", &load(before, address));
        assert!(
            found.len() == 1 && found[0].starts_with("asm-address-space"),
            "{before} {address}: {found:?}"
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
    ] {
        assert_eq!(found_in("cu", &load(before, address)), [""; 0], "{before} {address}");
    }
    // A parameter of another function.
    let other = "__device__ float g(const float *p) { return *p; }";
    assert_eq!(found_in("cu", &format!("{other} {}", load("", "p").replace("f( ", "f() { "))), [""; 0]);
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
            (&mov("\"=m\"(o)", "\"r\"(a)"), &right, "asm-constraint-type: nvcc does not know"),
            (&mov("\"=r\"(o)", "\"g\"(a)"), &right, "asm-constraint-type: nvcc does not know"),
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
