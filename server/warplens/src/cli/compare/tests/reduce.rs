//! Reductions: with a script as the assembler, and if `WARPLENS_FAULTY_PTXAS` names one, with a faulty assembler of NVIDIA's.

use std::path::Path;

use warplens_sim_warp::SplitMix64;

use super::*;

/// A script instead of `ptxas`. Its machine code is the file itself.
#[cfg(unix)]
const PTXAS: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "Cuda compilation tools, release 0.1, V0.1.2"; exit 0; }
while [ "$1" != -o ]; do input=$1; shift; done
cp "$input" "$2"
"#;

/// A script instead of `nvdisasm`, which translates statement by statement. It has a fault: `and` of a difference becomes `or`.
#[cfg(unix)]
const NVDISASM: &str = r#"#!/bin/sh
awk '
function r(name, half) {
    if (name ~ /^%rd/) return "R" (80 + 2 * substr(name, 4) + half)
    return name ~ /^%r/ ? "R" (10 + substr(name, 3)) : sprintf("0x%x", name)
}
function put(code) { printf "        /*%04x*/                   %s ;\n", at, code; at += 16 }
/\.entry/ {
    name = $3; sub(/\(.*/, "", name)
    print "\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)\""
    print "\t.section\t.text." name ",\"ax\",@progbits\n\t.global\t\t" name "\n.text." name ":"
}
/^ *\.param/ { gsub(/[,)]/, ""); offset[$3] = 352 + 8 * parameters++ }
/;/ {
    gsub(/[,;]/, " "); gsub(/[\[\]]/, "")
    if ($1 == "ld.param.u64") {
        for (half = 0; half < 2; half++) put(sprintf("MOV %s, c[0x0][0x%x]", r($2, half), offset[$3] + 4 * half))
    } else if ($1 == "mov.u32" && $3 == "%tid.x") put("S2R " r($2) ", SR_TID.X")
    else if ($1 == "mul.wide.u32") put("IMAD.WIDE.U32 " r($2) ", " r($3) ", " r($4) ", RZ")
    else if ($1 == "add.s64") {
        put("IADD3 " r($2) ", P0, " r($3) ", " r($4) ", RZ")
        put("IADD3.X " r($2, 1) ", " r($3, 1) ", " r($4, 1) ", RZ, P0, !PT")
    }
    else if ($1 == "ld.global.u32") put("LDG.E " r($2) ", [" r($3) ".64]")
    else if ($1 == "st.global.u32") put("STG.E [" r($2) ".64], " r($3))
    else if ($1 == "add.s32") put("IADD3 " r($2) ", " r($3) ", " r($4) ", RZ")
    else if ($1 == "sub.s32") { put("IADD3 " r($2) ", " r($3) ", -" r($4) ", RZ"); difference[$2] = 1 }
    else if ($1 == "xor.b32") put("LOP3.LUT " r($2) ", " r($3) ", " r($4) ", RZ, 0x3c, !PT")
    else if ($1 == "or.b32") put("LOP3.LUT " r($2) ", " r($3) ", " r($4) ", RZ, 0xfc, !PT")
    else if ($1 == "and.b32")
        put("LOP3.LUT " r($2) ", " r($3) ", " r($4) ", RZ, " (difference[$3] ? "0xfc" : "0xc0") ", !PT")
    else if ($1 == "ret") put("EXIT")
}' "$2"
"#;

/// A kernel in which random statements surround those that compute `%r5` from `%r4`.
fn surrounded(target: &str, statements: &[&str], seed: u64) -> String {
    let mut random = SplitMix64(seed);
    let mut below = |limit: usize| (random.next() % limit as u64) as usize;
    let mut body = Vec::new();
    let mut last = 20;
    for number in 0..40 {
        if number == 17 {
            body.extend(statements.iter().map(|statement| (*statement).to_owned()));
        }
        let opcode = ["add.s32", "xor.b32", "or.b32", "sub.s32"][below(4)];
        let mut operand = || if last == 20 { 3 + below(2) } else { 20 + below(last - 19) };
        let (one, other) = (operand(), operand());
        last += 1;
        body.push(format!("{opcode} %r{last}, %r{}, %r{};", one.max(3), if other == 20 { 3 } else { other }));
    }
    let body: String =
        body.iter().map(|statement| format!("    {}\n", statement.replace("%r20,", "%r3,"))).collect();
    format!(
        "\
.version 8.5
.target {target}
.address_size 64
.visible .entry k(
    .param .u64 out,
    .param .u64 in
)
{{
    .reg .b32 %r<100>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r3, [%rd5];
    add.s32 %r4, %r3, 3;
{body}    xor.b32 %r6, %r5, %r{last};
    st.global.u32 [%rd4], %r6;
    ret;
}}
"
    )
}

const LAUNCH: [&str; 4] = ["--arg", "out=u32[64]:zero", "--arg", "in=u32[64]:random"];

/// The kernel of a reduction. Checks that it shows the difference with the written launch.
fn reduced(folder: &Folder, flags: &[&str]) -> (usize, String) {
    let folder = folder.0.display().to_string();
    let file = format!("{folder}/k.ptx");
    let output = format!("{folder}/out");
    let mut all = vec!["compare", &*file, "--reduce", "-o", &*output, "--format", "json"];
    let flags: Vec<String> = flags.iter().map(|flag| flag.replace('~', &folder)).collect();
    all.extend(flags.iter().map(String::as_str));
    let (text, outcome) = answer(&all);
    assert_eq!(outcome, Outcome::Errors, "{text}");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let reduced = &report["reduced"];
    assert_eq!(reduced["complete"], true, "{reduced}");
    let path = |index: usize| reduced["files"][index].as_str().expect("a file").to_owned();
    let (text, outcome) = answer(&["compare", &path(0), &path(1)]);
    assert_eq!(outcome, Outcome::Errors, "{text}");
    let kernel = std::fs::read_to_string(path(0)).expect("readable");
    let after = reduced["statements"][1].as_u64().expect("a number") as usize;
    (after, kernel)
}

#[cfg(unix)]
fn with_tools(name: &str, kernel: &str) -> Folder {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(name, &[("k.ptx", kernel), ("ptxas", PTXAS), ("nvdisasm", NVDISASM)]);
    for tool in ["ptxas", "nvdisasm"] {
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.0.join(tool), executable).expect("an executable");
    }
    folder
}

#[cfg(unix)]
#[test]
fn a_fault_of_an_assembler() {
    let fault = ["sub.s32 %r7, %r4, %r3;", "and.b32 %r5, %r7, %r4;"];
    let folder = with_tools("reduce", &surrounded("sm_80", &fault, 1));
    let flags = [&["--ptxas", "~/ptxas", "--grid", "1", "--block", "32"][..], &LAUNCH].concat();
    let (_, kernel) = reduced(&folder, &flags);
    expect![[r#"
        .version 8.5
        .target sm_80
        .address_size 64
        .visible .entry k(
            .param .u64 out,
            .param .u64 in
        )
        {
            .reg .b32 %r<4>;
            .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [out];
            ld.param.u64 %rd2, [in];
            ld.global.u32 %r1, [%rd2];
            sub.s32 %r2, %r1, %r1;
            and.b32 %r3, %r2, %r1;
            st.global.u32 [%rd1], %r3;
            ret;
        }
    "#]]
    .assert_eq(&kernel);
    let launch = std::fs::read_to_string(folder.0.join("out/warplens.toml")).expect("readable");
    expect![[r##"
        # Written by warplens compare --reduce.
        # warplens compare reduced.ptx reduced.sass

        [[launch]]
        name = "1 x 1"
        file = "reduced.ptx"
        entry = "k"
        grid = [1, 1, 1]
        block = [1, 1, 1]
        args = [
          { name = "out", buffer = "u32", values = [0] },
          { name = "in", buffer = "u32", values = [2298633409] },
        ]
    "##]]
    .assert_eq(&launch);
}

/// Two PTX kernels. Statements that both have are removed from both.
#[test]
fn two_kernels_of_one_language() {
    let right = surrounded("sm_80", &["sub.s32 %r7, %r4, %r3;", "and.b32 %r5, %r7, %r4;"], 2);
    let wrong = right.replace("and.b32 %r5", "or.b32 %r5");
    let folder = Folder::new("reduce-pair", &[("k.ptx", &right), ("b.ptx", &wrong)]);
    let flags = [&["~/b.ptx", "--grid", "1", "--block", "32"][..], &LAUNCH].concat();
    let (_, kernel) = reduced(&folder, &flags);
    expect![[r#"
        .version 8.5
        .target sm_80
        .address_size 64
        .visible .entry k(
            .param .u64 out,
            .param .u64 in
        )
        {
            .reg .b32 %r<4>;
            .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [out];
            ld.param.u64 %rd2, [in];
            mov.u32 %r1, %tid.x;
            ld.global.u32 %r2, [%rd2];
            and.b32 %r3, %r2, %r1;
            st.global.u32 [%rd1], %r3;
            ret;
        }
    "#]]
    .assert_eq(&kernel);
    let other = std::fs::read_to_string(folder.0.join("out/reduced-b.ptx")).expect("readable");
    assert_eq!(other, kernel.replace("and.b32", "or.b32"));
}

#[test]
fn one_kernel_under_two_models() {
    let folder = Folder::new("reduce-models", &[("k.ptx", MASK)]);
    folder.check(
        &["~/k.ptx", "--models", "stack,ipdom", "--reduce", "-o", "~/out"],
        Outcome::Errors,
        expect![[r#"
            stack and ipdom: launch inferred, grid 1, block 32
              stack: finished, 12 warp instructions
              ipdom: finished, 13 warp instructions

            out[0] differs; 16 of 32768 elements differ
              stack: 65535, stored by thread (0,0,0) of block (0,0,0), lane 0 of warp 0
                ~/k.ptx:19: st.global.u32 [%rd3], %r2;
              ipdom: 255, stored by thread (0,0,0) of block (0,0,0), lane 0 of warp 0
                ~/k.ptx:19: st.global.u32 [%rd3], %r2;

            first different step of thread (0,0,0) of block (0,0,0), lane 0 of warp 0
              stack: %r2 = 65535 (visit 1)
                ~/k.ptx:15: activemask.b32 %r2;
              ipdom: %r2 = 255 (visit 1)
                ~/k.ptx:15: activemask.b32 %r2;

            different results
            compared: 1 launch, 1 buffer, 32768 elements; not compared: timing, the order of atomics on floats

            reduced from 12 statements to 12, 72 candidates tried

                .version 8.5
                .target sm_90
                .address_size 64
                .visible .entry mask(.param .u64 out)
                {
                    .reg .pred %p<3>; .reg .u32 %r<3>; .reg .u64 %rd<4>;
                    ld.param.u64 %rd1, [out];
                    mov.u32 %r1, %laneid;
                    mov.u32 %r2, 0;
                    setp.lt.u32 %p1, %r1, 8;
                    setp.ge.u32 %p2, %r1, 16;
                    @%p1 bra INSIDE;
                    @%p2 bra JOIN;
                INSIDE:
                    activemask.b32 %r2;
                JOIN:
                    mul.wide.u32 %rd2, %r1, 4;
                    add.u64 %rd3, %rd1, %rd2;
                    st.global.u32 [%rd3], %r2;
                    ret;
                }

            stack and ipdom: launch inferred, grid 1, block 32
            out[0] differs; 16 of 32 elements differ
              stack: 65535, stored by thread (0,0,0) of block (0,0,0), lane 0 of warp 0
                ~/k.ptx:19: st.global.u32 [%rd3], %r2;
              ipdom: 255, stored by thread (0,0,0) of block (0,0,0), lane 0 of warp 0
                ~/k.ptx:19: st.global.u32 [%rd3], %r2;

            written: ~/out/reduced.ptx, ~/out/warplens.toml
        "#]],
    );
}

#[test]
fn what_cannot_be_reduced() {
    let folder = Folder::new("reduce-not", &[("a.ptx", SCALE), ("b.ptx", &off_by_one()), ("c.ptx", SCALE)]);
    let pair = ["~/a.ptx", "~/b.ptx", "--launch", "small", "--reduce"];
    std::fs::create_dir(folder.0.join("full")).expect("a folder");
    std::fs::write(folder.0.join("full/warplens.toml"), "[[launch]]\n").expect("a file");
    folder.check(
        &[&pair[..], &["-o", "~/full"]].concat(),
        Outcome::Unusable,
        expect!["--reduce: ~/full/warplens.toml already exists; name another folder with `-o`"],
    );
    folder.check(
        &["~/a.ptx", "~/c.ptx", "--reduce", "-o", "~/equal"],
        Outcome::Success,
        expect![[r#"
        ~/a.ptx and ~/c.ptx: launch small, grid 2, block 64
          ~/a.ptx: finished, 52 warp instructions
          ~/c.ptx: finished, 52 warp instructions

        same results in 1 buffer
        compared: 1 launch, 1 buffer, 128 elements; not compared: timing, the order of atomics on floats
    "#]],
    );
    folder.check(
        &["~/a.ptx", "~/c.ptx", "-o", "~/out"],
        Outcome::Unusable,
        expect![[r#"
        error: the following required arguments were not provided:
          --reduce

        Usage: compare --reduce --output <DIR> <FILE> <OTHER>

        For more information, try '--help'.
    "#]],
    );
    let sample = |path| warplens_test_support::sample(path).display().to_string();
    let ptx = sample("ptx-exec/kernels/scale.ptx");
    let sass = sample("sass-exec/sass/scale__sm80.sass");
    let (text, outcome) = answer(&["compare", &ptx, &sass, "--reduce", "-o", "/nonexistent/x"]);
    assert!(text.contains("cannot be reduced: only kernels"), "{text}");
    assert_eq!(outcome, Outcome::Unusable);
    let wave = Folder::new("reduce-wave", &[("a.wave", WAVE), ("b.wave", WAVE)]);
    wave.check(&["~/a.wave", "~/b.wave", "--reduce"], Outcome::Unusable, expect!["--reduce: ~/a.wave cannot be reduced: only kernels of PTX can. A listing is the machine code of one kernel; with `--ptxas`, the assembler makes it of each smaller kernel"]);
}

const WAVE: &str = ".kernel k\n.registers 4\n    mov_imm r1, 1\n    halt\n.end\n";

/// Real faults are reduced to a few statements, from kernels of 40 statements.
#[test]
fn real_faults() {
    // One of 12.9 to 13.2.
    let Some(ptxas) = warplens_test_support::program_of("WARPLENS_FAULTY_PTXAS") else { return };
    let rotation = [
        "mov.b64 %rd6, {%r4, %r3};",
        "shl.b64 %rd7, %rd6, 8;",
        "shr.u64 %rd8, %rd6, 56;",
        "sub.u64 %rd9, %rd7, %rd8;",
        "cvt.u32.u64 %r5, %rd9;",
    ];
    let maximum = [
        "neg.s32 %r7, %r3;",
        "max.s32 %r8, %r3, %r7;",
        "neg.s32 %r9, %r4;",
        "max.s32 %r10, %r4, %r9;",
        "max.s32 %r5, %r8, %r10;",
    ];
    for (target, fault) in [("sm_80", rotation), ("sm_90", maximum)] {
        for seed in [1, 2] {
            let folder = Folder::new("reduce-real", &[("k.ptx", &surrounded(target, &fault, seed))]);
            let flags = ["--ptxas", &*ptxas, "--grid", "1", "--block", "32"];
            let (after, kernel) = reduced(&folder, &[&flags[..], &LAUNCH].concat());
            assert!(after <= 12, "{after} statements\n{kernel}");
        }
    }
    assert!(Path::new(&ptxas).is_file());
}
