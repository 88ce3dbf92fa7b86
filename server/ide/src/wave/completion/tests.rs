use expect_test::{Expect, expect};
use warplens_hir::wave::Accepts;
use warplens_ide_db::CompletionItem;

use crate::analysis::AnalysisHost;
use crate::completion::tests::{check, labels};
use crate::fixture::FILE;

/// A WAVE kernel with a line to complete. The cursor is at the end of the line.
fn in_wave_kernel(line: &str) -> String {
    let cursor = " ".repeat(line.len()) + "|";
    format!(".kernel k\n.registers 8\niadd r2, r1, 1\nout:\n{line}\n{cursor}\nhalt\n.end\n")
}

#[test]
fn wave() {
    for line in ["", "  ico", "@p1 ", "@!p1 ico", "x: ico"] {
        let labels = labels(&in_wave_kernel(line));
        assert!(labels.iter().any(|label| label == "icmp.lt"), "{line}: {labels:?}");
        assert!(labels.iter().any(|label| label == "icmp_lt"), "{line}");
    }
    check(
        &in_wave_kernel("icmp."),
        expect![[r#"
        .eq → .eq
        .ne → .ne
        .lt → .lt
        .le → .le
        .gt → .gt
        .ge → .ge
    "#]],
    );
    check(
        &in_wave_kernel("device_load.u32."),
        expect![[r#"
        .cached → .cached
        .uncached → .uncached
        .streaming → .streaming
    "#]],
    );
    check(
        &in_wave_kernel("atomic_add."),
        expect![[r#"
        .wave → .wave
        .workgroup → .workgroup
        .device → .device
        .system → .system
    "#]],
    );
    check(
        &in_wave_kernel("iadd "),
        expect![[r#"
            r2 → r2
            r1 → r1
            r0 → r0
        "#]],
    );
    check(
        &in_wave_kernel("select r1, "),
        expect![[r#"
        p0 → p0
        p1 → p1
        p2 → p2
        p3 → p3
    "#]],
    );
    check(
        &in_wave_kernel("call "),
        expect![[r#"
        out → out
    "#]],
    );
    check(
        &in_wave_kernel("mov_sr r1, sr_"),
        expect![[r#"
        sr_thread_id_x → sr_thread_id_x
        sr_thread_id_y → sr_thread_id_y
        sr_thread_id_z → sr_thread_id_z
        sr_wave_id → sr_wave_id
        sr_lane_id → sr_lane_id
        sr_workgroup_id_x → sr_workgroup_id_x
    "#]],
    );
    check(
        &in_wave_kernel("fence_release "),
        expect![[r#"
        .wave → .wave
        .workgroup → .workgroup
        .device → .device
        .system → .system
    "#]],
    );
    check(
        &in_wave_kernel("."),
        expect![[r#"
            .registers → .registers ${1:N}
            .local_memory → .local_memory ${1:BYTES}
            .workgroup_size → .workgroup_size ${1:X[, Y, Z]}
        "#]],
    );
    assert_eq!(labels(&in_wave_kernel("iadd r1 ; co")), Vec::<String>::new());
}

/// Splits a text at its cursor `|`, and returns what is proposed there.
fn proposed(text: &str) -> (String, Vec<CompletionItem>) {
    let at = text.find('|').expect("there is a cursor");
    let text = text.replacen('|', "", 1);
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::wave::LANGUAGE, &text);
    let found = host.snapshot().completions(FILE, (at as u32).into()).unwrap();
    (text, found)
}

/// The keywords of constructs that are proposed at the cursor.
fn words(text: &str) -> String {
    let (_, found) = proposed(text);
    let words = ["if", "else", "endif", "loop", "break", "continue", "endloop", ".kernel", ".end"];
    let labels = found.into_iter().map(|item| item.label).filter(|label| words.contains(&label.as_str()));
    labels.collect::<Vec<_>>().join(" ")
}

#[test]
fn words_of_constructs_where_they_fit() {
    let mut shown = String::new();
    for body in [
        "|",
        "if p1\n|",
        "if p1\n|\nendif",
        "if p1\nelse\n|",
        "if p1\n|\nelse\nendif",
        "loop\n|",
        "loop\n|\nbreak p1\nendloop",
        "loop\nif p1\n|",
        "loop\nif p1\n|\nendif\nendloop",
        "if p1\nloop\n|\nendloop",
        "if p1\nif p2\n|\nendif",
        "if p1\nend|",
        "if p1\nendif|",
        "if p1\nnop\nel|\nendif",
        "@p1 |",
    ] {
        let found = words(&format!(".kernel k\n{body}\n.end\n"));
        shown += &format!("{body:?}: {found}\n");
    }
    for text in
        ["|", ".kernel k\nhalt\n.end\n|", ".kernel k\n|", ".kernel k\n.|", "; c\n.|\n.kernel k\n.end\n"]
    {
        shown += &format!("{text:?}: {}\n", words(text));
    }
    expect![[r#"
        "|": if loop
        "if p1\n|": if else endif loop
        "if p1\n|\nendif": if else loop
        "if p1\nelse\n|": if endif loop
        "if p1\n|\nelse\nendif": if loop
        "loop\n|": if loop break continue endloop
        "loop\n|\nbreak p1\nendloop": if loop break continue
        "loop\nif p1\n|": if else endif loop break continue
        "loop\nif p1\n|\nendif\nendloop": if else loop break continue
        "if p1\nloop\n|\nendloop": if loop break continue
        "if p1\nif p2\n|\nendif": if else endif loop
        "if p1\nend|": if else endif loop
        "if p1\nendif|": if else endif loop
        "if p1\nnop\nel|\nendif": if else loop
        "@p1 |": 
        "|": .kernel
        ".kernel k\nhalt\n.end\n|": .kernel
        ".kernel k\n|": if loop .end
        ".kernel k\n.|": .end
        "; c\n.|\n.kernel k\n.end\n": .kernel
    "#]]
    .assert_eq(&shown);
}

/// The text that a proposal inserts, and the white space that it changes.
fn inserted(text: &str, label: &str) -> String {
    let (text, found) = proposed(text);
    let item = found.into_iter().find(|item| item.label == label).expect("it is proposed");
    let mut edited = text;
    edited.replace_range(std::ops::Range::<usize>::from(item.replace), &item.snippet);
    if let Some(moves) = item.moves {
        assert!(moves.range.end() <= item.replace.start(), "{moves:?}");
        edited.replace_range(std::ops::Range::<usize>::from(moves.range), &moves.insert);
    }
    edited
}

#[test]
fn constructs_come_whole_unless_their_end_is_there() {
    let check = |body: &str, label: &str, expect: Expect| {
        let text = format!(".kernel k\n    icmp.lt p2, r0, r1\n{body}\n.end\n");
        expect.assert_eq(&inserted(&text, label));
    };
    check(
        "    i|",
        "if",
        expect![[r#"
        .kernel k
            icmp.lt p2, r0, r1
            if ${1:p2}
            ${2:}
        endif
        .end
    "#]],
    );
    check(
        "    |",
        "loop",
        expect![[r#"
        .kernel k
            icmp.lt p2, r0, r1
            loop
            ${1:}
            break ${2:p2}
        endloop
        .end
    "#]],
    );
    check(
        "    |\n    endif",
        "if",
        expect![[r#"
        .kernel k
            icmp.lt p2, r0, r1
            if ${1:p2}
            endif
        .end
    "#]],
    );
    check(
        "    loop\n        |",
        "break",
        expect![[r#"
        .kernel k
            icmp.lt p2, r0, r1
            loop
                break ${1:p2}
        .end
    "#]],
    );
    check(
        "    |",
        "if … else … endif",
        expect![[r#"
        .kernel k
            icmp.lt p2, r0, r1
            if ${1:p2}
            ${2:}
        else
            ${3:}
        endif
        .end
    "#]],
    );
    expect![[r#"
        .kernel ${1:NAME}
            ${2:}
            halt
        .end"#]]
    .assert_eq(&inserted("|", ".kernel"));
}

#[test]
fn what_closes_moves_to_where_it_belongs() {
    let check = |body: &str, label: &str, expect: Expect| {
        expect.assert_eq(&inserted(&format!(".kernel k\n{body}\n.end\n"), label));
    };
    check(
        "    if p1\n        nop\n        en|",
        "endif",
        expect![[r#"
        .kernel k
            if p1
                nop
            endif
        .end
    "#]],
    );
    check(
        "    loop\n        if p1\n|",
        "else",
        expect![[r#"
        .kernel k
            loop
                if p1
                else
        .end
    "#]],
    );
    expect![[r#"
        .kernel k
            halt
        .end
    "#]]
    .assert_eq(&inserted(".kernel k\n    halt\n    .|\n", ".end"));
}

#[test]
fn guards_are_predicates() {
    let kernel = |line: &str| format!(".kernel k\n    icmp.lt p2, r1, r2\n    {line}\n.end\n");
    expect![[r#"
        p2 · icmp.lt p2, r1, r2
        p1 · predicate, not written before
        p3 · predicate, not written before
        p0 · the toolchain ignores the guard @p0
    "#]]
    .assert_eq(&details(&kernel("@|")));
    expect![[r#"
        p2 · icmp.lt p2, r1, r2
        p0 · predicate, not written before
        p1 · predicate, not written before
        p3 · predicate, not written before
    "#]]
    .assert_eq(&details(&kernel("x: @!p|")));
}

/// The first few proposals, with their details.
fn details(text: &str) -> String {
    let (_, found) = proposed(text);
    let line =
        |item: &CompletionItem| format!("{} · {}\n", item.label, item.detail.as_deref().unwrap_or("-"));
    found.iter().take(5).map(line).collect()
}

#[test]
fn operands_say_what_wrote_them() {
    let kernel = |line: &str| {
        format!(
            ".kernel k\n    mov_sr r1, sr_lane_id\n    icmp.lt p3, r1, 4\n    {line}\n    iadd r4, r5, 1\n.end\n"
        )
    };
    expect![[r#"
        r1 · mov_sr r1, sr_lane_id
        r2 · register, not written before
        r4 · register, not written before
        r5 · register, not written before
        r0 · the first unused register
    "#]]
    .assert_eq(&details(&kernel("iadd r2, |")));
    let predicates = expect![[r#"
        p3 · icmp.lt p3, r1, 4
        p0 · predicate, not written before
        p1 · predicate, not written before
        p2 · predicate, not written before
    "#]];
    for line in ["break |", "and p1, |", "and p1, p2, !|"] {
        predicates.assert_eq(&details(&kernel(line)));
    }
    expect![[r#"
        r1 · mov_sr r1, sr_lane_id
        r4 · register, not written before
        r5 · register, not written before
        r0 · the first unused register
    "#]]
    .assert_eq(&details(&kernel("and r1, |")));
    expect![[r#"
        r1 · mov_sr r1, sr_lane_id
        .wave · The lanes of this wave.
        .workgroup · The waves of this workgroup.
        .device · All workgroups on the device.
        .system · The device and its host.
    "#]]
    .assert_eq(&details(&kernel("atomic_add r1, r2, |")));
    expect![""].assert_eq(&details(&kernel("iadd r2, r1 |")));
    expect![""].assert_eq(&details(&kernel("halt |")));
}

#[test]
fn names_are_in_the_dialect_of_the_file() {
    let first = |body: &str| {
        let (_, found) = proposed(&format!(".kernel k\n{body}|\n.end\n"));
        let found =
            found.into_iter().filter(|item| item.label.starts_with("icmp") && item.label.ends_with("lt"));
        found.map(|item| item.label).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(first(""), "icmp.lt icmp_lt");
    assert_eq!(first("icmp_lt p1, r0, r1\n"), "icmp_lt icmp.lt");
    assert_eq!(first("icmp_lt p1, r0, r1\nicmp.eq p1, r0, r1\nucmp.lt p1, r0, r1\n"), "icmp.lt icmp_lt");
    assert_eq!(first("iadd r0, r0, r1\n"), "icmp.lt icmp_lt", "both spell it so");
}

#[test]
fn a_chosen_language_has_its_names_only() {
    let text = ".kernel k\n\n.end\n";
    let labels = |accepts: Accepts| -> Vec<String> {
        let mut host = AnalysisHost::new();
        host.set_accepts(accepts);
        host.open(FILE, warplens_syntax::wave::LANGUAGE, text);
        host.snapshot().completions(FILE, 10.into()).unwrap().into_iter().map(|item| item.label).collect()
    };
    let has = |labels: &[String], name: &str| labels.iter().any(|label| label == name);
    let guide = labels(Accepts::Guide);
    assert!(has(&guide, "icmp.lt") && !has(&guide, "icmp_lt") && has(&guide, "iadd"));
    let toolchain = labels(Accepts::Toolchain);
    assert!(!has(&toolchain, "icmp.lt") && has(&toolchain, "icmp_lt") && has(&toolchain, "iadd"));
    assert!(!has(&toolchain, "badd"), "only the repository has it");
}
