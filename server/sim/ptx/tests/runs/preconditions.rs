//! Operands for which an instruction's behavior is undefined, although it runs: the wrong memory, or lanes that disagree.

use crate::common::Source;
use crate::common::watched::findings;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, FindingKind, RunOptions};

/// The kinds of the findings of a body that two blocks of 32 threads run as a cluster. `%r1` is the address of the thread's word in
/// `tile`, `%r2` of the same word in the other block, `%rd2` its generic address, and `%r3` the address of `bar` there.
fn in_cluster(body: &str) -> Vec<FindingKind> {
    let text = format!(
        ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n.reqnctapercluster 2\n{{\n\
         .reg .pred %p<10>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n.shared .align 16 .b8 tile[512];\n.shared .align 8 .b64 bar;\n\
         ld.param.u64 %rd1, [out];\nmov.u32 %r4, %tid.x;\nsetp.eq.u32 %p1, %r4, 0;\nmov.u32 %r5, %cluster_ctarank;\n\
         xor.b32 %r5, %r5, 1;\nmov.u32 %r1, tile;\nmad.lo.u32 %r1, %r4, 16, %r1;\nmapa.shared::cluster.u32 %r2, %r1, %r5;\n\
         cvt.u64.u32 %rd2, %r1;\ncvta.shared.u64 %rd2, %rd2;\nmapa.u64 %rd2, %rd2, %r5;\nmov.u32 %r3, bar;\n\
         mapa.shared::cluster.u32 %r3, %r3, %r5;\nst.shared.v4.u32 [%r1], {{%r4, %r4, %r4, %r4}};\n\
         @%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n\
         barrier.cluster.arrive;\nbarrier.cluster.wait;\n{body}\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}}\n"
    );
    let mut config = launch_config([2, 1, 1], [32, 1, 1]);
    let out = config.memory.allocate("out", 1024).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let program = Source::new(&text).program("k");
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    result.findings.iter().map(|finding| finding.kind).collect()
}

/// PTX ISA, State Spaces: `.shared` is `.shared::cta`, so it does not reach the other blocks of the cluster.
#[test]
fn shared_memory_of_other_blocks_without_cluster() {
    for (wrong, right) in [
        ("ld.shared.u32 %r6, [%r2];", "ld.shared::cluster.u32 %r6, [%r2];"),
        ("ld.shared::cta.u32 %r6, [%r2];", "ld.u32 %r6, [%rd2];"),
        ("atom.shared.add.u32 %r6, [%r2], 1;", "atom.shared::cluster.add.u32 %r6, [%r2], 1;"),
        (
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r2];",
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r1];",
        ),
        (
            "@%p1 mbarrier.arrive.release.cluster.shared::cta.b64 _, [%r3];",
            "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];",
        ),
        (
            "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 1;",
            "mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 1;",
        ),
    ] {
        assert_eq!(in_cluster(right), [], "{right}");
        let found = in_cluster(wrong);
        assert!(!found.is_empty(), "{wrong}");
        assert!(found.iter().all(|kind| *kind == FindingKind::OutOfBounds), "{wrong} {found:?}");
    }
}

const ADDRESSES: &str = ".local .align 16 .b8 own[64];\nmov.u64 %rd3, own;\ncvta.local.u64 %rd3, %rd3;\nst.u32 [%rd3], 0;\n\
                         cvt.u64.u32 %rd4, %r4;\ncvta.shared.u64 %rd4, %rd4;\n";

/// PTX ISA, `atom`, `ldmatrix`, `discard` and others: behavior is undefined if a generic address is not in the space they are for.
#[test]
fn generic_addresses_in_memory_that_an_instruction_is_not_for() {
    for (wrong, right) in [
        ("atom.add.u32 %r9, [%rd3], 1;", "atom.add.u32 %r9, [%rd1], 1;"),
        ("red.add.u32 [%rd3], 1;", "red.add.u32 [%rd2], 1;"),
        ("atom.cas.b32 %r9, [%rd3], 0, 1;", "atom.cas.b32 %r9, [%rd1], 0, 1;"),
        ("discard.L2 [%rd4], 128;", "discard.L2 [%rd1], 128;"),
        ("applypriority.L2::evict_normal [%rd4], 128;", "applypriority.L2::evict_normal [%rd1], 128;"),
        ("ldu.u32 %r9, [%rd3];", "ldu.u32 %r9, [%rd2];"),
    ] {
        let found = findings("sm_90", 1, 32, &format!("{ADDRESSES}{wrong}\nret;"));
        assert!(found.contains(&format!("error out-of-bounds warp 0 lanes ffffffff: {wrong}")), "{found}");
        assert_eq!(findings("sm_90", 1, 32, &format!("{ADDRESSES}{right}\nret;")), "");
    }
}

/// PTX ISA, `wmma.load` and `barrier`: all lanes of a warp give the same address, stride, barrier and count.
#[test]
fn operands_on_which_lanes_must_agree() {
    const LOAD: &str =
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}";
    let cases = [
        (format!("{LOAD}, [%rd2], 16;"), format!("{LOAD}, [%rd1], 16;"), "no-meaning"),
        (format!("{LOAD}, [%rd1], %r9;"), format!("{LOAD}, [%rd1], %r10;"), "no-meaning"),
        ("barrier.sync %r11;".to_owned(), "barrier.sync %r10;".to_owned(), "barrier-mismatch"),
    ];
    let values =
        "and.b32 %r9, %r1, 1;\nmad.lo.u32 %r9, %r9, 16, 16;\nmov.u32 %r10, 1;\nand.b32 %r11, %r1, 1;\n";
    for (wrong, right, kind) in cases {
        let right = right.replace("[%rd1], %r10", "[%rd1], 16");
        let found = findings("sm_90", 1, 32, &format!("{values}{wrong}\nret;"));
        assert!(found.contains(&format!("error {kind} warp 0")), "{wrong} {found}");
        assert_eq!(findings("sm_90", 1, 32, &format!("{values}{right}\nret;")), "");
    }
}

/// PTX ISA, `fns`, `cp.async`, `barrier` and `wmma.load`: ranges and multiples of operands.
#[test]
fn operands_out_of_range() {
    const LOAD: &str =
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}";
    let cases = [
        ("fns.b32 %r20, 255, %r9, 1;".to_owned(), "error no-meaning"),
        (
            "cp.async.ca.shared.global [%r3], [%rd2], 4, %r9;\ncp.async.wait_all;".to_owned(),
            "error no-meaning",
        ),
        (format!("{LOAD}, [%rd3], 16;"), "warning misaligned"),
        (format!("{LOAD}, [%rd1], %r10;"), "warning misaligned"),
    ];
    let values = |nth: u32, offset: u32, stride: u32| {
        format!("mov.u32 %r9, {nth};\nadd.u64 %rd3, %rd1, {offset};\nmov.u32 %r10, {stride};\n")
    };
    for (text, expected) in cases {
        let found = findings("sm_90", 1, 32, &format!("{}{text}\nret;", values(40, 8, 18)));
        assert!(found.starts_with(expected), "{text} {found}");
        assert_eq!(findings("sm_90", 1, 32, &format!("{}{text}\nret;", values(4, 32, 24))), "");
    }
}

/// PTX ISA, `barrier`: reductions must not be intermixed with other arrivals at one barrier.
#[test]
fn reductions_at_a_barrier_of_others() {
    let arms = |first: &str, second: &str| {
        let text = format!(
            "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra LOW;\n{first}\nbra DONE;\nLOW:\n{second}\nDONE:\nret;"
        );
        findings("sm_90", 1, 64, &text)
    };
    const COUNT: &str = "bar.red.popc.u32 %r9, 0, %p1;";
    assert!(arms("bar.sync 0;", COUNT).starts_with("error barrier-mismatch"));
    assert!(arms(COUNT, "bar.red.and.pred %p2, 0, %p1;").starts_with("warning barrier-mismatch"));
    assert_eq!(arms(COUNT, COUNT), "");
    assert_eq!(arms("bar.sync 0;", "bar.sync 0;"), "");
}

/// PTX ISA, `st.async`: the data and the mbarrier are in one block of the cluster, which is not the running one.
#[test]
fn asynchronous_stores_and_their_mbarriers() {
    let store = |to: &str, mbarrier: &str| {
        in_cluster(&format!(
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 4;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n\
             st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [{to}], %r4, [{mbarrier}];\n\
             @%p1 mbarrier.arrive.shared::cta.b64 _, [bar];\nW:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n\
             @!%p2 bra W;"
        ))
    };
    assert_eq!(store("%r2", "%r3"), []);
    assert_eq!(store("%r2", "bar").first(), Some(&FindingKind::NoMeaning));
    assert_eq!(store("%r1", "bar").first(), Some(&FindingKind::NoMeaning));
}

/// PTX ISA, `cp.async.bulk.tensor`: the mbarrier is in the block of the destination. The map, which is not valid, ends the run.
#[test]
fn tensor_copies_and_their_mbarriers() {
    let copy = |to: &str, mbarrier: &str| {
        in_cluster(&format!(
            "@%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [%rd1, {{%r4}}], [{mbarrier}];"
        ))
    };
    assert_eq!(copy("tile", "%r3"), [FindingKind::NoMeaning, FindingKind::TensorMap]);
    assert_eq!(copy("%r2", "bar"), [FindingKind::NoMeaning, FindingKind::TensorMap]);
    assert_eq!(copy("%r2", "%r3"), [FindingKind::TensorMap]);
    assert_eq!(copy("tile", "bar"), [FindingKind::TensorMap]);
}

/// PTX ISA, `mbarrier.test_wait`: a token is of the same object, and of its current phase or the one before.
#[test]
fn tokens_of_other_objects_and_phases() {
    let waits = |waits: &str| {
        in_cluster(&format!(
            ".shared .align 8 .b64 m[2];\n@%p1 mbarrier.init.shared.b64 [m], 32;\n@%p1 mbarrier.init.shared.b64 [m+8], 32;\n\
             bar.sync 0;\n{waits}"
        ))
    };
    let arrive = |token: u32| {
        format!(
            "mbarrier.arrive.shared.b64 %rd{token}, [m];\nW{token}:\nmbarrier.test_wait.shared.b64 %p2, [m], %rd{token};\n\
             @!%p2 bra W{token};\n"
        )
    };
    let two = arrive(5) + &arrive(6);
    for right in [
        two.clone() + "mbarrier.test_wait.shared.b64 %p2, [m], %rd6;",
        "mbarrier.arrive.shared.b64 %rd5, [m];\nmbarrier.test_wait.shared.b64 %p2, [m], %rd5;".to_owned(),
    ] {
        assert_eq!(waits(&right), [], "{right}");
    }
    for wrong in [
        two.clone() + "mbarrier.test_wait.shared.b64 %p2, [m], %rd5;",
        two + "mbarrier.test_wait.shared.b64 %p2, [m+8], %rd6;",
    ] {
        assert_eq!(waits(&wrong), [FindingKind::Mbarrier], "{wrong}");
    }
}
