//! The roles of an instruction's operands: the only definition of which names are read, written, called or
//! branched to. They come from the instruction tables of `isa`, except for control flow, whose operands are
//! not values.

use warplens_isa::ptx as isa;

use super::{FormMatch, Mnemonic, MnemonicForms, Role};

/// The role of each comma-separated operand of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roles([Role; Roles::MAX]);

impl Roles {
    /// Operands beyond this number count as read; no instruction has that many.
    const MAX: usize = 16;
    const READ: Roles = Roles([Role::Read; Roles::MAX]);
    /// The roles for an unknown instruction. It may be a misspelled branch, so its operands may be labels
    /// that come later.
    const UNKNOWN: Roles = Roles([Role::Target; Roles::MAX]);

    /// The roles for an instruction with this number of operands, the first of which may be a list in
    /// parentheses.
    pub fn of(mnemonic: &Mnemonic, operands: usize, first_is_list: bool) -> Roles {
        let mut roles = Roles::READ;
        match &*mnemonic.opcode {
            "bra" => roles.0[0] = Role::Target,
            "call" if first_is_list => (roles.0[0], roles.0[1]) = (Role::Write, Role::Call),
            "call" => roles.0[0] = Role::Call,
            opcode if isa::by_opcode(opcode).is_empty() => roles = Roles::UNKNOWN,
            _ => {
                if let Some(entry) = entry(mnemonic, operands) {
                    for (role, operand) in roles.0.iter_mut().zip(written(entry, operands)) {
                        *role = match operand.role {
                            warplens_isa::Role::Read => Role::Read,
                            warplens_isa::Role::Write => Role::Write,
                            warplens_isa::Role::Both => Role::ReadWrite,
                        };
                    }
                }
            }
        }
        roles
    }

    /// The role of the registers in an operand outside brackets. Registers in an address are always read. A
    /// variable in an address has the role of the operand, because its memory is what the instruction reads
    /// or writes.
    pub fn role(self, operand: usize) -> Role {
        self.0.get(operand).copied().unwrap_or(Role::Read)
    }
}

/// The entry for an instruction with this number of operands: the one with a matching form. If there is none,
/// the best match: most words in common, then a possible number of operands, then the most known modifiers.
pub fn entry(mnemonic: &Mnemonic, operands: usize) -> Option<&'static isa::Instruction> {
    match isa::by_opcode(&mnemonic.opcode) {
        [] => None,
        [_] => likeliest(mnemonic, operands),
        _ => by_form(mnemonic, operands).or_else(|| likeliest(mnemonic, operands)),
    }
}

fn by_form(mnemonic: &Mnemonic, operands: usize) -> Option<&'static isa::Instruction> {
    let MnemonicForms::Known(found) = mnemonic.forms() else { return None };
    let takes = |form: &&FormMatch| {
        let required = form.operands.iter().filter(|operand| !operand.optional).count();
        (required..=form.operands.len()).contains(&operands)
    };
    Some(found.iter().find(takes).or(found.first())?.entry)
}

fn likeliest(mnemonic: &Mnemonic, operands: usize) -> Option<&'static isa::Instruction> {
    let fitting = isa::by_opcode(&mnemonic.opcode).iter().filter(|entry| {
        let words = entry.words.iter().map(|word| word.trim_start_matches('.'));
        entry.words.len() <= mnemonic.modifiers.len()
            && words.zip(&mnemonic.modifiers).all(|(word, modifier)| word == modifier)
    });
    let known = |entry: &isa::Instruction| {
        let known = |modifier: &&smol_str::SmolStr| {
            entry.vocabulary.binary_search_by(|word| word.trim_start_matches('.').cmp(modifier)).is_ok()
        };
        mnemonic.modifiers.iter().filter(known).count()
    };
    let takes = |entry: &'static isa::Instruction| {
        let required = places(entry).filter(|operand| !operand.optional).count();
        (required..=places(entry).count()).contains(&operands)
    };
    // Reversed, so that the first of several equals wins and the order of the tables decides.
    fitting.copied().rev().max_by_key(|entry| (entry.words.len(), takes(entry), known(entry)))
}

/// The operands of an entry that are present in an instruction with this number of operands; optional ones
/// are omitted from the right.
pub fn written(
    entry: &'static isa::Instruction,
    operands: usize,
) -> impl Iterator<Item = &'static isa::Operand> + Clone {
    let required = places(entry).filter(|operand| !operand.optional).count();
    let mut optional = operands.saturating_sub(required);
    places(entry).filter(move |operand| {
        let kept = !operand.optional || optional > 0;
        optional -= usize::from(operand.optional && kept);
        kept
    })
}

/// The comma-separated operands of an entry. The `q` of `p|q` is not an operand of its own, nor is an operand
/// in the brackets of another.
fn places(entry: &'static isa::Instruction) -> impl Iterator<Item = &'static isa::Operand> + Clone {
    let second = entry.operands.get(1).filter(|second| second.role.writes()).map(|second| second.name);
    let is_pair = second.is_some_and(|name| {
        let follows = |form: &&str| form.split('|').skip(1).any(|rest| rest.starts_with(name));
        entry.syntax.iter().any(follows)
    });
    let operands = entry.operands.iter().enumerate();
    let has_place =
        move |(index, operand): &(usize, &isa::Operand)| !(operand.inside || is_pair && *index == 1);
    operands.filter(has_place).map(|(_, operand)| operand)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(mnemonic: &str, operands: usize, expect: Expect) {
        let mut words = mnemonic.split('.');
        let mnemonic = Mnemonic {
            opcode: words.next().unwrap_or_default().into(),
            modifiers: words.map(Into::into).collect(),
        };
        let id = entry(&mnemonic, operands).map(|entry| entry.id);
        let roles = Roles::of(&mnemonic, operands, false);
        let roles: Vec<_> = (0..operands).map(|operand| roles.role(operand)).collect();
        expect.assert_eq(&format!("{id:?} {roles:?}"));
    }

    #[test]
    fn roles_follow_the_tables() {
        check("add.s32", 3, expect![[r#"Some("add@int") [Write, Read, Read]"#]]);
        check("add.rn.f32", 3, expect![[r#"Some("add@fp") [Write, Read, Read]"#]]);
        check("setp.eq.s32", 3, expect![[r#"Some("setp") [Write, Read, Read]"#]]);
        check("setp.eq.and.s32", 4, expect![[r#"Some("setp") [Write, Read, Read, Read]"#]]);
        check("shfl.sync.idx.b32", 5, expect![[r#"Some("shfl.sync") [Write, Read, Read, Read, Read]"#]]);
        check("elect.sync", 2, expect![[r#"Some("elect.sync") [Write, Read]"#]]);
        check("st.global.u32", 2, expect![[r#"Some("st") [Write, Read]"#]]);
        check("atom.global.add.u32", 3, expect![[r#"Some("atom") [Write, ReadWrite, Read]"#]]);
        check("bar.red.popc.u32", 3, expect![[r#"Some("bar.red") [Write, Read, Read]"#]]);
        check("barrier.sync", 1, expect![[r#"Some("barrier.sync") [Read]"#]]);
        check("tex.2d.v4.f32.f32", 2, expect![[r#"Some("tex") [Write, Read]"#]]);
        check(
            "cp.async.bulk.global.shared::cta.bulk_group",
            3,
            expect![[r#"Some("cp.async.bulk") [Write, Read, Read]"#]],
        );
        check(
            "tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32",
            3,
            expect![[r#"Some("tcgen05.ld.red") [Write, Write, Read]"#]],
        );
        check(
            "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
            4,
            expect![[r#"Some("mma") [Write, Read, Read, Read]"#]],
        );
        check("frobnicate", 2, expect!["None [Target, Target]"]);
    }
}
