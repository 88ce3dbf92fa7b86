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
