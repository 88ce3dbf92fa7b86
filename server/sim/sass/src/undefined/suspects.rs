//! The registers that may be read before they are written: the live registers at the entry.
//!
//! Indirect jumps and returns are not followed, so a register may be missing. One that is listed needlessly
//! only costs time.

use super::{Key, is_register};
use crate::program::{Cell, Control, Op, Program};
use crate::registers::{Condition, TRUE, UNIFORM};

type Bits = Vec<u64>;

pub(crate) fn suspects(program: &Program) -> Vec<Key> {
    let keys = usize::from(program.layout.rows) + 32;
    let first_predicate = keys - 32;
    let words = keys.div_ceil(64);
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
            let keys_of = |cell: Cell| match cell {
                Cell::Rows(first, count) => usize::from(first)..usize::from(first + count),
                Cell::Predicate(predicate) => {
                    let key = first_predicate + usize::from(predicate);
                    key..key + 1
                }
            };
            let uses = &program.uses[statement];
            if operation.guard == Condition::ALWAYS {
                let written = uses.iter().filter(|it| it.is_write).flat_map(|it| keys_of(it.cell));
                written.for_each(|key| now[key / 64] &= !(1 << (key % 64)));
            }
            let read = uses.iter().filter(|it| !it.is_write).flat_map(|it| keys_of(it.cell));
            read.for_each(|key| now[key / 64] |= 1 << (key % 64));
            if now != alive[statement] {
                alive[statement] = now;
                changed = true;
            }
        }
    }
    let is_suspect = |key: &usize| match key.checked_sub(first_predicate) {
        Some(predicate) => {
            let predicate = predicate as u8;
            predicate < TRUE || (UNIFORM..UNIFORM + TRUE).contains(&predicate)
        }
        None => is_register(&program.layout, *key as u16),
    };
    let at_entry = (0..keys).filter(|key| alive[0][key / 64] >> (key % 64) & 1 == 1);
    at_entry.filter(is_suspect).map(|key| key as Key).collect()
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
            Control::Indirect(_)
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
