//! Trees of listings.

use expect_test::{Expect, expect};

use crate::{ItemKind, ItemList, SyntaxKind, parse_file};

/// Checks the nodes of a text, one per line: kind and text.
fn check(text: &str, expect: Expect) {
    let parse = parse_file(super::LANGUAGE, text);
    assert_eq!(parse.errors(), []);
    let tree = parse.syntax();
    assert_eq!(tree.text(), text);
    let mut shown = String::new();
    for node in tree.descendants().skip(2) {
        let depth = node.ancestors().count() - 3;
        shown += &format!("{}{:?} {}\n", "  ".repeat(depth), node.kind(), node.text());
    }
    expect.assert_eq(&shown);
}

#[test]
fn an_instruction_with_its_encoding() {
    check(
        "        /*0060*/              @!P1 LDG.E R3, desc[UR4][R2.64+0x10] ;   /* 0x000000040e037981 */\n",
        expect![[r#"
            INSTRUCTION /*0060*/              @!P1 LDG.E R3, desc[UR4][R2.64+0x10] ;
              GUARD @!P1
              OPERAND R3
              OPERAND desc[UR4][R2.64+0x10]
        "#]],
    );
}

#[test]
fn a_pair_with_its_control_word() {
    check(
        "        /*0150*/         {         XMAD.PSL R7, R0.H1, 0x3, R7 ;\n\
         \x20       /*0158*/                   BRK                    (*\"BRANCH_TARGETS .L_x_0\"*)        }\n\
         .L_x_3:\n\
         \x20                                              /* 0xe34000000007000f */\n",
        expect![[r#"
            INSTRUCTION /*0150*/         {         XMAD.PSL R7, R0.H1, 0x3, R7 ;
              OPERAND R7
              OPERAND R0.H1
              OPERAND 0x3
              OPERAND R7
            INSTRUCTION /*0158*/                   BRK                    (*"BRANCH_TARGETS .L_x_0"*)        }
            LABEL .L_x_3:
              NAME .L_x_3
        "#]],
    );
}

#[test]
fn operands_without_commas_and_lists_in_braces() {
    check(
        "DEPBAR.LE SB0, 0x0, {2,1} ;\nRET.REL.NODEC R20 `(votes) ;\nBRX R4 -0xb0 ;\n",
        expect![[r#"
            INSTRUCTION DEPBAR.LE SB0, 0x0, {2,1} ;
              OPERAND SB0
              OPERAND 0x0
              OPERAND {2,1}
            INSTRUCTION RET.REL.NODEC R20 `(votes) ;
              OPERAND R20 `(votes)
            INSTRUCTION BRX R4 -0xb0 ;
              OPERAND R4 -0xb0
        "#]],
    );
}

#[test]
fn quotations_and_prose() {
    check(
        "We see:\n> > 12 |   /*0000*/ EXIT ;   <-- here\n7\t00007f12 34567890\t MOV R1, R2\t12\t5\nNOTE that R2 is free.\n",
        expect![[r#"
            INSTRUCTION /*0000*/ EXIT ;
            INSTRUCTION MOV R1, R2
              OPERAND R1
              OPERAND R2
        "#]],
    );
}

#[test]
fn other_words_are_prose() {
    check("OK\nPTX, SASS\nGPU is fast\nAND THEN\nA B C\nBSSY B0 pushes the lanes\n", expect![[r#""#]]);
}

#[test]
fn a_function_of_cuobjdump_and_a_section_of_nvdisasm() {
    let text = "\ncode for sm_80\n\t\tFunction : k\n/*0000*/ EXIT ;\n..........\n\
                //--------------------- .text.f   --------------------------\n\
                \t.section\t.text.f,\"ax\",@progbits\n/*0000*/ EXIT ;\n";
    let list = ItemList::new(super::LANGUAGE, text);
    let shown: Vec<_> = list.iter().map(|item| (item.kind, item.name.as_deref())).collect();
    let kernel = ItemKind::Kernel;
    assert_eq!(shown, [(ItemKind::Directive, None), (kernel, Some("k")), (kernel, Some("f"))]);
}

#[test]
fn an_encoding_before_the_opcode() {
    let parse = parse_file(super::LANGUAGE, "/*0000*/ /*0x00005de428004404*/ MOV R1, c [0x1] [0x100];\n");
    let tokens = parse.syntax().descendants_with_tokens().filter_map(crate::SyntaxElement::into_token);
    assert_eq!(tokens.filter(|token| token.kind() == SyntaxKind::ENCODING).count(), 1);
}

#[test]
fn listings_are_recognised_by_a_line() {
    for line in [
        "\tcode for sm_80",
        "Function : k",
        "\t.headerflags\t@\"\"",
        "/*0010*/ @P0 BRA `(.L_x_0) ;",
        ".section .text.k,\"ax\"",
    ] {
        assert!(super::LANGUAGE.sniffs(line), "{line}");
    }
    for line in
        [".version 8.0", ".kernel k", ".section .debug_str", "/*0010*/ add.u32 %r1, %r2, 1;", "/*0000*/"]
    {
        assert!(!super::LANGUAGE.sniffs(line), "{line}");
    }
}

/// The opcodes of the instructions in a text.
fn opcodes(text: &str) -> Vec<String> {
    let tree = parse_file(super::LANGUAGE, text).syntax();
    assert_eq!(tree.text(), text);
    let instructions = tree.descendants().filter(|node| node.kind() == SyntaxKind::INSTRUCTION);
    let opcode = |node: crate::SyntaxNode| {
        let tokens = node.children_with_tokens().filter_map(crate::SyntaxElement::into_token);
        let mut words = tokens.filter(|token| token.kind() == SyntaxKind::IDENT);
        words.next().map_or_else(String::new, |token| token.text().to_owned())
    };
    instructions.map(opcode).collect()
}

#[test]
fn columns_before_instructions() {
    for [first, last] in [
        ["01:-:-:Y:6   ", ""],
        ["[B0-2---:R1:W0:Y:S05]", " ;"],
        ["B0-----:R-:W-:-:S01 ", " ;"],
        ["/*0010*/ [B------:R-:W-:-:S01] ", " ;"],
        ["/*0010*/ [0xfe2000] ", " ;"],
        ["| /*0010*/ `", "` |"],
        ["| 0010 | `", "` |"],
        ["| `", "` | text |"],
        ["- `", "`"],
        ["1. ", ""],
        ["0x0010 ", ""],
        ["+ ", ""],
        ["<li>", "</li>"],
        ["L2: ", ";"],
        ["12\t ", "\t12\t0.5%"],
        ["12\t0x7f1200000010\t ", "\t33\t32"],
        ["\t/*0010*/\t\t", "\t;"],
        ["\u{a0} \u{a0}/*00a0*/\u{a0} \u{a0}", "\u{a0};"],
        ["\u{202f}", "\u{a0};"],
        ["\u{1b}[32m/*0010*/\u{1b}[0m \u{1b}[1m", "\u{1b}[0m ;"],
        ["\u{1b}[1;32m", "\u{1b}[0m ;"],
        ["<span class=\"a\">/*0010*/</span> ", " ;"],
        ["<span class=\"a\">", "</span>"],
        ["0x7fffd8f9c810 <k(unsigned int*)+16>:\t", ""],
    ] {
        let text = format!("{first}MOV R1, R2{last}\n{first}@P0 EXIT{last}\n{first}EXIT{last}\n");
        assert_eq!(opcodes(&text), ["MOV", "EXIT", "EXIT"], "{text}");
    }
}

#[test]
fn text_after_instructions() {
    for rest in
        ["; <-- here", "; # c", " # c", "; -- here", " <-- here", "; (hot)", "; 12.5%", ";;", "; and then"]
    {
        let text = format!("MOV R1, R2{rest}\nEXIT{rest}\n/*0010*/ EXIT{rest}\n");
        assert_eq!(opcodes(&text), ["MOV", "EXIT", "EXIT"], "{text}");
    }
}

#[test]
fn counters_after_blanks() {
    for counters in ["    0    1.50%", "                    13", "\t12\t0.5%", "              0 0"] {
        let lines =
            ["MOV R1, R2", "ISETP.GE.AND P0, PT, R0, 0x8, PT", "@P0 BRA 0x80", "STG.E [R8.64], R6", "EXIT"];
        for address in ["", "/*0010*/ ", "  1   0x700000000   ", "   1  "] {
            let text: String = lines.iter().map(|line| format!("{address}{line}{counters}\n")).collect();
            assert_eq!(opcodes(&text), ["MOV", "ISETP", "BRA", "STG", "EXIT"], "{text}");
            let tree = parse_file(super::LANGUAGE, &text).syntax();
            let operands = tree.descendants().filter(|node| node.kind() == SyntaxKind::OPERAND).count();
            assert_eq!(operands, 10, "{text}");
        }
    }
    for text in ["BAR.SYNC  0\n", "MOV R1,   5\n", "IADD R1, R2, -  5\n"] {
        let tree = parse_file(super::LANGUAGE, &format!("NOP ;\n{text}")).syntax();
        assert!(
            tree.descendants()
                .any(|node| node.kind() == SyntaxKind::OPERAND
                    && node.text().to_string().ends_with(['0', '5'])),
            "{text}"
        );
    }
}

#[test]
fn addresses_of_any_digits() {
    for columns in [
        ["0x0  ", "0xa0  "],
        ["0\t", "a0\t"],
        ["       0:\t00 79 19 00\t", "      a0:\t00 79 19 00\t"],
        ["  0:  7919 0000 2100 000e  ", "  e8:  7919 0000 2100 000e  "],
        ["L0000  ", "L0013  "],
        ["/*0000*/ {S=0,Y} ", "/*0010*/ {S=1,Y} "],
    ] {
        let [first, second] = columns;
        for (first, end) in [(first, " ;"), (second, " ;"), (first, ""), (second, "")] {
            let text = format!("{first}MOV R1, R2{end}\n{second}@P0 BRA 0x80{end}\n{second}EXIT{end}\n");
            assert_eq!(opcodes(&text), ["MOV", "BRA", "EXIT"], "{text}");
        }
    }
}

#[test]
fn several_instructions_on_a_line() {
    for [text, expected] in [
        ["S2R R0, SR_TID.X; MOV R4, 0x4; IMAD.WIDE R2, R0, R4, c[0x0][0x160];", "S2R MOV IMAD"],
        ["IADD3 R5, R0, 0x1, RZ ; @P0 BRA 0x80 ; EXIT ;", "IADD3 BRA EXIT"],
        ["MOV R1, R2; MOV R3, R4", "MOV MOV"],
        ["MOV R1, R2; EXIT", "MOV EXIT"],
        ["/*0000*/ S2R R0, SR_TID.X ;  /*0010*/  EXIT ;", "S2R EXIT"],
        [
            "/*0000*/ MOV R1, R2 ; /* 0x0000000404057981 */ /*0010*/ EXIT ; /* 0x0000000404057981 */",
            "MOV EXIT",
        ],
        // Listings side by side, and comments.
        ["/*0010*/ MOV R1, R2 ;      /*0010*/ MOV R1, R3 ;", "MOV"],
        ["MOV R1, R2 ;           MOV R1, R3 ;", "MOV"],
        ["MOV R1, R2 ; // MOV R1, R3 ;", "MOV"],
        ["MOV R1, R2 ; and MOV R1, R3 ;", "MOV"],
        ["MOV R1, R2 ; HOT", "MOV"],
    ] {
        assert_eq!(opcodes(&format!("{text}\n")).join(" "), expected, "{text}");
    }
}

#[test]
fn words_in_columns_are_prose() {
    for text in [
        "MOV R1, R2 ;\n32 KB\n",
        "MOV R1, R2 ;\nResult: OK\n",
        "MOV R1, R2 ;\n3 GPUS\n",
        "MOV R1, R2 ;\n12.5 % GPU\n",
        "MOV R1, R2 ;\nOK then; it runs\n",
    ] {
        assert_eq!(opcodes(text), ["MOV"], "{text}");
    }
}

#[test]
fn instructions_directly_after_their_target_are_a_function() {
    let list = ItemList::new(super::LANGUAGE, "\tcode for sm_80\nEXIT ;\n");
    let kinds: Vec<_> = list.iter().map(|item| item.kind).collect();
    assert_eq!(kinds, [ItemKind::Kernel]);
}

#[test]
fn listings_of_an_article() {
    let count = |text: &str| ItemList::new(super::LANGUAGE, text).iter().count();
    let code = "MOV R1, R2 ;\nEXIT ;\n";
    assert_eq!(count(&format!("{code}\nThe second kernel adds:\n\nIADD3 R1, R2, R3, RZ ;\nEXIT ;\n")), 2);
    assert_eq!(count(&format!("{code}BRA 0x20;\nNOP;\nThe second kernel:\n/*0000*/ MOV R1, R2 ;\n")), 2);
    assert_eq!(count("/*0000*/ EXIT ;\nElsewhere, far away:\n/*0400*/ MOV R1, R2 ;\n"), 2);
    // The same function goes on.
    assert_eq!(count("/*0000*/ EXIT ;\nThe slow path follows:\n/*0010*/ MOV R1, R2 ;\n"), 1);
    assert_eq!(count(&format!("{code}The slow path follows:\n.L_x_1:\nMOV R1, R2 ;\n")), 1);
    assert_eq!(count("MOV R1, R2 ;\n@P0 EXIT ;\nThe others go on:\nMOV R1, R3 ;\nEXIT ;\n"), 1);
    assert_eq!(count(&format!("{code}\n{code}")), 1);
}
