//! The registers that may be read before they are written, where it may matter: those live at the entry. A register that only
//! computes values which are never used, such as the counter of an endless loop, is not live.
//!
//! Indirect jumps and returns are not followed, so a register may be missing. One that is listed needlessly
//! only costs time.

use super::{Key, flags, is_register, keys};
use crate::program::{CcTest, Control, Op, Program};
use crate::registers::{CC_CARRY_2, CC_ZERO, Condition, TRUE, UNIFORM};

type Bits = Vec<u64>;

pub(crate) fn suspects(program: &Program) -> Vec<Key> {
    let first_predicate = program.layout.rows;
    let count_of_keys = usize::from(first_predicate) + 32;
    let words = count_of_keys.div_ceil(64);
    let count = program.code.len();
    let mut alive: Vec<Bits> = vec![vec![0; words]; count + 1];
    // Most edges go forward, so a few passes from the end suffice.
    let mut changed = true;
    while changed {
        changed = false;
        for statement in (0..count).rev() {
            let mut now = vec![0; words];
            for next in successors(program, statement as u32) {
                let next = &alive[(next as usize).min(count)];
                now.iter_mut().zip(next).for_each(|(word, next)| *word |= next);
            }
            let operation = &program.code[statement];
            let keys_of = |writes: bool| {
                let uses = program.uses[statement].iter().filter(move |it| it.is_write == writes);
                let of_flags = if writes { flags::written(operation) } else { flags::read(operation) };
                let of_test = if writes { &[] } else { flags::of_test(operation.test) };
                let of_flags = of_flags.iter().chain(of_test).map(|flag| first_predicate + Key::from(*flag));
                uses.flat_map(|it| keys(it.cell, first_predicate)).chain(of_flags).map(usize::from)
            };
            let is_live = |key: usize| now[key / 64] >> (key % 64) & 1 == 1;
            let acts = operation.op.is_control() || operation.op.accesses_memory() || operation.joins;
            let is_pure = keys_of(true).next().is_some() && !acts;
            let matters = keys_of(true).any(is_live) || !is_pure;
            if operation.guard == Condition::ALWAYS && operation.test == CcTest::ALWAYS {
                keys_of(true).for_each(|key| now[key / 64] &= !(1 << (key % 64)));
            }
            if matters {
                keys_of(false).for_each(|key| now[key / 64] |= 1 << (key % 64));
            }
            if now != alive[statement] {
                alive[statement] = now;
                changed = true;
            }
        }
    }
    let is_suspect = |key: &Key| match key.checked_sub(first_predicate) {
        Some(predicate) => {
            let predicate = predicate as u8;
            predicate < TRUE
                || (UNIFORM..UNIFORM + TRUE).contains(&predicate)
                || (CC_ZERO..=CC_CARRY_2).contains(&predicate)
        }
        None => is_register(&program.layout, *key),
    };
    let at_entry = (0..count_of_keys).filter(|key| alive[0][key / 64] >> (key % 64) & 1 == 1);
    at_entry.map(|key| key as Key).filter(is_suspect).collect()
}

/// The statements that may follow a statement.
fn successors(program: &Program, statement: u32) -> impl Iterator<Item = u32> {
    let operation = &program.code[statement as usize];
    let (mut target, mut continues) = (None, true);
    if let Op::Control(control) = operation.op {
        let always = operation.is_unconditional();
        match control {
            Control::Branch(to, _) => (target, continues) = (Some(to), !always),
            Control::Call(to) | Control::Push(_, to) => target = Some(to),
            Control::Indirect(..)
            | Control::Return(_)
            | Control::PopReturn
            | Control::Pop(_)
            | Control::Exit
            | Control::Trap => continues = !always,
            _ => {}
        }
    }
    target.into_iter().chain(continues.then_some(statement + 1))
}
