//! The editor features inside the strings of inline PTX.

mod fixes;
mod rename;

use std::fmt::Write;

use expect_test::{Expect, expect};
use text_size::TextRange;
use warplens_ide_db::TokenModifiers;

use crate::analysis::AnalysisHost;
use crate::fixture::{FILE, Fixture, open_host};

fn hover(host: &str, source: &str, expect: Expect) {
    let (fixture, analysis) = open_host(host, source);
    let mut shown = String::new();
    for cursor in &fixture.cursors {
        match analysis.hover(FILE, *cursor).unwrap() {
            Some(hover) => {
                let text: Vec<_> = hover.markdown.lines().take(5).filter(|line| !line.is_empty()).collect();
                writeln!(shown, "{}: {}", fixture.show(hover.range), text.join(" / ")).unwrap();
            }
            None => writeln!(shown, "nothing").unwrap(),
        }
    }
    expect.assert_eq(&shown);
}

fn completions(host: &str, source: &str, expect: Expect) {
    let (fixture, analysis) = open_host(host, source);
    let mut shown = String::new();
    for cursor in &fixture.cursors {
        let items = analysis.completions(FILE, *cursor).unwrap();
        let first = items.iter().take(6).map(|item| item.label.as_str()).collect::<Vec<_>>();
        match items.first().map(|item| fixture.show(item.replace)) {
            Some(replaced) => writeln!(shown, "{replaced} {}", first.join(" ")).unwrap(),
            None => writeln!(shown, "nothing").unwrap(),
        }
    }
    expect.assert_eq(&shown);
}

fn definition(host: &str, source: &str, expect: Expect) {
    let (fixture, analysis) = open_host(host, source);
    let mut shown = String::new();
    for cursor in &fixture.cursors {
        let targets = analysis.definition(FILE, *cursor).unwrap();
        let targets: Vec<_> = targets.iter().map(|target| fixture.show(target.focus)).collect();
        writeln!(shown, "{}", targets.join(", ")).unwrap();
    }
    expect.assert_eq(&shown);
}

fn highlights(host: &str, source: &str, expect: Expect) {
    let (fixture, analysis) = open_host(host, source);
    let found = analysis.occurrences(FILE, fixture.cursor()).unwrap();
    let shown = found.iter().map(|found| format!("{} {:?}\n", fixture.show(found.range), found.access));
    expect.assert_eq(&shown.collect::<String>());
}

fn tokens(host: &str, source: &str, expect: Expect) {
    let (fixture, analysis) = open_host(host, source);
    let tokens = analysis.tokens(FILE).unwrap();
    let shown = tokens.iter().map(|token| {
        let written = if token.modifiers.0 & TokenModifiers::MODIFICATION.0 > 0 { " written" } else { "" };
        format!("{} {:?}{written}\n", fixture.show(token.range), token.kind)
    });
    expect.assert_eq(&shown.collect::<String>());
}

fn signature(host: &str, source: &str, expect: Expect) {
    let (fixture, analysis) = open_host(host, source);
    let help = analysis.signature_help(FILE, fixture.cursor()).unwrap();
    let shown = help.map_or_else(String::new, |help| {
        let signature = &help.signatures[help.active];
        let active = signature.active.map(|active| &signature.label[signature.parameters[active].range]);
        format!("{} @ {}", signature.label, active.unwrap_or_default())
    });
    expect.assert_eq(&shown);
}

#[test]
fn hover_of_instructions_modifiers_and_operands() {
    hover(
        "cuda-cpp",
        r#"
__device__ int f(int a, int b) {
    int r;
    asm("mul.hi.s32 %0, %[left], %2;\n\t"
        | | ||         |   |       |   |
        "add.s32 %0, %0, %2;" : "=r"(r) : [left] "r"(a + 1), "r"(b));
          |                      |                             |
    return r;
         |
}
"#,
        expect![[r#"
            nothing
            4:`mul`: **`mul.hi.s32`** · integer arithmetic · §9.7.1.3 / Multiplies two integers and gives the low half, the high half or the whole of the product. / ```ptx
            4:`mul`: **`mul.hi.s32`** · integer arithmetic · §9.7.1.3 / Multiplies two integers and gives the low half, the high half or the whole of the product. / ```ptx
            4:`.hi`: `.hi` · The upper half: of the product, or of the bytes of b. *(Which variant of the operation is meant)* / in `mul.hi.s32`: Multiplies two integers and gives the low half, the high half or the whole of the product. / Alternatives: `.lo`.
            nothing
            4:`%[left]`: **`%[left]`** · input · constraint `r` · a `.b32` register / ```cuda-cpp / a + 1 / ```
            4:`%2`: **`%2`** · input · constraint `r` · a `.b32` register / ```cuda-cpp / b / ```
            nothing
            5:`add`: **`add.s32`** · integer arithmetic · §9.7.1.1 / Adds two integers, wrapping around; packed types add element by element. / ```ptx
            5:`"=r"`: **`%0`** · output · constraint `=r` · a `.b32` register / ```cuda-cpp / r / ```
            5:`"r"`: **`%2`** · input · constraint `r` · a `.b32` register / ```cuda-cpp / b / ```
            nothing
        "#]],
    );
}

#[test]
fn hover_in_other_hosts() {
    hover(
        "rust",
        r##"
unsafe fn f(x: u32) -> u32 {
    let mut y: u32;
    asm!(r#"add.u32 {y}, {x}, %laneid;"#, y = out(reg32) y, x = in(reg32) x);
             |       |         |           |
    asm!("mov.u32 {}, {1};",
                  |   |
         "bar.warp.sync 0xffffffff;", out(reg32) y, in(reg32) x);
           |
    y
}
"##,
        expect![[r#"
            4:`add`: **`add.u32`** · integer arithmetic · §9.7.1.1 / Adds two integers, wrapping around; packed types add element by element. / ```ptx
            4:`{y}`: **`{y}`** · output · constraint `reg32` · a `.b32` register / ```rust / y / ```
            4:`%laneid`: **`%laneid`** · PTX 1.3 · `.u32` special register · §10.3 / The position of this thread in its warp, from 0 to 31. / **Facts**
            4:`y = out(reg32)`: **`{y}`** · output · constraint `reg32` · a `.b32` register / ```rust / y / ```
            5:`{}`: **`{0}`** · output · constraint `reg32` · a `.b32` register / ```rust / y / ```
            5:`{1}`: **`{1}`** · input · constraint `reg32` · a `.b32` register / ```rust / x / ```
            6:`bar`: **`bar.warp.sync`** · synchronization and communication · §9.7.15.2 / Waits until all lanes of a mask are here, and orders their memory accesses. / ```ptx
        "#]],
    );
    hover(
        "python",
        r#"
@triton.jit
def f(x, n: tl.constexpr):
    return tl.inline_asm_elementwise(
        f"""
        {{ .reg .b32 t;
           | |
        add.u32 t, $1, {n}; // {n}
         |         |    |
        mov.b32 $0, t; }}
                |   |
        """, "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
               | |
"#,
        expect![[r#"
            6:`.reg`: **`.reg`** · PTX · state space / Registers: private to a thread, fast, without an address. / **Facts**
            6:`.reg`: **`.reg`** · PTX · state space / Registers: private to a thread, fast, without an address. / **Facts**
            7:`add`: **`add.u32`** · integer arithmetic · §9.7.1.1 / Adds two integers, wrapping around; packed types add element by element. / ```ptx
            7:`$1`: **`$1`** · input · constraint `r` · a `.b32` register / ```python / x / ```
            nothing
            8:`$0`: **`$0`** · output · constraint `=r` · a `.b32` register
            8:`t`: ```ptx / .reg .b32 t; / ``` / **`t`** · register, `.b32` · written once, read once
            9:`=r`: **`$0`** · output · constraint `=r` · a `.b32` register
            9:`r`: **`$1`** · input · constraint `r` · a `.b32` register / ```python / x / ```
        "#]],
    );
}

#[test]
fn hovers_name_operands_as_the_host_writes_them() {
    let rust = "unsafe fn f(x: u32) { let y: u32; asm!(\"add.u32 {y}, {z}, {x};\", y = out(reg32) y, x = in(reg32) x); }\n                                         |\n";
    let triton = "tl.inline_asm_elementwise('shl.b32 $0, $2, 4;', '=r,r', [x], tl.int32, True, 1)\n                            |\n";
    for (host, source, operands) in [
        ("rust", rust, ["- `{y}` is **d**, written", "- `$z` is **a**, read", "- `{x}` is **b**, read"]),
        ("python", triton, ["- `$0` is **d**, written", "- `$2` is **a**, read", "- `4` is **b**, read"]),
    ] {
        let fixture = Fixture::new(source);
        let mut documents = AnalysisHost::new();
        documents.open_host(FILE, warplens_host::by_id(host).unwrap(), &fixture.text);
        let shown = documents.snapshot().hover(FILE, fixture.cursor()).unwrap().unwrap().markdown;
        for operand in operands {
            assert!(shown.contains(operand), "{operand}: {shown}");
        }
    }
}

#[test]
fn completion_puts_operands_first_and_writes_what_the_literal_needs() {
    completions(
        "cuda-cpp",
        r#"
__device__ int f(int a, long b) {
    int r;
    asm("{ .reg .b32 t, %%u; mad.lo.s32 %0, t, ; }"
                             |  |              |
        "mov.u32 %0, %%lan; add.s32 %; ad" : "=r"(r) : "r"(a), "l"(b));
                          |          |   |
    asm("add.u32 %[; add.u32 %[r], %[l;" : [r] "=r"(r) : [left] "r"(a));
                   |                 |
    asm("mo");
           |
    return r;
        |
}
"#,
        expect![[r#"
            4:`` add sub mul mad clmad mul24
            4:`mad` add sub mul mad clmad mul24
            4:`` %1 t %%u %2 %0
            5:`%%lan` %1 %2 %%tid %%ntid %%laneid %%warpid
            5:`%` %0 %1 %2
            5:`ad` add sub mul mad clmad mul24
            6:`%[` %[r] %[left]
            6:`%[` %[r] %[left]
            7:`mo` add sub mul mad clmad mul24
            nothing
        "#]],
    );
    completions(
        "rust",
        r#"
unsafe fn f(x: u32) -> u32 {
    let mut y: u32;
    asm!("add.u32 {; mov.u32 {y}, ; mov.b32 ", y = out(reg32) y, x = in(reg32) x);
                   |              |         |
    y
}
"#,
        expect![[r#"
            4:`{` {y} {x}
            4:`` {y} {x}
            4:`` {y} {x}
        "#]],
    );
    completions(
        "python",
        r#"
r = tl.inline_asm_elementwise("mov.u32 $0, %lane; add.u32 $; cvt.", "=r,r", [x], tl.int32, True, 1)
                                           |               |     |
"#,
        expect![[r#"
            2:`` $1 %tid %ntid %laneid %warpid %nwarpid
            2:`$` $0 $1
            2:`.` .rni .rzi .rmi .rpi .rn .rz
        "#]],
    );
}

#[test]
fn completion_inside_raw_strings_macros_and_joined_literals() {
    completions(
        "cpp",
        r##"
#define LOAD(x, p) asm volatile( \
    "ld.global.v2.f \n" \
                   |
    "ld.glo" "bal.u32 %0, [%1];" : "=r"(x) : "l"(p))
                 |
inline void g(unsigned x) { asm volatile(R"ptx(
   add.u32 %0, %0, 1; sub.u3
         |                   |
   )ptx" : "+r"(x)); }
"##,
        expect![[r#"
            3:`.f` .b8 .b16 .b32 .b64 .b128 .u8
            nothing
            6:`.u3` .sat .u16 .u32 .u64 .s16 .s32
            7:`` %0
        "#]],
    );
}

#[test]
fn a_placeholder_and_its_operand_lead_to_each_other() {
    definition(
        "cuda-cpp",
        r#"
__device__ int f(int a, int b) {
    int r;
    asm("{ .reg .b32 t; add.s32 t, %1, %[b];"
                                |  |     |
        "add.s32 %0, t, %1; }" : "=r"(r) : "r"(a), [b] "r"(b));
                     |            |         |       |  |
    return r;
}
"#,
        expect![[r#"
            4:`t`
            5:`"r"`
            5:`[b] "r"`
            4:`t`
            5:`%0`
            4:`%1`, 5:`%1`
            4:`%[b]`
            4:`%[b]`
        "#]],
    );
    definition(
        "rust",
        r#"
unsafe fn f(x: u32) -> u32 {
    let mut y: u32;
    asm!("add.u32 {y}, {x}, {0};", y = out(reg32) y, x = in(reg32) x);
                     |     |    |                |
    y
}
"#,
        expect![[r#"
            4:`y = out(reg32)`


            4:`{y}`, 4:`{0}`
        "#]],
    );
    definition(
        "python",
        r#"
r = tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", [x], tl.int32, True, 1)
                                       |   |        |
"#,
        expect![[r#"
            2:`=r`
            2:`r`
            2:`$0`
        "#]],
    );
}

#[test]
fn highlights_of_an_operand_and_of_a_register() {
    highlights(
        "cuda-cpp",
        r#"
__device__ int f(int a) {
    int r;
    asm("add.s32 %0, %1, %1;"
                     |
        "sub.s32 %1, %0, 1; // %1" : "=r"(r) : "r"(a));
    return r;
}
"#,
        expect![[r#"
            4:`%1` Read
            4:`%1` Read
            5:`%1` Write
            5:`%1` Read
            5:`"r"` Declaration
        "#]],
    );
    highlights(
        "rust",
        r##"
unsafe fn f(x: u32) {
    asm!(r#"{{ .reg .pred p; setp.eq.u32 p, {x}, 0;
                                         |
         @p bra done; done: }}"#, x = in(reg32) x);
}
"##,
        expect![[r#"
            3:`p` Declaration
            3:`p` Write
            4:`p` Read
        "#]],
    );
}

#[test]
fn tokens_lie_inside_the_strings() {
    tokens(
        "cuda-cpp",
        r#"
#define M(x) asm("ad" "d.u32 %0, %0, \
%%laneid; // c\n" "{ .reg .b32 %%t; }" : "+r"(x))
int asm_like = 1; // add.u32 %0
"#,
        expect![[r#"
            2:`ad` Opcode
            2:`d` Opcode
            2:`.u32` Type
            2:`%0` Register written
            2:`%0` Register
            3:`%%laneid` SpecialRegister
            3:`// c` Comment
            3:`.reg` Keyword
            3:`.b32` Type
            3:`%%t` Register
        "#]],
    );
    tokens(
        "python",
        r#"
r = tl.inline_asm_elementwise(f"add.u32 $0, $1, {n};" 'mov.b32 $0, 0x10;', "=r,r", [x], tl.int32, True, 1)
"#,
        expect![[r#"
            2:`add` Opcode
            2:`.u32` Type
            2:`$0` Register written
            2:`$1` Register
            2:`mov` Opcode
            2:`.b32` Type
            2:`$0` Register written
            2:`0x10` Number
        "#]],
    );
    tokens(
        "rust",
        r#"
unsafe fn f(x: u32) { asm!("{{ add.u32 {x}, {x}, 1; }}", "ret;", x = inout(reg32) x); }
"#,
        expect![[r#"
            2:`add` Opcode
            2:`.u32` Type
            2:`{x}` Register written
            2:`{x}` Register
            2:`1` Number
            2:`ret` Opcode
        "#]],
    );
}

#[test]
fn signature_help_for_the_operand_being_typed() {
    signature(
        "cuda-cpp",
        r#"
__device__ void f(int a, int b) { asm("fma.rn.f32 %0, %0, " : "+f"(a) : "r"(b)); }
                                                         |
"#,
        expect!["fma.rnd{.ftz}{.sat}.f32 d, a, b, c @ b"],
    );
    signature(
        "julia",
        r#"
f(x) = @asmcall("add.u32 \$0, ", "=r,r", UInt32, Tuple{UInt32}, x)
                            |
"#,
        expect!["add{.sat}.{u32,s32,u16x2,s16x2,u8x4,s8x4} d, a, b @ d"],
    );
}

/// The lens, the findings and the lanes of the statement at the cursor after it is tried.
fn try_it(host: &str, source: &str, expect: Expect) {
    let fixture = Fixture::new(source);
    let mut documents = AnalysisHost::new();
    documents.open_host(FILE, warplens_host::by_id(host).unwrap(), &fixture.text);
    assert!(documents.try_statement(FILE, fixture.cursor()));
    let analysis = documents.snapshot();
    let mut shown = String::new();
    for lens in analysis.try_lenses(FILE) {
        writeln!(shown, "{} {}", fixture.show(lens.range), lens.title).unwrap();
    }
    for found in analysis.diagnostics(FILE).unwrap() {
        let message = found.message.lines().next().unwrap_or_default();
        writeln!(shown, "{} {}: {message}", fixture.show(found.range), found.code).unwrap();
    }
    expect.assert_eq(&shown);
}

#[test]
fn trying_a_statement_shows_its_outputs_lane_by_lane() {
    try_it(
        "cuda-cpp",
        r#"
__device__ int f(int a, int b, float c) {
    int r; float s;
    // @try { a = 1, b = "iota" }
    asm("{ .reg .b32 t; sub.s32 t, %3, %2; mul.lo.s32 %0, t, t; mul.f32 %1, %4, 0f3F000000; }"
                         |
        : "=r"(r), "=f"(s) : "r"(a), "r"(b), "f"(c));
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
"#,
        expect![[r#"
            5:`asm` ▽ r = 1 0 1 4 9 16 25 36 …, s = 0.5*lane + 100.0
            7:`asm` ▷ Try it
        "#]],
    );
    try_it(
        "rust",
        r#"
unsafe fn f(x: u32, p: *const u32) -> u32 {
    let mut y: u32;
    asm!("ld.global.u32 {y}, [{p}]; shl.b32 {y}, {y}, {x};", y = out(reg32) y, x = in(reg32) x, p = in(reg64) p);
           |
    y
}
"#,
        expect![[r#"
            4:`asm` ▽ y = 0 8 32 96 256 640 1536 3584 …
        "#]],
    );
    try_it(
        "python",
        r#"
# @try { x = [1, 2, 3], "$2" = -4 }
r = tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [x, y], tl.int32, True, 1)
                                |
"#,
        expect![[r#"
            3:`inline_asm_elementwise` ▽ $0 = -3 -2 -1 -3 -2 -1 -3 -2 …
        "#]],
    );
}

#[test]
fn trying_a_statement_shows_its_findings() {
    try_it(
        "cuda-cpp",
        r#"
__device__ void f(unsigned a, int x) {
    asm volatile("{ .reg .b32 t; st.shared.u32 [%0], t; div.u32 %1, %1, 0; }" :: "r"(a), "r"(x) : "memory");
                     |
}
"#,
        expect![[r#"
            3:`asm` ▽ 2 findings
            3:`%1` asm-input-written: `%1` (`x`) is written, but is an input: the compiler assumes that it keeps its value; make it an output with `+`
            3:`st.shared.u32 [%0], t;` uninitialized-read: Uninitialized read: `t` in lanes 0-31, before it is written
            3:`div.u32 %1, %1, 0;` division-by-zero: Division by zero: in lanes 0-31
        "#]],
    );
    try_it(
        "cuda-cpp",
        r#"
__device__ int f(int a) {
    asm("add.s32 %0, %0, 1;" : "+r"(a)); // @try { b = 1 }
          |
    return a;
}
"#,
        expect![[r#"
            3:`asm` Not run: `@try`: no input is named `b`
        "#]],
    );
}

#[test]
fn several_warps_wait_at_a_barrier_that_one_never_passes() {
    let statement = |comment: &str| {
        format!(
            r#"
__device__ void f(unsigned a, int x) {{
    {comment}
    asm("{{ .reg .b32 t; st.shared.u32 [%1], %2; bar.sync 1, 64; xor.b32 t, %1, 512; ld.shared.u32 %0, [t]; }}"
          |
        : "=r"(x) : "r"(a), "r"(x) : "memory");
}}
"#
        )
    };
    try_it(
        "cuda-cpp",
        &statement("// @try { warps = 2 }"),
        expect![[r#"
        4:`asm` ▽ warp 0 of 2: x = lane + 132
    "#]],
    );
    try_it(
        "cuda-cpp",
        &statement("// alone"),
        expect![[r#"
        4:`asm` ▽ x is not written, 1 finding
        4:`bar.sync 1, 64;` no-progress: Deadlock: lanes 0-31 of warp 0 wait at a barrier that others do not reach
    "#]],
    );
    try_it(
        "cuda-cpp",
        &statement("// @try { warps = 64 }"),
        expect![[r#"
        4:`asm` Not run: `@try`: `warps` must be a number from 1 to 32
    "#]],
    );
}

#[test]
fn hover_of_a_tried_statement_has_the_values_of_its_lanes() {
    let source = r#"
__device__ int f(int a) {
    int r;
    asm("mul.lo.s32 %0, %1, %1;" : "=r"(r) : "r"(a));
                     |
    return r;
}
"#;
    let fixture = Fixture::new(source);
    let mut documents = AnalysisHost::new();
    documents.open_host(FILE, warplens_host::by_id("cuda-cpp").unwrap(), &fixture.text);
    documents.try_statement(FILE, fixture.cursor());
    // The run follows an edit.
    let at = fixture.text.find("lo.s32").unwrap() as u32;
    documents.edit(FILE, TextRange::at(at.into(), 2.into()), "lo").unwrap();
    let hover = documents.snapshot().hover(FILE, fixture.cursor()).unwrap().unwrap();
    let shown = hover.markdown.split("\n\n---").next().unwrap();
    expect![[r#"
        **`%0`** after this line:

        ```text
        lane   +0   +1   +2   +3   +4   +5   +6   +7
           0    0    1    4    9   16   25   36   49
           8   64   81  100  121  144  169  196  225
          16  256  289  324  361  400  441  484  529
          24  576  625  676  729  784  841  900  961
        ```

        **All 32 lanes** reached this line, once.

        Launch *try*, block 0,0,0, warp 0, model `stack`."#]]
    .assert_eq(shown);
    assert!(documents.try_statement(FILE, fixture.cursor()));
    assert_eq!(documents.snapshot().try_lenses(FILE)[0].title, "▷ Try it");
}

#[test]
fn launches_have_lenses_with_their_sizes() {
    let source = "
const int n = 1000;
void f(int m) {
    k<<<(n + 255) / 256, 256, 1024>>>(n);
    |
    k<<<m, 256>>>(n);
    k<<<dim3(2, 3), dim3(4, 4)>>>(n);
}
";
    let (fixture, analysis) = open_host("cuda-cpp", source);
    let lenses = analysis.summaries(FILE).unwrap();
    let shown = lenses.iter().map(|(range, title)| format!("{} {title}\n", fixture.show(*range)));
    expect![[r#"
        4:`k<<<(n + 255) / 256, 256, 1024>>>(n)` launch: grid 4, block 256 (8 warps), 1024 bytes of shared memory
        6:`k<<<dim3(2, 3), dim3(4, 4)>>>(n)` launch: grid 2,3, block 4,4 (1 warp)
    "#]]
    .assert_eq(&shown.collect::<String>());
}
