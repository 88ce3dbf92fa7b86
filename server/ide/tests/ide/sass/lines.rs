//! Lines that are not read, what instructions write together, and scheduling notes.

use super::{codes, page_at};

#[test]
fn headers_without_instructions() {
    for text in [
        "\tcode for sm_80\n\t\tFunction : k\nthe instructions are below\n",
        "# a\nthe loop is below\n",
        "// c\n\tcode for sm_80\n\t\tFunction : k\nk.sass:3: /*0000*/ EXIT ;\n",
        "\tcode for sm_80\n\t\tFunction : k\nk.sass:3: MOV R1, R2 ;\nk.sass:4: MOV R2, R3 ;\n",
        "// @launch { block = [32] }\n\tcode for sm_80\n\t\tFunction : k\nwhat it does\n\t\tFunction : l\nis unclear\n",
    ] {
        assert_eq!(codes(text), ["no-instructions"], "{text}");
    }
    for text in
        ["\tcode for sm_80\nMOV R1, R2 ;\nEXIT ;\n", "\tcode for sm_80\n\t\tFunction : k\n\t\t.....\n"]
    {
        assert_eq!(codes(text), [""; 0], "{text}");
    }
}

#[test]
fn predicates_written_together() {
    for [write, read] in [["R2P PR, R0, 0x7f", "P1"], ["UR2UP UPR, UR4, 0x7f", "UP1"]] {
        let text = format!("/*0000*/ {write} ;\n/*0010*/ @§{read} EXIT ;\n");
        let opcode = write.split(' ').next().unwrap();
        assert!(page_at(&text).contains(opcode), "{text}: {}", page_at(&text));
    }
}

#[test]
fn scheduling_notes() {
    for (note, page) in [
        ("&req={0,2}", "waits for `SB0`, `SB2`"),
        ("&req_6", "waits for `SB6`"),
        ("&wr=0x1", "`SB1` is set until its result is written"),
        ("&rd=0x0", "`SB0` is set until its sources are read"),
        ("?WAIT5", "at least 5 cycles later"),
        ("?WAIT12_END_GROUP", "at least 12 cycles later"),
    ] {
        for line in [format!("MOV R1, R2 §{note};\n"), format!("MOV R1, R2; §{note}\n")] {
            assert!(page_at(&line).contains(page), "{line}: {}", page_at(&line));
        }
    }
    assert_eq!(page_at("MOV R1, R2 §&foo=1;\n"), "");
}

#[test]
fn a_line_that_is_not_read() {
    let text = "MOV R1, R2 ;\nk.sass:4: MOV R2, R3 ;\nk.sass:5: MOV R2, R3 ;\nEXIT ;\n";
    assert_eq!(codes(&format!("\tcode for sm_80\n\t\tFunction : k\n{text}")), ["no-such-encoding"]);
}
