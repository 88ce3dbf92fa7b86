//! Semantic tokens. The kind of a word comes from the tree, the kind of a name from its declaration.

use text_size::TextRange;
use warplens_ide_db::{Database, File, SemanticToken, items};

use crate::language::LanguageSupport;

/// The tokens that overlap a range. Items outside the range are not computed.
pub(crate) fn tokens_in(
    db: &Database,
    file: File,
    support: &LanguageSupport,
    range: TextRange,
) -> Vec<SemanticToken> {
    let list = file.document(db).items();
    let items = items(db, file);
    let mut tokens = Vec::new();
    for (index, wanted) in list.parts_of(range) {
        let start = list.start_of(index);
        let from = tokens.len();
        (support.tokens)(db, items[index], wanted - start, &mut tokens);
        tokens[from..].iter_mut().for_each(|token| token.range += start);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::{FILE, open};
    use warplens_ide_db::{TokenKind, TokenModifiers};

    fn check(source: &str, expect: Expect) {
        let (fixture, analysis) = open(source);
        let tokens = analysis.tokens(FILE).unwrap();
        let show = |token: &SemanticToken| {
            let names = TokenModifiers::LEGEND.iter().enumerate();
            let set: String = names
                .filter(|(bit, _)| token.modifiers.0 >> bit & 1 == 1)
                .map(|(_, name)| format!(" {name}"))
                .collect();
            format!("{} {:?}{set}\n", fixture.show(token.range), token.kind)
        };
        expect.assert_eq(&tokens.iter().map(show).collect::<String>());
    }

    #[test]
    fn a_kernel() {
        check(
            ".visible .entry k(.param .u64 x) {
    .reg .b32 %r<4>; .reg .pred %p<2>; // regs
    .shared .b8 tile[16];
L:  @!%p1 ld.global.u32 %r1, [x+-4];
    mov.u32 %r2, %tid.x;
    call k, (0f3F800000);
    bra L; /* two
lines */
}",
            expect![[r#"
                1:`.visible` Keyword
                1:`.entry` Keyword
                1:`k` Function declaration
                1:`.param` Keyword
                1:`.u64` Type
                1:`x` Parameter declaration readonly
                2:`.reg` Keyword
                2:`.b32` Type
                2:`%r` Register declaration
                2:`4` Number
                2:`.reg` Keyword
                2:`.pred` Type
                2:`%p` Predicate declaration
                2:`2` Number
                2:`// regs` Comment
                3:`.shared` Keyword
                3:`.b8` Type
                3:`tile` Variable declaration
                3:`16` Number
                4:`L` Label declaration
                4:`@` Operator
                4:`!` Operator
                4:`%p1` Predicate
                4:`ld` Opcode
                4:`.global` Modifier
                4:`.u32` Type
                4:`%r1` Register modification
                4:`x` Parameter readonly
                4:`+` Operator
                4:`-` Operator
                4:`4` Number
                5:`mov` Opcode
                5:`.u32` Type
                5:`%r2` Register modification
                5:`%tid` SpecialRegister readonly
                5:`.x` SpecialRegister
                6:`call` Opcode controlFlow
                6:`k` Function
                6:`0f3F800000` Number
                7:`bra` Opcode controlFlow
                7:`L` Label
                7:`/* two` Comment
                8:`lines */` Comment
            "#]],
        );
    }

    #[test]
    fn a_range_gives_the_same_tokens_as_the_whole() {
        let (fixture, analysis) = open(".entry a() { mov.u32 %r1, 5; ret; }\n.entry b() { ret; }\n");
        let all = analysis.tokens(FILE).unwrap();
        for start in 0..fixture.text.len() as u32 {
            let range = TextRange::new(start.into(), (fixture.text.len() as u32).min(start + 9).into());
            let part = analysis.tokens_in(FILE, range).unwrap();
            let expected: Vec<SemanticToken> = all
                .iter()
                .copied()
                .filter(|token| token.range.intersect(range).is_some_and(|part| !part.is_empty()))
                .collect();
            assert_eq!(part, expected, "{range:?}");
        }
    }

    #[test]
    fn the_legend_follows_the_kinds() {
        for (index, (kind, _)) in TokenKind::LEGEND.iter().enumerate() {
            assert_eq!(*kind as usize, index);
        }
    }

    #[test]
    fn a_wave_kernel() {
        check(
            ".kernel k ; about
    .registers 8
x:  @!p1 icmp.lt p1, r0, 0x10
    device_load.u32.streaming r1, r2.lo
    mov_sr r2, sr_lane_id
    fence_release .device
    call x
    frob r1
    if p1
    endif
    endif
.end
",
            expect![[r#"
                1:`.kernel` Keyword
                1:`k` Function declaration
                1:`; about` Comment
                2:`.registers` Keyword
                2:`8` Number
                3:`x` Label declaration
                3:`@` Operator
                3:`!` Operator
                3:`p1` Predicate
                3:`icmp` Opcode
                3:`.lt` Modifier
                3:`p1` Predicate modification
                3:`r0` Register
                3:`0x10` Number
                4:`device_load` Opcode
                4:`.u32` Modifier
                4:`.streaming` Modifier
                4:`r1` Register modification
                4:`r2` Register
                4:`.lo` Modifier
                5:`mov_sr` Opcode
                5:`r2` Register modification
                5:`sr_lane_id` SpecialRegister readonly
                6:`fence_release` Opcode
                6:`.device` Modifier
                7:`call` Opcode
                7:`x` Label
                8:`r1` Register
                9:`if` Keyword controlFlow
                9:`p1` Predicate
                10:`endif` Keyword controlFlow
                11:`endif` Opcode
                12:`.end` Keyword
            "#]],
        );
    }
}
