//! Go to definition: the declaration of a name, or the matching keyword of a construct.

use warplens_ide_db::{FilePosition, Target, names};

/// The declarations of the name at an offset. A keyword of a construct leads to the keyword that opens the construct, which
/// itself leads to the closing one.
pub(crate) fn definition(position: &FilePosition<'_>) -> Vec<Target> {
    if let Some(named) = names::named(position) {
        return names::declarations(position, &named.subject);
    }
    let other = (position.queries().construct_at)(position).and_then(|construct| construct.counterpart());
    let target = other.map(|word| Target {
        file: position.file.id(position.db),
        full: position.in_file(word.statement),
        focus: position.in_file(word.focus),
    });
    target.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::{FILE, open};

    fn check(source: &str, expect: Expect) {
        let (fixture, analysis) = open(source);
        let targets = analysis.definition(FILE, fixture.cursor()).unwrap();
        let shown: Vec<String> = targets.iter().map(|target| fixture.show(target.focus)).collect();
        expect.assert_eq(&shown.join(", "));
    }

    #[test]
    fn a_label() {
        check(
            "
.entry k() {
L: add.u32 %r1, %r1, 1;
   bra L;
       |
}",
            expect!["3:`L`"],
        );
    }

    #[test]
    fn a_register_of_a_range_goes_to_the_range() {
        check(
            "
.entry k() {
    .reg .b32 %r<8>;
    add.u32 %r5, %r1, 1;
              |
}",
            expect!["3:`%r`"],
        );
    }

    #[test]
    fn a_parameter() {
        check(
            "
.entry k(.param .u64 x) {
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [x];
                        |
}",
            expect!["2:`x`"],
        );
    }

    #[test]
    fn a_variable_and_a_function_of_the_module() {
        let module = "
.global .u32 counter;
.func f() { ret; }
.entry k() {
    .reg .b32 %r<8>;
    ld.global.u32 %r1, [counter];
";
        check(&format!("{module}                             |\n    call f;\n}}"), expect!["2:`counter`"]);
        check(&format!("{module}    call f;\n         |\n}}"), expect!["3:`f`"]);
    }

    #[test]
    fn a_definition_is_preferred_to_its_prototype() {
        check(
            "
.func f();
.entry k() { call f; }
                  |
.func f() { ret; }",
            expect!["4:`f`"],
        );
    }

    #[test]
    fn special_registers_are_declared_nowhere() {
        check(
            "
.entry k() {
    .reg .b32 %r<8>;
    mov.u32 %r1, %tid.x;
                  |
}",
            expect![""],
        );
    }

    const WAVE: &str = ".kernel k
    call out
    iadd r1, r2, 1
    mov r3, r1
out: halt
.end
";

    #[test]
    fn labels_and_registers_of_wave() {
        let at = |line: &str, marker: &str| WAVE.replacen(line, &format!("{line}\n{marker}"), 1);
        check(&at("    call out", "          |"), expect!["5:`out`"]);
        check(&at("    mov r3, r1", "             |"), expect!["3:`r1`"]);
    }

    const STRUCTURE: &str = ".kernel k
    loop
        if p1
            break p2
        else
            continue !p2
        endif
        break p3
    endloop
    endif
    halt
.end
";

    /// Shows the target of each word. The cursor is in the middle of the word.
    #[test]
    fn words_of_constructs_lead_to_what_opens_them() {
        let mut shown = String::new();
        let words = [
            "loop", "if p1", "break p2", "else", "continue", "endif", "break p3", "endloop", ".kernel",
            ".end\n",
        ];
        let (fixture, analysis) = open(STRUCTURE);
        for word in words {
            let offset = STRUCTURE.find(word).unwrap() as u32 + 1;
            let targets = analysis.definition(FILE, offset.into()).unwrap();
            let places: Vec<String> = targets.iter().map(|target| fixture.show(target.focus)).collect();
            shown += &format!("{}: {}\n", word.trim_end(), places.join(", "));
        }
        expect![[r#"
            loop: 9:`endloop`
            if p1: 7:`endif`
            break p2: 2:`loop`
            else: 3:`if`
            continue: 2:`loop`
            endif: 3:`if`
            break p3: 2:`loop`
            endloop: 2:`loop`
            .kernel: 12:`.end`
            .end: 1:`.kernel`
        "#]]
        .assert_eq(&shown);
        let stray = STRUCTURE.rfind("endif").unwrap() as u32;
        assert_eq!(analysis.definition(FILE, stray.into()).unwrap(), [], "it has no match");
    }

    #[test]
    fn a_predicate_of_a_construct_is_a_name() {
        check(
            ".kernel k
    icmp.lt p1, r0, 4
    if p1
        |
    endif
.end
",
            expect!["2:`p1`"],
        );
    }
}
