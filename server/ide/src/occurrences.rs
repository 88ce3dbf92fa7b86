//! Occurrences of a name, or the matching keywords of a construct, for references and highlights.

use warplens_ide_db::{Access, FilePosition, Occurrence, Word, names};

/// All occurrences of the name at an offset, including its declaration, or all keywords of the construct.
pub(crate) fn occurrences(position: &FilePosition<'_>) -> Vec<Occurrence> {
    if let Some(named) = names::named(position) {
        return names::occurrences(position, &named.subject);
    }
    let words =
        (position.queries().construct_at)(position).map_or_else(Vec::new, |construct| construct.words);
    let occurrence = |(index, word): (usize, Word)| Occurrence {
        range: position.in_file(word.focus),
        access: if index == 0 { Access::Declaration } else { Access::Part },
    };
    words.into_iter().enumerate().map(occurrence).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::{FILE, open};

    fn check(source: &str, expect: Expect) {
        let (fixture, analysis) = open(source);
        let found = analysis.occurrences(FILE, fixture.cursor()).unwrap();
        let show = |found: &warplens_ide_db::Occurrence| {
            format!("{} {:?}\n", fixture.show(found.range), found.access)
        };
        expect.assert_eq(&found.iter().map(show).collect::<String>());
    }

    #[test]
    fn reads_and_writes_of_a_register() {
        check(
            "
.entry k() {
    .reg .b32 %r<8>;
    mov.u32 %r1, 5;
    add.u32 %r2, %r1, %r10;
                   |
    st.global.u32 [%r1], %r1;
}",
            expect![[r#"
                3:`%r` Declaration
                4:`%r1` Write
                5:`%r1` Read
                6:`%r1` Read
                6:`%r1` Read
            "#]],
        );
    }

    #[test]
    fn the_declaration_of_a_range_represents_all_its_registers() {
        check(
            "
.entry k() {
    .reg .b32 %r<8>;
               |
    add.u32 %r2, %r1, 1;
}",
            expect![[r#"
                3:`%r` Declaration
                4:`%r2` Write
                4:`%r1` Read
            "#]],
        );
    }

    #[test]
    fn a_name_of_the_module_in_all_items() {
        check(
            "
.func f();
.entry k() { call f; }
.entry m() { call f; }
                  |
.func f() { call f; ret; }",
            expect![[r#"
                2:`f` Declaration
                3:`f` Read
                4:`f` Read
                5:`f` Declaration
                5:`f` Read
            "#]],
        );
    }

    #[test]
    fn equal_names_of_two_functions_are_apart() {
        check(
            "
.entry k() { bra L; L: ret; }
                 |
.entry m() { bra L; L: ret; }",
            expect![[r#"
                2:`L` Read
                2:`L` Declaration
            "#]],
        );
    }

    #[test]
    fn wave_registers_stay_in_their_kernel_and_labels_do_not() {
        let file = ".kernel a
    iadd r1, r1, 1
    call out
.end
.kernel b
    mov r1, r2
out: halt
.end
";
        check(
            &file.replacen("    iadd r1, r1, 1", "    iadd r1, r1, 1\n              |", 1),
            expect![[r#"
            2:`r1` Write
            2:`r1` Read
        "#]],
        );
        check(
            &file.replacen("    call out", "    call out\n          |", 1),
            expect![[r#"
            3:`out` Read
            7:`out` Declaration
        "#]],
        );
    }

    #[test]
    fn matching_keywords_of_a_construct() {
        let file = ".kernel k
    loop
        if p1
            break p2
        else
            loop
                break p3
            endloop
        endif
        @p1 continue p3
    endloop
.end
";
        let marked = |line: &str, marker: &str| file.replacen(line, &format!("{line}\n{marker}"), 1);
        check(
            &marked("        @p1 continue p3", "                   |"),
            expect![[r#"
            2:`loop` Declaration
            4:`break` Part
            10:`continue` Part
            11:`endloop` Part
        "#]],
        );
        check(
            &marked("    loop", "    |"),
            expect![[r#"
            2:`loop` Declaration
            4:`break` Part
            10:`continue` Part
            11:`endloop` Part
        "#]],
        );
        check(
            &marked("        else", "           |"),
            expect![[r#"
            3:`if` Declaration
            5:`else` Part
            9:`endif` Part
        "#]],
        );
        check(
            &marked(".end", "  |"),
            expect![[r#"
            1:`.kernel` Declaration
            12:`.end` Part
        "#]],
        );
    }
}
