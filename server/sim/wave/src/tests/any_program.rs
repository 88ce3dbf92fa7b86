//! A run of any kernel ends with a result and never panics.

use proptest::prelude::*;
use warplens_hir::wave as hir;
use warplens_sim_warp::trace::{Control, Limits, RunOptions};
use warplens_syntax::parse_file;

use super::{LaunchConfig, decode, device_memory, launch_config, run};

const LINES: &[&str] = &[
    "if p0",
    "if !p1",
    "else",
    "endif",
    "endif",
    "loop",
    "endloop",
    "break p0",
    "break !p1",
    "continue p2",
    "@p1 halt",
    "@!p0 if p1",
    "@p2 endif",
    "call f",
    "f: nop",
    "return",
    "barrier",
    "@p1 barrier",
    "nop nop",
    "endif endloop",
    "mov r0, sr_lane_id",
    "mov r1, sr_thread_id_z",
    "icmp.lt p0, r0, 3",
    "icmp.ge p1, r0, r1",
    "xor p2, p0, p1",
    "isub r0, r0, 1",
    "iadd r1.hi, r0.lo, r40",
    "bfi r1, r0, r1, r0, r1",
    "idiv r1, r0, r1",
    "ineg r1, 0x80000000",
    "fclamp r1, r0, 2.0, 1.0",
    "dadd r254, r253, 1.5",
    "device_load.u128 r254, r0",
    "device_store.u64 r1, r0",
    "local_store.u8 r1, 0xffffffff",
    "local_atomic_cas r1, r0, 1, 2",
    "atomic_exchange r1, r0, r1",
    "wave_shuffle_down r1, r0, -1",
    "wave_broadcast r1, r0, 99",
    "wave_reduce_add r1, r0",
    "mma_load_a r1, r0, r0",
    "mma_compute r1, r1, r1",
    "mma_store_c r0, r0, r1",
    "select r1, p0, 1, r300",
    "frobnicate",
    ".registers 2",
    ".registers 4000000000",
    ".local_memory 64",
    "iadd r0",
    "mov_imm r1, 99999999999",
];

proptest! {
    #[test]
    fn a_run_ends(
        lines in prop::collection::vec(prop::sample::select(LINES), 0..30),
        width in 0u32..70,
        threads in 0u32..100,
        groups in 0u32..4,
    ) {
        let text = format!(".kernel k\n{}\n.end", lines.join("\n"));
        let file = parse_file(warplens_syntax::wave::LANGUAGE, &text);
        let item = file.items().next().expect("a kernel");
        let launch = LaunchConfig {
            shared_memory: 256,
            memory: device_memory(256),
            ..launch_config([groups, 1, 1], [threads, 1, 1], width)
        };
        let limits = Limits { max_steps: 2_000, max_warps: 3, max_findings: 5, ..Limits::default() };
        let options = RunOptions { limits, registers: true, ..RunOptions::default() };
        let result = run(&decode(&hir::lower(item)), launch, &options, Control::none()).expect("not cancelled");
        prop_assert!(result.findings.len() <= 6);
        prop_assert!(result.totals.warp_instructions <= 2_010);
    }
}
