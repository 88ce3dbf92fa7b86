use expect_test::{Expect, expect};

use crate::fixture::{FILE, open};

/// The text before and after a rename at the cursor, or the reason why it is refused.
fn renamed(source: &str, name: &str) -> Result<(String, String), String> {
    let (fixture, analysis) = open(source);
    let edits =
        analysis.rename(FILE, fixture.cursor(), name).unwrap().map_err(|refused| refused.to_string())?;
    let text = warplens_ide_db::edited(&fixture.text, &edits);
    Ok((fixture.text, text))
}

/// Renames at the cursor, and shows the resulting text or the reason why it is refused.
fn check(source: &str, name: &str, expect: Expect) {
    expect.assert_eq(&renamed(source, name).map_or_else(|reason| reason, |(_, after)| after));
}

/// Like [`check`], but shows only the changed lines.
fn check_lines(source: &str, name: &str, expect: Expect) {
    let changed = |(before, after): (String, String)| -> String {
        let lines = before.lines().zip(after.lines()).filter(|(before, after)| before != after);
        lines.map(|(_, after)| format!("{}\n", after.trim())).collect()
    };
    expect.assert_eq(&renamed(source, name).map_or_else(|reason| reason, changed));
}

#[test]
fn a_label() {
    check(
        "
.entry k() {
    bra L;
        |
L:  ret;
}",
        "done",
        expect![[r#"

            .entry k() {
                bra done;
            done:  ret;
            }"#]],
    );
}

#[test]
fn a_kernel_in_all_items() {
    check(
        "
.func f();
.entry k() { call f; }
.func f() { ret; }
      |",
        "helper",
        expect![[r#"

            .func helper();
            .entry k() { call helper; }
            .func helper() { ret; }
        "#]],
    );
}

#[test]
fn one_register_of_a_range_gets_a_declaration() {
    check(
        "
.entry k() {
    .reg .f32 %f<8>;
    add.f32 %f5, %f5, %f1;
             |
}",
        "%sum",
        expect![[r#"

            .entry k() {
                .reg .f32 %f<8>;
                .reg .f32 %sum;
                add.f32 %sum, %sum, %f1;
            }"#]],
    );
}

#[test]
fn a_range_at_its_declaration() {
    check(
        "
.entry k() {
    .reg .f32 %f<8>;
               |
    add.f32 %f5, %f5, %f1;
}",
        "%x",
        expect![[r#"

            .entry k() {
                .reg .f32 %x<8>;
                add.f32 %x5, %x5, %x1;
            }"#]],
    );
}

const BODY: &str = "
.global .u32 total;
.entry k() {
    .reg .b32 %r<8>;
    .reg .b32 sum;
    mov.u32 sum, %tid.x;
";

#[test]
fn refuses_what_cannot_be() {
    let on = |marker: &str| format!("{BODY}{marker}\n    st.global.u32 [total], sum;\n}}");
    check(&on("                   |"), "%x", expect!["`%tid` is predefined and cannot be renamed"]);
    check(&on("    |"), "x", expect!["there is nothing to rename here"]);
    check(&on("             |"), "%r7", expect!["this function already declares `%r7`"]);
    check(&on("             |"), "%laneid", expect!["`%laneid` is a special register; choose another name"]);
    check(
        &on("             |"),
        "2x",
        expect![
            "`2x` is not a valid name: names consist of letters, digits, `_` and `$`, and start with a letter, or with `_`, `$` or `%` and one more character"
        ],
    );
    check(
        &on("             |"),
        "_",
        expect![
            "`_` is not a valid name: names consist of letters, digits, `_` and `$`, and start with a letter, or with `_`, `$` or `%` and one more character"
        ],
    );
    check(
        &on("             |"),
        "total",
        expect!["this function uses `total` of the module, which the new name would hide"],
    );
    check(
        &on("             |"),
        "k",
        expect!["this function uses `k` of the module, which the new name would hide"],
    );
}

#[test]
fn a_range_does_not_take_the_names_of_others() {
    let refused = |declared: &str, name: &str| {
        let source = format!(
            ".global .u32 q1;\n.entry k() {{\n    .reg .b32 %r<5>;\n                |\n    ld.global.u32 %r1, [q1];\n    {{ {declared} }}\n}}"
        );
        renamed(&source, name).err().unwrap_or_default()
    };
    for declared in [".reg .b32 %q<3>;", ".reg .b32 %q1;", ".param .u32 %q4;"] {
        assert!(refused(declared, "%q").starts_with("this function already declares `%q"), "{declared}");
    }
    // `%q10` is the first name that both declare.
    assert_eq!(refused(".reg .b32 %q<11>;", "%q1"), "this function already declares `%q10`");
    assert_eq!(refused("", "q"), "this function uses `q1` of the module, which the new name would hide");
    for (declared, name) in
        [(".reg .b32 %q5;", "%q"), (".reg .b32 %q<3>;", "%q1"), (".reg .b32 %q<3>;", "%p")]
    {
        assert_eq!(refused(declared, name), "", "{declared} {name}");
    }
}

#[test]
fn refuses_to_invalidate_a_list() {
    check(
        "
.entry k() {
    .reg .b32 %r<8>;
ts: .branchtargets L<2>;
    brx.idx %r1, ts;
L0: ret;
|
L1: ret;
}",
        "first",
        expect!["a list names `L0` by its number; expand the list before renaming"],
    );
}

#[test]
fn wave_labels_and_kernels() {
    let file = ".kernel a
    call out
    iadd r1, r1, 1
.end
.kernel b
out: halt
.end
";
    let at = |line: &str, marker: &str| file.replacen(line, &format!("{line}\n{marker}"), 1);
    check(
        &at("    call out", "          |"),
        "done",
        expect![[r#"
        .kernel a
            call done
            iadd r1, r1, 1
        .end
        .kernel b
        done: halt
        .end
    "#]],
    );
    check(&at(".kernel a", "        |"), "b", expect!["this file already has a `b`"]);
    check(
        &at("    call out", "          |"),
        "r1",
        expect!["`r1` is read as a register; choose another name"],
    );
    check(&at("    call out", "          |"), "device", expect!["`device` is a scope; choose another name"]);
    check(
        &at("    call out", "          |"),
        "1x",
        expect![
            "`1x` is not a valid name: names consist of letters, digits and `_`, and do not start with a digit"
        ],
    );
}

#[test]
fn wave_registers_change_places_with_free_ones() {
    let file = ".kernel a
    .registers 8
    iadd r2, r0, 1
    icmp.lt p1, r2, 9
    @p1 iadd r2, r2.lo, r2
    dadd r4, r4, r6
    if p1
    endif
    halt
.end
.kernel b
    mov r1, 1
    call out
out: halt
.end
.kernel c
    mov r1, 1
    call out
.end
";
    let to = |line: &str, marker: &str, name: &str, expect: Expect| {
        check_lines(&file.replacen(line, &format!("{line}\n{marker}"), 1), name, expect);
    };
    to(
        "    iadd r2, r0, 1",
        "         |",
        "r3",
        expect![[r#"
            iadd r3, r0, 1
            icmp.lt p1, r3, 9
            @p1 iadd r3, r3.lo, r3
        "#]],
    );
    to(
        "    if p1",
        "       |",
        "p2",
        expect![[r#"
            icmp.lt p2, r2, 9
            @p2 iadd r2, r2.lo, r2
            if p2
        "#]],
    );
    to(
        "    if p1",
        "       |",
        "r2",
        expect!["`p1` is a predefined predicate: it can only be exchanged for another one, such as `p2`"],
    );
    to("    if p1", "       |", "p4", expect!["this kernel has 4 predicates; `p4` is not one of them"]);
    to(
        "    iadd r2, r0, 1",
        "         |",
        "total",
        expect![
            "`r2` is a predefined general register: it can only be exchanged for another one, such as `r7`"
        ],
    );
    to("    iadd r2, r0, 1", "         |", "r0", expect!["this kernel already uses `r0`"]);
    to("    iadd r2, r0, 1", "         |", "r5", expect!["this kernel already uses `r5`"]);
    to(
        "    iadd r2, r0, 1",
        "         |",
        "r8",
        expect!["this kernel has 8 registers; `r8` is not one of them"],
    );
    to(
        "    iadd r2, r0, 1",
        "             |",
        "r3",
        expect!["`r0` is read before this kernel writes it: the launch sets it by this name"],
    );
    to(
        "    dadd r4, r4, r6",
        "         |",
        "r3",
        expect!["`r4` is part of a value in r4 to r5, which cannot be renamed one by one"],
    );
    let shared = |marker: &str| file.replacen("    mov r1, 1", &format!("    mov r1, 1\n{marker}"), 1);
    check(
        &shared("        |"),
        "r3",
        expect!["other kernels share `r1` through calls, so it cannot be exchanged in this one only"],
    );
}
