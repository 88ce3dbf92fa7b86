//! Lowering and analyzing a listing never panics and never takes quadratic time, whatever its text.

use std::hint::black_box;
use std::sync::Arc;

use proptest::prelude::*;
use warplens_hir::sass::{FlowGraph, Listing, Liveness, Reaching, accesses, lower, sequence_at};
use warplens_syntax::sass::LANGUAGE;
use warplens_syntax::{ItemList, parse_item};

fn analyze(text: &str) {
    let items = ItemList::new(LANGUAGE, text);
    let lowered = items.iter().enumerate().map(|(index, item)| {
        (Arc::new(lower(parse_item(LANGUAGE, &item.text).root())), items.start_of(index))
    });
    let listing = Listing::new(lowered.collect());
    listing.sections().for_each(|(section, _)| {
        black_box(section.bytes());
    });
    for listed in listing.functions() {
        let function = listing.function(listed);
        let flow = FlowGraph::new(function);
        let liveness = Liveness::new(function, &flow);
        let reaching = Reaching::new(function, &flow);
        for (index, instruction) in function.instructions.iter().enumerate().take(200) {
            black_box(function.enclosing(index));
            black_box(function.next_address(index));
            black_box(liveness.occupied(index));
            black_box(sequence_at(function, index));
            for access in accesses(function, instruction) {
                black_box(reaching.web(index, access.register, access.is_write));
            }
        }
    }
}

const PIECES: &[&str] = &[
    "/*0000*/ ",
    "/*0010*/ ",
    "/*0018*/ ",
    "/*ffffffff*/ ",
    "/*fffffff0*/ ",
    "@!P0 ",
    "@PT ",
    "{ ",
    "} ",
    "BRA ",
    "BSSY B0, ",
    "BSYNC B0 ",
    "SSY ",
    "SYNC ",
    "BRX R4 ",
    "-0xb0 ",
    "0x10 ",
    "0xffffffffffffffff ",
    "-0x8000000000000000 ",
    "`(.L_0) ",
    "`((k + 0x8)) ",
    "IMAD.WIDE R254, ",
    "LDG.E.128 R254, ",
    "R2.64 ",
    "[R2.64+UR4+",
    "] ",
    "c[0x0][",
    "c[0xffffffffff][0x0] ",
    "desc[UR4]",
    "CC.EQ, ",
    "DEPBAR.LE SB0, 0x0, {",
    "99,1",
    "P2R R0, PR, RZ, ",
    "HMMA.16816.F32 R250, R250, R250, R250 ",
    ", ",
    ";",
    "\n",
    "\n.L_0:\n",
    "\nk:\n",
    "(*\"BRANCH_TARGETS .L_0,,x\"*)",
    "/* 0x001cfc00e22007f6 */",
    ".section .nv.info.k,\"\"\n",
    "//----- nvinfo : EIATTR_KPARAM_INFO\n",
    ".section .text.k,\"ax\"\n",
    ".word 0x1, (.L_1 - .L_0) ",
    ".zero 4294967295\n",
    ".align 1073741824\n",
    ".byte ",
    ".string \"\\",
    "code for sm_61\n",
    "Function : k\n",
    "ABS:",
    "REL:-0x10 ",
    "+QNAN ",
    "|",
    "~",
    "é",
    "\r\n",
    "VOTE.ANY R0, PT, P0 ",
    "WARPSYNC.COLLECTIVE R0, ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_of_pieces(pieces in prop::collection::vec(0..PIECES.len(), 0..80)) {
        analyze(&pieces.iter().map(|piece| PIECES[*piece]).collect::<String>());
    }

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        analyze(&text);
    }
}

#[test]
fn expressions_beyond_64_bits() {
    analyze(
        ".section .nv.constant3,\"a\"\n.word (.L_1 - 0x8000000000000000 - 0x8000000000000000 + 0x7fffffffffffffff)\n",
    );
}

#[test]
fn long_functions() {
    for unit in [
        "SSY `(.L_0) ;\n",
        "@P0 BRA `(.L_0) ;\n",
        "CALL.REL.NOINC `(.L_0) ;\nRET.REL R20 0x0 ;\n",
        "BSSY B0, `(.L_0) ;\n",
        "SYNC ;\n",
        "BRX R4 ;\n",
        "IADD3 R1, R1, R2, R3 ;\n",
    ] {
        analyze(&format!(".L_0:\n{}", unit.repeat(3000)));
    }
}
