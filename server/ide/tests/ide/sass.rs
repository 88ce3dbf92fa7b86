//! Features of SASS listings: hovers, definitions, pairs, outlines.

mod lines;

use expect_test::{Expect, expect};
use text_size::{TextRange, TextSize};
use warplens_ide::{Analysis, AnalysisHost, FileId, InlayHintKinds};
use warplens_syntax::sass::LANGUAGE;

const FILE: FileId = FileId(0);

/// Two nested regions, a call through a register and a table, for Ampere.
const NESTED: &str = "\
	code for sm_80
		Function : k
	.headerflags	@\"EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)\"
        /*0000*/                   MOV R1, c[0x0][0x28] ;                  /* 0x00000a0000017a02 */
                                                                           /* 0x000fe40000000f00 */
        /*0010*/                   S2R R0, SR_TID.X ;                      /* 0x0000000000007919 */
                                                                           /* 0x000e2e0000002100 */
        /*0020*/                   ISETP.GT.AND P0, PT, R0, 0xf, PT ;      /* 0x0000000f0000780c */
                                                                           /* 0x001fda0003f04270 */
        /*0030*/                   BSSY B0, 0x80 ;                         /* 0x0000004000007945 */
                                                                           /* 0x000fe20003800000 */
        /*0040*/               @P0 BRA 0x70 ;                              /* 0x0000002000000947 */
                                                                           /* 0x000fea0003800000 */
        /*0050*/                   IMAD.WIDE R2, R0, 0x4, RZ ;             /* 0x0000000400027825 */
                                                                           /* 0x000fc800078e02ff */
        /*0060*/                   LDG.E R4, [R2.64] ;                     /* 0x0000000402047981 */
                                                                           /* 0x000164000c1e1900 */
        /*0070*/                   BSYNC B0 ;                              /* 0x0000000000007941 */
                                                                           /* 0x000fea0003800000 */
        /*0080*/                   HFMA2.MMA R5, -RZ, RZ, 1.875, 0 ;       /* 0x3f80000000057435 */
                                                                           /* 0x000fe400000001ff */
        /*0090*/                   EXIT ;                                  /* 0x000000000000794d */
                                                                           /* 0x000fea0003800000 */
		..........
";

fn open(text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open(FILE, LANGUAGE, text);
    host.snapshot()
}

fn offset(text: &str, phrase: &str) -> TextSize {
    TextSize::try_from(text.find(phrase).expect("the text has it")).expect("it is short")
}

/// Shows the hover at the start of a phrase.
fn hover(phrase: &str, expect: Expect) {
    let hover = open(NESTED).hover(FILE, offset(NESTED, phrase)).unwrap().expect("a hover");
    expect.assert_eq(&format!("{}\n\n{}\n", &NESTED[hover.range], hover.markdown));
}

/// The lines that the definition of a phrase leads to.
fn definition(phrase: &str) -> Vec<&'static str> {
    let targets = open(NESTED).definition(FILE, offset(NESTED, phrase)).unwrap();
    targets.iter().map(|target| &NESTED[target.focus]).collect()
}

fn occurrences(phrase: &str) -> Vec<&'static str> {
    let found = open(NESTED).occurrences(FILE, offset(NESTED, phrase)).unwrap();
    found.iter().map(|found| &NESTED[found.range]).collect()
}

#[test]
fn opcodes_with_what_the_text_shows() {
    hover(
        "IMAD.WIDE",
        expect![[r#"
            IMAD

            **`IMAD.WIDE`** · SASS · integer · Fermi and later

            Integer multiply-add; the .MOV, .SHL and .IADD variants are the same operation with a trivial operand.

            ```sass
            IMAD Rd, [Pc,] Ra, Rb, Rc [, Pi]
            ```

            p = a * b, signed unless `.U32`; d = low(p) + c. `.WIDE`: 64-bit p + pair c, pair d, optional carry-out predicate. `.HI`: high word of (p + pair c): c is a **pair**. `.X`: + carry predicate (last operand). `.MOV.U32 .SHL .IADD` are variants of the same.

            *Certainty:* executed; the results equal those of the PTX that the code was assembled from.

            **Modifiers**

            - `.WIDE`: 64-bit result

            live: 4

            stall 4; yield: another warp is preferred
        "#]],
    );
    hover(
        "BSSY",
        expect![[r#"
            BSSY

            **`BSSY`** · SASS · control flow · Volta and later

            Puts the active lanes into a convergence barrier; names the join address.

            ```sass
            BSSY [[!]Pp,] Bx, target
            ```

            Puts the executing lanes into the barrier register. The target is the instruction after the BSYNC; nothing branches.

            *Certainty:* executed; the results equal those of the PTX that the code was assembled from.

            **Modifiers**

            - `.RECONVERGENT`: ordinary join (sm_100 on)
            - `.RELIABLE`: join that a BREAK may leave (sm_100 on)

            **Notes**

            - A divergent branch needs one before it where the lanes should reconverge; it may be absent where the branch is uniform or one path exits.

            live: 2, 1 predicate

            **`B0`** · convergence barrier. Region: `BSSY` at `0x30`, then `BSYNC` at `0x70`.

            stall 1
        "#]],
    );
}

#[test]
fn registers() {
    hover(
        "R2.64",
        expect![[r#"
        R2

        **`R2`** · general register, 32 bits for each lane; here `R2` to `R3`, 64 bits

        Written at `0x50` (IMAD).

        Read at `0x60` (LDG).

        The lanes may have different values, because of `S2R SR_TID.X` at `0x10`.
    "#]],
    );
    hover(
        "P0 BRA",
        expect![[r#"
        @P0

        **`P0`** · predicate of each lane

        Written at `0x20` (ISETP).

        Read at `0x40` (BRA).

        The lanes may have different values, because of `S2R SR_TID.X` at `0x10`.
    "#]],
    );
}

#[test]
fn constants_and_numbers() {
    hover(
        "c[0x0][0x28]",
        expect![[r#"
        c[0x0][0x28]

        **`c[0x0][0x28]`** · stack top: The end of the stack; the function moves it into R1.
    "#]],
    );
    hover(
        "0xf, PT",
        expect![[r#"
        0xf

        `15` · `0xf`
    "#]],
    );
    hover(
        "1.875",
        expect![[r#"
            1.875

            `1.875` · 16-bit float `0x3f80`

            The two numbers are the halves of `0x3f800000`, the high one first (`1065353216`).
        "#]],
    );
    hover(
        "SR_TID",
        expect![[r#"
        SR_TID.X

        **`SR_TID.X`** · SASS · special register

        The x index of the thread in its block.

        In PTX: `%tid.x`.

        The lanes of a warp read different values.
    "#]],
    );
}

#[test]
fn control_information() {
    hover(
        "/* 0x001fda0003f04270",
        expect![[r#"
        /* 0x001fda0003f04270 */

        **Control information** `B0-----:R-:W-:Y:S13`

        waits for SB0 (set by `S2R` at `0x10`); stall 13; yield: another warp is preferred

        `ISETP` at `0x20`
    "#]],
    );
    hover(
        "/*0060*/",
        expect![[r#"
        /*0060*/

        **Control information** `B------:R0:W5:-:S02`

        sets SB5 until its result is written; sets SB0 until its sources are read; stall 2

        `LDG` at `0x60`
    "#]],
    );
}

#[test]
fn targets_show_their_block() {
    hover(
        "0x70 ;",
        expect![[r#"
            0x70

            Block at `0x70`, 1 instruction

            ```sass
            0070  BSYNC B0 ;
            ```

            At least 5 issue cycles: the sum of the stalls, a lower bound.
        "#]],
    );
}

#[test]
fn definitions() {
    assert_eq!(definition("0x70 ;"), ["/*0070*/"]);
    assert_eq!(definition("0x80 ;"), ["/*0080*/"]);
    assert_eq!(definition("R2.64"), ["R2"]);
    assert_eq!(definition("P0 BRA"), ["P0"]);
    assert_eq!(definition("BSYNC"), ["BSSY"]);
    assert_eq!(definition("BSSY"), ["BSYNC"]);
    assert_eq!(definition("/* 0x001fda0003f04270"), ["S2R"], "what sets the scoreboard that it waits for");
}

#[test]
fn occurrences_of_a_value() {
    assert_eq!(occurrences("R0, SR_TID.X"), ["R0", "R0", "R0"]);
    assert_eq!(occurrences("/*0070*/"), ["0x70", "/*0070*/"]);
    assert_eq!(occurrences("B0 ;"), ["BSSY", "BSYNC"]);
}

#[test]
fn outline() {
    let symbols = open(NESTED).symbols(FILE).unwrap();
    let shown: Vec<String> = symbols
        .iter()
        .flat_map(|symbol| {
            let children = symbol.children.iter().map(|child| format!("  {}", child.name));
            std::iter::once(format!("{} {}", symbol.name, symbol.detail.as_deref().unwrap_or_default()))
                .chain(children)
        })
        .collect();
    expect![[r#"
        k sm_80, 10 instructions
          BSSY B0, 0x80"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn a_listing_is_not_edited() {
    let analysis = open(NESTED);
    assert!(analysis.format(FILE).unwrap().edits.is_empty());
    assert!(analysis.prepare_rename(FILE, offset(NESTED, "R2.64")).unwrap().is_err());
}

#[test]
fn parameters_have_their_names_in_ptx() {
    let text = "Fatbin ptx code:
.visible .entry k(
\t.param .u64 out,
\t.param .u32 n
)
{ ret; }
\tcode for sm_80
\t\tFunction : k
        /*0000*/                   MOV R1, c[0x0][0x168] ;
        /*0010*/                   EXIT ;
\t\t..........
\t.section\t.nv.info.k,\"\",@\"SHT_CUDA_INFO\"
\t//----- nvinfo : EIATTR_KPARAM_INFO
\t.align\t\t4
        /*0000*/ \t.byte\t0x04, 0x17
        /*0002*/ \t.short\t(.L_13 - .L_12)
.L_12:
        /*0004*/ \t.word\t0x00000000
        /*0008*/ \t.short\t0x0001
        /*000a*/ \t.short\t0x0008
        /*000c*/ \t.byte\t0x00, 0xf0, 0x11, 0x00
.L_13:
";
    let hover = open(text).hover(FILE, offset(text, "c[0x0][0x168]")).unwrap().expect("a hover");
    expect!["**`c[0x0][0x168]`** · parameter 1 of the kernel, in PTX `n`: 4 bytes at offset 8"]
        .assert_eq(&hover.markdown);
}

/// The PTX may also be in another file: one that the listing names, or one next to it.
#[test]
fn parameters_have_their_names_in_a_ptx_file() {
    let listing = |comment: &str| {
        format!(
            "\tcode for sm_80\n\t\tFunction : k\n{comment}        /*0000*/                   MOV R1, c[0x0][0x168] ;
        /*0010*/                   EXIT ;
\t\t..........
\t.section\t.nv.info.k,\"\",@\"SHT_CUDA_INFO\"
\t//----- nvinfo : EIATTR_KPARAM_INFO
\t.align\t\t4
        /*0000*/ \t.byte\t0x04, 0x17
        /*0002*/ \t.short\t(.L_13 - .L_12)
.L_12:
        /*0004*/ \t.word\t0x00000000
        /*0008*/ \t.short\t0x0001
        /*000a*/ \t.short\t0x0008
        /*000c*/ \t.byte\t0x00, 0xf0, 0x11, 0x00
.L_13:
"
        )
    };
    let ptx = ".visible .entry k(\n\t.param .u64 out,\n\t.param .u32 count\n)\n{ ret; }\n";
    for (comment, files) in [("", vec![]), ("\t//## File \"/a/k.ptx\", line 3\n", vec!["/a/k.ptx"])] {
        let text = listing(comment);
        let analysis = open(&text);
        let at = offset(&text, "c[0x0][0x168]");
        let wanted = analysis.hover_source(FILE, at).unwrap().expect("a constant of the launch");
        assert_eq!((wanted.extension, wanted.files.iter().map(|file| &**file).collect()), ("ptx", files));
        let hover = analysis.hover_with(FILE, at, ptx).unwrap().expect("a hover");
        expect!["**`c[0x0][0x168]`** · parameter 1 of the kernel, in PTX `count`: 4 bytes at offset 8"]
            .assert_eq(&hover.markdown);
        assert_eq!(analysis.hover_source(FILE, offset(&text, "EXIT")).unwrap(), None);
    }
}

#[test]
fn a_quotient_by_a_constant_begins_at_its_product() {
    let begins = |product: &str, shift: &str| {
        let text = format!("\n.text.k:\n        /*0000*/ {product} ;\n        /*0010*/ {shift} ;\n");
        let kinds = InlayHintKinds { sequences: true, ..Default::default() };
        let hints = open(&text).inlay_hints(FILE, TextRange::up_to(TextSize::of(&*text)), kinds).unwrap();
        hints.iter().any(|hint| hint.label == "quotient by a constant")
    };
    assert!(begins("IMAD.HI.U32 R3, R0, -0x33333333, RZ", "SHF.R.U32.HI R3, RZ, 0x2, R3"));
    assert!(begins("IMAD.WIDE.U32 R2, R0, -0x33333333, RZ", "SHF.R.U32.HI R5, RZ, 0x3, R3"));
    // The lower word of a product, and a product of small numbers.
    assert!(!begins("IMAD.WIDE.U32 R2, R0, -0x33333333, RZ", "SHF.R.U32.HI R5, RZ, 0x3, R2"));
    assert!(!begins("IMAD.WIDE.U32 R2, R0, 0x4, RZ", "SHF.R.U32.HI R5, RZ, 0x3, R3"));
}

#[test]
fn inlay_hints_are_sequences_and_live_registers() {
    const QUOTIENT: &str = "
.text.k:
        /*0000*/ MUFU.RCP R3, R2 ;
        /*0010*/ FCHK P0, R0, R2 ;
        /*0020*/ FFMA R4, R3, -R2, 1 ;
        /*0030*/ FFMA R5, R3, R4, R3 ;
        /*0040*/ FFMA R6, R5, R0, RZ ;
        /*0050*/ EXIT ;
";
    let kinds =
        |sequences, live_registers| InlayHintKinds { sequences, live_registers, ..Default::default() };
    let shown = |kinds| {
        let analysis = open(QUOTIENT);
        let hints = analysis.inlay_hints(FILE, TextRange::up_to(TextSize::of(QUOTIENT)), kinds).unwrap();
        let mut text = QUOTIENT.to_owned();
        for hint in hints.iter().rev() {
            text.insert_str(hint.offset.into(), &format!("  «{}»", hint.label));
        }
        text
    };
    expect![[r#"

        .text.k:
                /*0000*/ MUFU.RCP R3, R2 ;  «live: 3»  «32-bit float quotient»
                /*0010*/ FCHK P0, R0, R2 ;  «live: 3, 1 predicate»
                /*0020*/ FFMA R4, R3, -R2, 1 ;  «live: 4»
                /*0030*/ FFMA R5, R3, R4, R3 ;  «live: 4»
                /*0040*/ FFMA R6, R5, R0, RZ ;  «live: 3»
                /*0050*/ EXIT ;  «live: 0»
    "#]]
    .assert_eq(&shown(kinds(true, true)));
    assert_eq!(shown(kinds(false, false)), QUOTIENT);
}

#[test]
fn a_block_has_its_longest_chain_of_waits() {
    hover(
        "0x80 ;",
        expect![[r#"
        0x80

        Block at `0x80`, 2 instructions

        ```sass
        0080  HFMA2.MMA R5, -RZ, RZ, 1.875, 0 ;
        0090  EXIT ;
        ```

        At least 7 issue cycles: the sum of the stalls, a lower bound.
    "#]],
    );
    let text = "
	code for sm_80
		Function : k
        /*0000*/ S2R R0, SR_TID.X ;      /* 0x0000000000007919 */
                                         /* 0x000e220000002100 */
        /*0010*/ LDG.E R4, [R0.64] ;     /* 0x0000000400047981 */
                                         /* 0x001ea4000c1e1900 */
        /*0020*/ LDG.E R5, [R4.64] ;     /* 0x0000000404057981 */
                                         /* 0x004ea4000c1e1900 */
        /*0030*/ LDG.E R6, [R0.64] ;     /* 0x0000000400067981 */
                                         /* 0x000ee4000c1e1900 */
        /*0040*/ STG.E [R0.64], R5 ;     /* 0x0000000500007986 */
                                         /* 0x004fe2000c101904 */
        /*0050*/ BRA 0x0 ;               /* 0xffffffb000007947 */
                                         /* 0x000fea000383ffff */
";
    let markdown = open(text).hover(FILE, offset(text, "0x0 ;")).unwrap().expect("a hover").markdown;
    let chain = markdown.lines().find(|line| line.starts_with("Longest chain")).expect("it has waits");
    expect!["Longest chain of scoreboard waits: 3 waits, one after the other (`S2R` at `0x0` → `LDG` at `0x10`; `LDG` at `0x10` → `LDG` at `0x20`; `LDG` at `0x20` → `STG` at `0x40`). Their latencies, which the text does not have, come on top: a lower bound, not a prediction."].assert_eq(chain);
}

#[test]
fn a_target_that_is_removed_is_not_that_of_the_functions_after_it() {
    const TARGET: &str = "\t.target\tsm_90\n";
    const CODE: &str = "
\t.section\t.text.k,\"ax\",@progbits
k:
        /*0000*/ S2R R0, SR_TID.X ;
        /*0008*/ BSYNC B0 ;
        /*0010*/ EXIT ;
";
    let diagnostics = |analysis: &Analysis| format!("{:#?}", analysis.diagnostics(FILE).unwrap());
    let mut host = AnalysisHost::new();
    host.open(FILE, LANGUAGE, &format!("{TARGET}{CODE}"));
    let before = diagnostics(&host.snapshot());
    host.edit(FILE, TextRange::up_to(TextSize::of(TARGET)), "").unwrap();
    let after = diagnostics(&host.snapshot());
    assert_eq!(after, diagnostics(&open(CODE)));
    assert_ne!(before, after);
}

/// The hover at `§`.
fn page_at(marked: &str) -> String {
    let at = offset(marked, "§");
    let text = marked.replace('§', "");
    open(&text).hover(FILE, at).unwrap().map_or_else(String::new, |hover| hover.markdown.to_string())
}

#[test]
fn operands_say_what_is_done_to_them() {
    for (operands, part) in [
        ("FADD R1, §-|R2|, R3", "Here: its absolute value, then negated."),
        ("FADD R1, §RZ, R3", "always zero"),
        ("MOV R1, §URZ", "always zero"),
        ("PSETP.AND.AND P0, PT, §PT, !P1, PT", "always true"),
        ("PSETP.AND.AND P0, PT, PT, §!P1, PT", "negated"),
        ("JMP §ABS:0xCA80", "`51840` · `0xca80`"),
        ("BRX §R5+0x128", "`296` · `0x128`"),
        ("MOV.§S R1, R2", "newest token"),
        ("BRA §CC.TRUE, 0x8", "True always."),
        ("BRA §CC.LTU, 0x8", "unordered"),
        ("BRA §CC.HS, 0x8", "unsigned"),
        ("IADD R0.§CC, R1, R2", "zero, sign, carry, overflow"),
        ("§BRX R7-0x8", "one register, with a sign"),
        ("§JMX R7-0x8", "one register, without a sign"),
        ("§BRA c[0x2][0x48]", "deprecated"),
        ("JMP.§U 0x8", "all active threads agree"),
        ("BRA.§LMT 0x8", "it stays set"),
        ("@P0 §ST [R2], R3", "no memory traffic"),
        ("@P0 §RED.E.ADD [R2], R3", "no memory traffic"),
        ("§MOV.S R1, R2", "newest token"),
        ("FADD R1, R2, §-|c[0x0][0x40]|", "Here: its absolute value, then negated."),
        ("LOP.AND R1, R2, §~c[0x0][0x40]", "its bits are inverted"),
        ("BRX R5+§0x128", "`296`"),
        ("JMX R5 §0x10", "`16`"),
        ("LD R1, [R2+§-0x10]", "`-16`"),
        ("@§PT MOV R1, R2", "All lanes execute"),
        ("@!§PT MOV R1, R2", "No lane executes"),
        ("CSETP.LT.AND P0, PT, §CC, PT", "zero, sign, carry and overflow"),
        ("R2P §CC, R1", "zero, sign, carry and overflow"),
        ("CSETP.§LTU.AND P0, PT, CC, PT", "unordered"),
    ] {
        let text = format!("\tcode for sm_20\n\t\tFunction : k\n/*0000*/ {operands} ;\n/*0008*/ EXIT ;\n");
        let page = page_at(&text);
        assert!(page.contains(part), "{operands}: {page}");
    }
}

#[test]
fn operands_of_products_of_tensor_cores() {
    let product = "UTCHMMA tmem[UR6], gdesc[UR4], tmem[UR7], tmem[UR8], idesc[UR9], UP0 ;";
    let at = |phrase: &str| {
        let marked = product.replacen(phrase, &format!("§{phrase}"), 1);
        page_at(&format!("\tcode for sm_100\n\t\tFunction : k\n/*0000*/ {marked}\n/*0010*/ EXIT ;\n"))
    };
    assert!(at("tmem[UR6]").contains("the matrix A, in tensor memory"));
    assert!(at("tmem[UR7]").contains("the matrix D"));
    assert!(at("tmem[UR8]").contains("lower register of the pair"));
    assert!(at("UR9").contains("uniform register, 32 bits"), "{}", at("UR9"));
    assert!(!at("UR9").contains("64 bits"));
}

#[test]
fn uniformity_says_only_what_is_proven() {
    let unknown = "Whether all lanes have the same value is not known.";
    let page =
        page_at("\tcode for sm_80\n\t\tFunction : k\n/*0000*/ IADD3 §R5, R4, R3, RZ ;\n/*0010*/ EXIT ;\n");
    assert!(page.contains(unknown), "{page}");
    let page =
        page_at("\tcode for sm_80\n\t\tFunction : k\n/*0000*/ IADD3 R5, §R4, R3, RZ ;\n/*0010*/ EXIT ;\n");
    assert!(page.contains("Read at `0x0` (IADD3)."), "{page}");
    let called = "\tcode for sm_80\n\t\tFunction : k\n/*0000*/ MOV R4, 0x5 ;\n/*0010*/ MOV R16, 0x5 ;\n\
                  /*0020*/ CALL.ABS.NOINC `(helper) ;\n/*0030*/ IADD3 R5, §R4, ¶R16, RZ ;\n/*0040*/ EXIT ;\n";
    let page = page_at(&called.replace('¶', ""));
    assert!(page.contains("Written at `0x20` (CALL).") && page.contains(unknown), "{page}");
    // The callee saves R16.
    let page = page_at(&called.replace('§', "").replace('¶', "§"));
    assert!(
        page.contains("Written at `0x10` (MOV).") && page.contains("All lanes have the same value."),
        "{page}"
    );
}

#[test]
fn columns_of_other_tools_are_skipped() {
    for line in [
        "      [B------:R-:W-:-:S08]         /*0000*/                   §S2R R0, SR_TID.X ;",
        "[B------:R-:W0:-:S01] §S2R R0, SR_TID.X ;",
        "--:-:1:-:1      §S2R R0, SR_TID.X;",
        "=> 0x00007fffd92fb300 <+0>:\t§S2R R0, SR_TID.X",
        "   0xb4d6a8 <_Z1kPi+72>:\t§S2R R0, SR_TID.X",
        "+        /*0000*/                   §S2R R0, SR_TID.X ;",
        "| /*0000*/ | §S2R R0, SR_TID.X ; | reads |",
        "| 0x0000 | §S2R R0, SR_TID.X | reads the index |",
        "`§S2R R0, SR_TID.X`",
        "  12.50 %  34  /*0000*/  §S2R R0, SR_TID.X ;",
    ] {
        assert!(page_at(&format!("{line}\n")).contains("**`S2R`**"), "{line}");
    }
    // A line that a diff removes, and prose.
    for line in
        ["-        /*0000*/                   §S2R R0, SR_TID.X ;", "SPA §5.0:", "at §/*0050*/ BRA 0x10"]
    {
        assert_eq!(page_at(&format!("{line}\n")), "", "{line}");
    }
}

#[test]
fn a_joining_instruction_leads_to_its_token() {
    let marked =
        "\tcode for sm_20\n\t\tFunction : k\n/*0000*/ SSY 0x10 ;\n/*0008*/ §NOP.S ;\n/*0010*/ EXIT ;\n";
    let text = marked.replace('§', "");
    let targets = open(&text).definition(FILE, offset(marked, "§")).unwrap();
    let found: Vec<&str> = targets.iter().map(|target| &text[target.focus]).collect();
    assert!(found.contains(&"SSY"), "{found:?}");
}

/// The codes of the diagnostics of a text.
fn codes(text: &str) -> Vec<&'static str> {
    open(text).diagnostics(FILE).unwrap().into_iter().map(|problem| problem.code).collect()
}

/// A function of one instruction and `EXIT`.
fn function(target: u16, instruction: &str) -> String {
    let step = if target < 70 { 8 } else { 16 };
    format!("\tcode for sm_{target}\n\t\tFunction : k\n/*0000*/ {instruction} ;\n/*{step:04x}*/ EXIT ;\n")
}

#[test]
fn statements_that_no_encoding_has() {
    for (target, instruction) in [
        (20, "BRA CC, 0x8"),
        (20, "BRA CC.EQ 0x8"),
        (20, "BRX R0 c[0x0][0x20]"),
        (20, "NOP.U"),
        (52, "@P0 SSY 0x8"),
        (52, "@!P0 PBK 0x8"),
        (80, "BRA c[0x0][0x160]"),
        (80, "SHFL.IDX PT, R1, R0, 0x20, 0x1f"),
        (80, "LDS R6, [4*R0]"),
        (80, "LDS R6, [R0*3]"),
        (80, "MOV R1, 0x1ffffffff"),
        (61, "IADD R1, R2, 0x100000"),
        (61, "IADD R1, R2, -0x80001"),
        (61, "IADD32I R1, R2, 0x100000000"),
        (80, "LOP3.LUT R1, R2, R3, R4, 0x100, !PT"),
        (61, "ISCADD R1, R2, R3, 0x20"),
        (80, "BAR.SYNC 0x10"),
        (20, "MOV R64, R2"),
        (80, "MOV R255, R2"),
        (80, "MOV R256, R2"),
        (80, "ISETP.LT.AND P7, PT, R0, R1, PT"),
        (80, "@P8 MOV R1, R2"),
        (80, "BSYNC B16"),
        (80, "DEPBAR.LE SB6, 0x0"),
        (80, "ULDC UR64, c[0x0][0x160]"),
        (61, "MOV R1, c[-0x1][0x4]"),
        (80, "BRA.LMT 0x10"),
        (80, "BSYNC.U B0"),
        (80, "MOV.S R1, R2"),
        (61, "IADD3.S R1, R2, R3, R4"),
        (80, "BRA.NOINC 0x10"),
        (80, "BRX.NOINC R4 -0x10"),
        (61, "BRA.FOO 0x8"),
        (61, "MOV.X R1, R2"),
        (61, "CSET.BF.FOO.AND R0, CC, PT"),
        (120, "IADD.64 R4, R6, R8, P0"),
        (80, "ISETP.LT.AND P0, PT, R0, R1, PT, P1"),
        (80, "LDG.E R0, [R2.64+0x1000000]"),
        (90, "STG.E desc[UR4][R2.64+-0x800004], R0"),
        (61, "LDS R0, [R1+0x800000]"),
        (80, "IMAD.WIDE R6, R0, R8"),
        (80, "IMAD.WIDE R6, R0, R8,"),
        (80, "MOV R6, R0, R0"),
        (80, "SEL R6, R0, R0"),
        (80, "ISETP.GE.AND R6, PT, R0, 0xc, PT"),
        (80, "@R0 MOV R6, 0x1"),
        (61, "FFMA R6, R0, R0"),
    ] {
        let found = codes(&function(target, instruction));
        assert!(found.contains(&"no-such-encoding"), "{instruction}: {found:?}");
    }
    for (target, instruction) in [
        (80, "MOV R1, 0xffffffff"),
        (80, "IADD3 R1, R2, -0x80000000, RZ"),
        (20, "BRA CC.EQ, 0x8"),
        (20, "BRX CC.F, R5 0x0"),
        (52, "SSY 0x8"),
        (52, "@P0 BRA c[0x0][0x20]"),
        (80, "SHFL.IDX PT, R1, R0, 0x1f, 0x1f"),
        (80, "SHFL.DOWN P0, R1, R0, 0x10, 0x101f"),
        (80, "SHFL.BFLY PT, R1, R0, R2, R3"),
        (80, "LDS R6, [R0*4]"),
        (61, "IADD3 R1, R2, 0xffffe, RZ"),
        (61, "MOV32I R1, 0xffffffff"),
        (61, "ISCADD R1, R2, R3, 0x1f"),
        (80, "BAR.SYNC 0xf, 0x100"),
        (20, "MOV R62, R2"),
        (35, "MOV R254, R2"),
        (100, "LDCU UR64, c[0x0][0x380]"),
        (20, "MOV.S R1, R2"),
        (61, "BRA.LMT 0x8"),
        (80, "BRA.U.INC 0x10"),
        (80, "IADD3 R5, R6, R7, RZ, !PT, !PT"),
        (80, "ISETP.LT.AND.EX P0, PT, R0, R1, PT, P1"),
        (61, "CSET.BF.LT.AND R0, CC, PT"),
        (120, "IADD.64.X R4, R6, R8, P0"),
        (80, "LDG.E R0, [R2.64+-0x800000]"),
        (61, "LDS R0, [R1+0x7fffff]"),
        (35, "LD.E R0, [R2+0x1000000]"),
        (61, "MOV R6, R0, 0xf"),
        (61, "POPC R6, R0, R0"),
        (61, "LEA.HI R0, R2, R3, RZ, 0x2"),
        (80, "IADD3 R6, P0, P1, R0, 10, RZ"),
        (80, "ISETP.GE.AND\tP0, PT, R0, 12, PT"),
        (80, "LOP3.LUT P0, RZ, R0, 3, RZ, 0xc0, !PT"),
    ] {
        let found = codes(&function(target, instruction));
        assert!(!found.contains(&"no-such-encoding"), "{instruction}: {found:?}");
    }
}

#[test]
fn statements_without_addresses_are_numbered_for_their_target() {
    let text = "\tcode for sm_80\n\t\tFunction : k\nBRA 0x20 ;\nNOP ;\nEXIT ;\n";
    assert_eq!(codes(text), [""; 0]);
    let targets = open(text).definition(FILE, offset(text, "0x20")).unwrap();
    assert!(targets.iter().any(|target| text[target.focus].contains("EXIT")));
}
