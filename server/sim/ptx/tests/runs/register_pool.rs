//! `setmaxnreg`: the registers that the threads of a block request together.

use crate::common::watched::watched;
use warplens_sim_warp::FindingKind;

/// The findings of a kernel whose first warpgroup executes `low` and whose others execute `high`.
fn found(directives: &str, block: u32, low: &str, high: &str) -> Vec<String> {
    let text = format!(
        ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{directives}\n{{\n\
         .reg .pred %p<2>; .reg .b32 %r<2>;\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 128;\n@%p1 bra LOW;\n\
         {high}\nbra.uni DONE;\nLOW:\n{low}\nDONE:\nret;\n}}\n"
    );
    let (_, _, result) = watched(&text, 1, block);
    assert!(result.findings.iter().all(|finding| finding.kind == FindingKind::RegisterPool));
    result.findings.into_iter().map(|finding| finding.message).collect()
}

const LOW: &str = "setmaxnreg.dec.sync.aligned.u32 24;";
const PAIR: &str = ".maxntid 256 .minnctapersm 2";

#[test]
fn the_threads_request_no_more_than_the_block_has() {
    assert!(found(PAIR, 256, LOW, "setmaxnreg.inc.sync.aligned.u32 232;").is_empty());
    let three = found(".maxnreg 168", 384, LOW, "setmaxnreg.inc.sync.aligned.u32 248;");
    assert_eq!(three.len(), 1, "{three:?}");
    assert!(three[0].contains("128 x 24 + 256 x 248 > 384 x 168"), "{three:?}");
    assert!(found(".maxnreg 168", 384, LOW, "setmaxnreg.inc.sync.aligned.u32 240;").is_empty());
}

#[test]
fn rules_of_the_instruction() {
    let high = "setmaxnreg.inc.sync.aligned.u32 232;";
    let ignored = found(".maxntid 256", 256, LOW, high);
    assert!(ignored[0].contains("is ignored"), "{ignored:?}");
    let raises = found(PAIR, 256, "setmaxnreg.dec.sync.aligned.u32 136;", high);
    assert!(raises[0].contains("`setmaxnreg.dec` to 136 raises the count of 128 at entry"), "{raises:?}");
    // The assembler gives the entry no more than the largest count that is requested.
    let lowers = found(PAIR, 256, LOW, "setmaxnreg.inc.sync.aligned.u32 64;\n");
    assert!(lowers.is_empty(), "{lowers:?}");
    let second = "setp.lt.u32 %p1, %r1, 256;\n@%p1 bra MIDDLE;\nsetmaxnreg.inc.sync.aligned.u32 232;\nbra.uni DONE;\n\
                  MIDDLE:\nsetmaxnreg.inc.sync.aligned.u32 64;";
    let lowers = found(".maxnreg 128", 384, LOW, second);
    assert!(lowers[0].contains("`setmaxnreg.inc` to 64 lowers the count of 128 at entry"), "{lowers:?}");
    let one = format!("setp.lt.u32 %p1, %r1, 32;\n@%p1 {LOW}");
    assert!(found(PAIR, 256, &one, "")[0].contains("only some warps"));
}

/// Each `setmaxnreg` of a warp counts, not only the last one: what it had before, and what others hold at least meanwhile.
#[test]
fn a_warp_may_change_its_count_again() {
    let again = |high: &str| found(PAIR, 256, LOW, high);
    // After a decrease the count may rise to less than at entry.
    assert!(again("setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.inc.sync.aligned.u32 96;").is_empty());
    let raises = again("setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.dec.sync.aligned.u32 96;");
    assert!(raises[0].contains("`setmaxnreg.dec` to 96 raises the count of 40\n"), "{raises:?}");
    // 128 x 240 and at least 128 x 24 are more than 256 x 128, although the counts in the end are not.
    let meanwhile = again("setmaxnreg.inc.sync.aligned.u32 240;\nsetmaxnreg.dec.sync.aligned.u32 64;");
    assert_eq!(meanwhile.len(), 1, "{meanwhile:?}");
    assert!(meanwhile[0].contains("30720 registers are requested, and the block has 32768"), "{meanwhile:?}");
    assert!(meanwhile[0].contains("hold at least 3072"), "{meanwhile:?}");
    assert!(again("setmaxnreg.inc.sync.aligned.u32 232;\nsetmaxnreg.dec.sync.aligned.u32 64;").is_empty());
    let one = format!("{LOW}\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 setmaxnreg.inc.sync.aligned.u32 40;");
    assert!(found(PAIR, 256, &one, "")[0].contains("only some warps"));
}

/// A barrier that puts the decrease after the increase makes the increase wait forever.
#[test]
fn an_increase_that_waits_for_a_decrease_behind_a_barrier() {
    let (low, high) = (LOW, "setmaxnreg.inc.sync.aligned.u32 232;");
    let barrier = "bar.sync 1, 256;";
    let wrong = found(PAIR, 256, &format!("{barrier}\n{low}"), &format!("{high}\n{barrier}"));
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].contains("hold at least 16384 until this `setmaxnreg.inc` is over"), "{wrong:?}");
    for (low, high) in [
        (format!("{low}\n{barrier}"), format!("{barrier}\n{high}")),
        (format!("{low}\n{barrier}"), format!("{high}\n{barrier}")),
        (format!("{barrier}\n{low}"), format!("{barrier}\n{high}")),
    ] {
        assert!(found(PAIR, 256, &low, &high).is_empty(), "{low} {high}");
    }
}
