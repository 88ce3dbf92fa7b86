//! Inlay hints: types, names, and other facts that the text of a statement does not show.

use text_size::TextRange;
use warplens_ide_db::{Database, File, InlayHint, InlayHintKinds, items};

use crate::language::LanguageSupport;

pub(crate) fn inlay_hints(
    db: &Database,
    file: File,
    support: &LanguageSupport,
    range: TextRange,
    kinds: InlayHintKinds,
) -> Vec<InlayHint> {
    let list = file.document(db).items();
    let mut hints = Vec::new();
    if kinds == InlayHintKinds::default() {
        return hints;
    }
    let items = items(db, file);
    for (index, wanted) in list.parts_of(range) {
        let start = list.start_of(index);
        let from = hints.len();
        (support.inlay_hints)(db, file, items[index], wanted - start, kinds, &mut hints);
        hints[from..].iter_mut().for_each(|hint| hint.offset += start);
    }
    hints
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::{FILE, open};
    use text_size::TextSize;

    fn check(source: &str, kinds: InlayHintKinds, expect: Expect) {
        let (fixture, analysis) = open(source);
        let all = TextRange::up_to(TextSize::of(fixture.text.as_str()));
        let range = fixture.ranges.first().copied().unwrap_or(all);
        let mut shown = fixture.text.clone();
        for hint in analysis.inlay_hints(FILE, range, kinds).unwrap().iter().rev() {
            let mut label = String::new();
            write!(label, "«{}»", hint.label).unwrap();
            shown.insert_str(hint.offset.into(), &label);
        }
        expect.assert_eq(&shown);
    }

    const NONE: InlayHintKinds = InlayHintKinds {
        register_types: false,
        parameter_names: false,
        sequences: false,
        live_registers: false,
    };
    const TYPES: InlayHintKinds = InlayHintKinds { register_types: true, ..NONE };
    const NAMES: InlayHintKinds = InlayHintKinds { parameter_names: true, ..NONE };

    #[test]
    fn the_type_of_a_register_that_does_not_say_it() {
        check(
            "
.entry k() {
    .reg .f32 sum, %f<4>; .reg .u32 %r<4>; .reg .f32 %x<4>; .reg .pred %p<2>, q;
    mov.f32 sum, %f1;
    add.f32 %f1, sum, %x1;
    mov.f32 %x3, sum;
    setp.gt.u32 %p1|q, %r1, 2;
}
",
            TYPES,
            expect![[r#"

                .entry k() {
                    .reg .f32 sum, %f<4>; .reg .u32 %r<4>; .reg .f32 %x<4>; .reg .pred %p<2>, q;
                    mov.f32 sum«: .f32», %f1;
                    add.f32 %f1, sum, %x1;
                    mov.f32 %x3«: .f32», sum;
                    setp.gt.u32 %p1|q«: .pred», %r1, 2;
                }
            "#]],
        );
    }

    const CALLS: &str = "
.func (.param .b32 r) f(.param .b32 a, .param .b32 b);
.entry k() {
    .param .b32 x; .param .b32 b;
    call (x), f, (x, b);
    call.uni (x), f, (x, 7);
    call (x), g, (x);
}
";

    #[test]
    fn the_parameters_of_a_call_by_name() {
        check(
            CALLS,
            NAMES,
            expect![[r#"

                .func (.param .b32 r) f(.param .b32 a, .param .b32 b);
                .entry k() {
                    .param .b32 x; .param .b32 b;
                    call («r:»x), f, («a:»x, b);
                    call.uni («r:»x), f, («a:»x, «b:»7);
                    call (x), g, (x);
                }
            "#]],
        );
    }

    #[test]
    fn nothing_outside_of_the_range_and_nothing_that_is_not_wanted() {
        let marked = CALLS
            .replace("    call.uni (x), f, (x, 7);\n", "    call.uni (x), f, (x, 7);\n                 ^\n");
        check(
            &marked,
            NAMES,
            expect![[r#"

                .func (.param .b32 r) f(.param .b32 a, .param .b32 b);
                .entry k() {
                    .param .b32 x; .param .b32 b;
                    call (x), f, (x, b);
                    call.uni («r:»x), f, («a:»x, «b:»7);
                    call (x), g, (x);
                }
            "#]],
        );
        let (fixture, analysis) = open(CALLS);
        let all = TextRange::up_to(TextSize::of(fixture.text.as_str()));
        assert_eq!(analysis.inlay_hints(FILE, all, InlayHintKinds::default()).unwrap(), []);
    }
}
