//! Inputs designed to exhaust memory or time: sizes in a text or a launch, and files that never end.

use std::process::{Command, Output, Stdio};

use crate::support::{Folder, server};

/// Numbers around the limits of 32 and 64 bits, and one beyond.
const SIZES: [&str; 5] = [
    "4000000000",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "1000000000000000000000000000000",
];

/// Kernels in which `N` is a size.
const KERNELS: [&str; 12] = [
    ".entry k(.param .b8 p[N]) { ret; }",
    ".entry k(.param .align 2147483648 .b8 q[4], .param .align 2147483648 .b8 p[N][N]) { ret; }",
    ".entry k() { .shared .b8 p[N]; .reg .b32 %r<2>; ld.shared.b32 %r1, [p]; ret; }",
    ".shared .b8 p<N>; .local .b8 q<N>; .global .b8 g<N>; .entry k() { ret; }",
    ".entry k() { .local .b8 p[N]; .reg .b32 %r<2>; ld.local.b32 %r1, [p]; ret; }",
    ".local .b8 p[N] = {1}; .entry k() { ret; }",
    ".global .b8 p[N] = {1, 2}; .entry k() { ret; }",
    ".global .b8 p[0][N][N] = {{1}}; .entry k() { ret; }",
    ".const .b8 p[N]; .entry k() { ret; }",
    ".entry k() { .reg .b32 %r<N>; mov.u32 %r1, 1; add.u32 %r3999999999, %r1, %r1; ret; }",
    ".func f(.param .b8 p[N]) { ret; } .entry k() { .param .b8 q[N]; call f, (q); ret; }",
    ".entry k() .maxntid N, N .minnctapersm N .maxnreg N { .reg .b64 %rd<2>; alloca.u64 %rd1, N; ret; }",
];

/// Runs the program with 3 GB of address space, on systems that can limit it.
fn run(arguments: &[&str], input: &str) -> Output {
    let folder = Folder::new();
    let file = folder.write("k", input);
    let mut command = if cfg!(target_os = "linux") {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -v 3000000; exec \"$0\" \"$@\""]).arg(server());
        limited
    } else {
        Command::new(server())
    };
    let input = std::fs::File::open(file).expect("it was written");
    command.args(arguments).current_dir(folder.path()).stdin(Stdio::from(input));
    command.env_remove("WARPLENS_LOG").output().expect("the program runs")
}

/// Checks that the program ended by itself and without a panic.
fn assert_survived(output: &Output, input: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0..=3)), "{:?} {error}\n{input}", output.status);
    assert!(!error.contains("panicked"), "{error}\n{input}");
}

#[test]
fn sizes_in_a_text_are_bounded() {
    for size in SIZES {
        for kernel in KERNELS {
            let text = format!(".version 8.5\n.target sm_90\n{}\n", kernel.replace('N', size));
            for command in [&["sim"][..], &["check", "--hints"], &["fmt"]] {
                assert_survived(&run(&[command, &["--language", "ptx", "-"]].concat(), &text), &text);
            }
        }
    }
}

#[test]
fn sizes_in_a_launch_are_bounded() {
    let kernel = ".entry k(.param .u64 x) { ret; }";
    for size in SIZES {
        for key in [
            format!("block = [{size}]"),
            format!("cluster = [{size}]"),
            format!("dynamic_shared = {size}"),
            format!("args = [{{ buffer = \"f64\", len = {size}, fill = \"iota\" }}]"),
            format!("args = [{{ fields = [{{ at = {size}, u32 = 1 }}] }}]"),
        ] {
            let text = format!("// @launch {{ {key} }}\n{kernel}\n");
            assert_survived(&run(&["sim", "--language", "ptx", "-"], &text), &text);
        }
        for key in ["device_memory", "local_memory", "wave_width"] {
            let text = format!("; @launch {{ {key} = {size} }}\n.kernel k\nhalt\n.end\n");
            assert_survived(&run(&["sim", "--language", "wave-asm", "-"], &text), &text);
        }
        let text = format!(".kernel k\n.local_memory {size}\n.registers {size}\nhalt\n.end\n");
        for model in ["structured", "wave-emu"] {
            let output = run(&["sim", "--language", "wave-asm", "--model", model, "-"], &text);
            assert_survived(&output, &text);
        }
    }
}

#[test]
fn too_many_bytes_of_parameters_are_reported() {
    let text = ".entry k(.param .b8 p[4000000000]) { ret; }\n";
    let output = run(&["sim", "--language", "ptx", "-"], text);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("`k` has 4000000000 bytes of parameters; the limit is 32764"), "{error}");
}

/// A box of 2^32 rows, which the driver accepts: only the copy knows that it exceeds any shared memory.
#[test]
fn a_box_that_is_larger_than_shared_memory_is_reported() {
    let text = r#".version 8.3
.target sm_90
.address_size 64
// @launch { args = [{ tensormap = { buffer = { buffer = "u32", len = 64 }, dims = [4, 1, 1, 1, 1], strides = [16, 16, 16, 16], box = [4, 256, 256, 256, 256] } }] }
.visible .entry k(.param .align 64 .b8 m[128])
{
    .reg .b64 %rd<2>;
    .reg .pred %p;
    .reg .b32 %r;
    .shared .align 128 .b8 t[1024];
    .shared .align 8 .b8 bar[8];
    mov.u32 %r, %tid.x;
    setp.eq.u32 %p, %r, 0;
    mov.b64 %rd1, m;
    cvta.param.u64 %rd1, %rd1;
    @%p mbarrier.init.shared::cta.b64 [bar], 1;
    @%p cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [t], [%rd1, {0, 0, 0, 0, 0}], [bar];
    ret;
}
"#;
    let output = run(&["sim", "--language", "ptx", "-"], text);
    assert_survived(&output, text);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("error[out-of-bounds]") && printed.contains("--> -:17:"), "{printed}");
}
