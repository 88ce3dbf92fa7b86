//! The stack of tokens of Fermi to Pascal.
//!
//! A token stores the lanes that were active when it was pushed. Lanes that pop a token become inactive. When
//! no lane is active, the stack unwinds to the next entry with live lanes, and all of them resume at its
//! statement.

use super::group::{Group, Joined, MachineError, WaitReason, Waiting};
use crate::program::Token;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    kind: Token,
    /// The barrier register, for code written for the other machine.
    barrier: Option<u8>,
    /// Where the lanes resume.
    pc: u32,
    mask: u32,
    /// The groups that wait in the entry, with their statements.
    arrived: Vec<(u32, u32)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    pc: u32,
    active: u32,
    stack: Vec<Entry>,
    /// Whether the active lanes wait at a block barrier.
    blocked: bool,
    pub(super) joined: Vec<Joined>,
}

impl Tokens {
    /// All lanes at the first statement.
    pub(crate) fn new(mask: u32) -> Tokens {
        Tokens { pc: 0, active: mask, stack: Vec::new(), blocked: false, joined: Vec::new() }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Group> {
        let Tokens { pc, active: mask, .. } = *self;
        (mask != 0 && !self.blocked).then_some(Group { pc, mask, alone: true })
    }

    #[inline(always)]
    pub(super) fn go_on(&mut self, pc: u32) {
        self.pc = pc;
    }

    /// The first part runs first; the others wait.
    pub(super) fn diverge(&mut self, parts: &[(u32, u32)]) {
        let mut parts = parts.iter().filter(|(_, mask)| *mask != 0);
        let Some(&(pc, mask)) = parts.next() else { return };
        for &(pc, mask) in parts {
            self.push_entry(Token::Diverged, None, pc, mask);
        }
        (self.pc, self.active) = (pc, mask);
    }

    pub(super) fn exit(&mut self, lanes: u32, next: u32) {
        for entry in &mut self.stack {
            entry.mask &= !lanes;
        }
        self.active &= !lanes;
        self.pc = next;
        self.unwind();
    }

    pub(super) fn block(&mut self, _: u32, next: u32) {
        self.blocked = true;
        self.pc = next;
    }

    pub(super) fn release(&mut self, _: u32) {
        self.blocked = false;
    }

    /// Pushes a token with the active lanes, which will resume at `pc`.
    pub(crate) fn push(&mut self, kind: Token, pc: u32) {
        self.push_entry(kind, None, pc, self.active);
    }

    fn push_entry(&mut self, kind: Token, barrier: Option<u8>, pc: u32, mask: u32) {
        self.stack.push(Entry { kind, barrier, pc, mask, arrived: Vec::new() });
    }

    /// `BSSY`: pushes the token of a barrier register.
    pub(crate) fn push_barrier(&mut self, barrier: u8, pc: u32, mask: u32) {
        self.push_entry(Token::Sync, Some(barrier), pc, mask);
    }

    fn entry_of(&mut self, barrier: u8) -> Option<&mut Entry> {
        self.stack.iter_mut().rfind(|entry| entry.barrier == Some(barrier))
    }

    /// The lanes of the innermost token of a barrier register.
    pub(crate) fn barrier_mask(&mut self, barrier: u8) -> u32 {
        self.entry_of(barrier).map_or(0, |entry| entry.mask)
    }

    /// `BREAK`: lanes will not resume at the token.
    pub(crate) fn break_out(&mut self, barrier: u8, lanes: u32) {
        if let Some(entry) = self.entry_of(barrier) {
            entry.mask &= !lanes;
        }
    }

    /// `BSYNC`: lanes wait in the token of the barrier. Returns whether there is one.
    pub(crate) fn wait(&mut self, barrier: u8, lanes: u32, at: u32, next: u32) -> bool {
        self.pc = next;
        if lanes == 0 {
            return true;
        }
        let Some(entry) = self.entry_of(barrier) else { return false };
        entry.arrived.push((lanes, at));
        entry.mask |= lanes;
        self.active &= !lanes;
        self.unwind();
        true
    }

    /// Lanes wait in the innermost token of a kind, the others continue at `next`.
    pub(crate) fn pop(&mut self, kind: Token, lanes: u32, at: u32, next: u32) -> Result<(), MachineError> {
        self.pc = next;
        if lanes == 0 {
            return Ok(());
        }
        let index =
            self.stack.iter().rposition(|entry| entry.kind == kind).ok_or(MachineError::NoToken(kind))?;
        if kind != Token::Sync {
            // Lanes that leave an outer construct also leave the constructs inside it.
            self.stack[index + 1..].iter_mut().for_each(|entry| entry.mask &= !lanes);
        }
        self.stack[index].arrived.push((lanes, at));
        self.active &= !lanes;
        self.unwind();
        Ok(())
    }

    /// If no lane is active, resumes the lanes of the next entry that has any.
    fn unwind(&mut self) {
        while self.active == 0
            && let Some(entry) = self.stack.pop()
        {
            (self.active, self.pc) = (entry.mask, entry.pc);
            if entry.mask != 0 && entry.kind != Token::Diverged {
                let mut parts: Vec<u32> = entry.arrived.iter().map(|(lanes, _)| lanes & entry.mask).collect();
                parts.retain(|part| *part != 0);
                if parts.len() > 1 {
                    self.joined.push((entry.pc, parts));
                }
            }
        }
    }

    pub(super) fn waiting(&self) -> Vec<Waiting> {
        let why = if self.blocked { WaitReason::Block } else { WaitReason::Runnable };
        let statement = if self.blocked { self.pc.saturating_sub(1) } else { self.pc };
        let running = Waiting { statement, mask: self.active, why };
        let mut seen = self.active;
        let mut all = vec![running];
        for entry in self.stack.iter().rev() {
            for &(lanes, statement) in &entry.arrived {
                let mask = lanes & entry.mask & !seen;
                seen |= mask;
                all.push(Waiting { statement, mask, why: WaitReason::Token(entry.kind) });
            }
            if entry.kind == Token::Diverged {
                let mask = entry.mask & !seen;
                seen |= mask;
                all.push(Waiting { statement: entry.pc, mask, why: WaitReason::Token(Token::Diverged) });
            }
        }
        all.retain(|waiting| waiting.mask != 0);
        all
    }

    pub(super) fn is_where(&self, earlier: &Tokens) -> bool {
        (self.pc, self.active, &self.stack) == (earlier.pc, earlier.active, &earlier.stack)
    }

    pub(super) fn has_lone_lane(&self) -> bool {
        self.active.count_ones() == 1 && !self.blocked
    }

    /// The number of tokens and of paths that wait for their turn.
    pub(crate) fn tokens(&self) -> usize {
        self.stack.len()
    }

    /// The number of tokens of a kind.
    pub(crate) fn depth(&self, kind: Token) -> usize {
        self.stack.iter().filter(|entry| entry.kind == kind).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_path_runs_when_the_first_waits() {
        let mut tokens = Tokens::new(0xff);
        tokens.push(Token::Sync, 9);
        tokens.diverge(&[(5, 0x0f), (2, 0xf0)]);
        assert_eq!(tokens.next().map(|group| (group.pc, group.mask)), Some((5, 0x0f)));
        tokens.pop(Token::Sync, 0x0f, 6, 7).expect("a token");
        assert_eq!(tokens.next().map(|group| (group.pc, group.mask)), Some((2, 0xf0)));
        tokens.pop(Token::Sync, 0xf0, 4, 5).expect("a token");
        assert_eq!(tokens.next().map(|group| (group.pc, group.mask)), Some((9, 0xff)));
        assert_eq!(tokens.joined, [(9, vec![0x0f, 0xf0])]);
    }

    #[test]
    fn lanes_that_break_leave_inner_tokens() {
        let mut tokens = Tokens::new(0b11);
        tokens.push(Token::Break, 20);
        tokens.push(Token::Sync, 10);
        tokens.pop(Token::Break, 0b01, 5, 6).expect("a token");
        tokens.pop(Token::Sync, 0b10, 7, 8).expect("a token");
        assert_eq!(tokens.next().map(|group| (group.pc, group.mask)), Some((10, 0b10)));
        tokens.pop(Token::Break, 0b10, 11, 12).expect("a token");
        assert_eq!(tokens.next().map(|group| (group.pc, group.mask)), Some((20, 0b11)));
    }

    #[test]
    fn a_token_that_is_not_there() {
        assert_eq!(Tokens::new(1).pop(Token::Sync, 1, 0, 1), Err(MachineError::NoToken(Token::Sync)));
    }
}
