//! Control flow.

use crate::registers::{CC_CARRY, CC_OVERFLOW, CC_SIGN, CC_ZERO, Registers, Row, Source};

/// What a control operation uses the value of a register for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlUse {
    /// The address of a jump, a call or a return.
    Target,
    /// Lanes.
    Members,
    /// The number of a barrier, or of the threads that arrive.
    Barrier,
}

/// An operation that decides which lanes run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// Branches to a statement.
    Branch(u32, Uniformity),
    /// Jumps to the address in a register or a constant.
    Indirect(Jump, Uniformity),
    /// Calls the function at a statement; lanes return to the statement after the call.
    Call(u32),
    /// Calls the function at an address.
    CallIndirect(Jump),
    /// Returns from a function, on the token machine.
    PopReturn,
    /// Returns from a function to the address in a register.
    Return(Jump),
    /// Pushes a token, with the statement at which its lanes resume.
    Push(Token, u32),
    /// Lanes wait in the innermost token of a kind.
    Pop(Token),
    Exit,
    Trap,
    /// `BSSY`: the barrier, and the statement after its region, if the listing contains it.
    BarrierSet(u8, Option<u32>),
    /// `BSYNC`
    BarrierWait(u8),
    /// `BREAK`
    BarrierBreak(u8),
    /// `BMOV`
    BarrierMove(BarrierStep),
    /// `WARPSYNC`: lanes wait for the lanes of the mask.
    WarpSync(Source),
    /// `WARPSYNC.ALL`
    WarpSyncAll,
    /// `YIELD`, `NANOSLEEP`
    Yield,
    /// `BAR`
    Block {
        number: Source,
        /// The number of threads that arrive, if the instruction states it.
        count: Option<Source>,
        /// Whether lanes wait.
        waits: bool,
        /// Reduces `p0`.
        reduction: Option<Reduction>,
    },
    /// `UCGABAR_ARV`, `UCGABAR_WAIT`: lanes arrive at the barrier of the cluster, or wait for it.
    Cluster {
        waits: bool,
    },
}

impl Control {
    /// The values that the operation reads: their use, first row and words.
    pub(crate) fn sources(self) -> impl Iterator<Item = (ControlUse, Row, u16)> {
        let (target, members, barrier) = (ControlUse::Target, ControlUse::Members, ControlUse::Barrier);
        let jump = |jump: Jump| Some((target, jump.source.row, 1 + u16::from(jump.width == JumpWidth::Pair)));
        let word = |what: ControlUse, source: Source| Some((what, source.row, 1));
        let mask = |uniformity: Uniformity| match uniformity {
            Uniformity::Converged(mask) | Uniformity::Diverged(mask) => {
                mask.and_then(|mask| word(members, mask))
            }
            Uniformity::None | Uniformity::All | Uniformity::Any => None,
        };
        let sources = match self {
            Control::Branch(_, uniformity) => [mask(uniformity), None],
            Control::Indirect(to, uniformity) => [jump(to), mask(uniformity)],
            Control::CallIndirect(to) | Control::Return(to) => [jump(to), None],
            Control::WarpSync(mask) | Control::BarrierMove(BarrierStep::Write(_, mask)) => {
                [word(members, mask), None]
            }
            Control::Block { number, count, .. } => {
                [word(barrier, number), count.and_then(|count| word(barrier, count))]
            }
            _ => [None, None],
        };
        sources.into_iter().flatten()
    }
}

/// Which lanes of a path take a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uniformity {
    /// The lanes in which the condition holds.
    None,
    /// All lanes, if the condition holds in all.
    All,
    /// All lanes, if the condition holds in any.
    Any,
    /// All lanes, if the path contains all lanes of a mask (`None`: all live lanes).
    Converged(Option<Source>),
    /// All lanes, if the path does not contain all lanes of a mask.
    Diverged(Option<Source>),
}

/// The address of an indirect jump: a register or a constant, plus a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Jump {
    pub source: Source,
    pub width: JumpWidth,
    pub base: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JumpWidth {
    /// A word with a sign, as an offset is.
    Signed,
    Unsigned,
    /// Two words, since Volta.
    Pair,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// `SSY`, `SYNC`
    Sync,
    /// `PBK`, `BRK`
    Break,
    /// `PCNT`, `CONT`
    Continue,
    /// `PRET`, `CAL`, `RET`
    Return,
    /// `PLONGJMP`, `LONGJMP`
    LongJump,
    /// `PEXIT`
    Exit,
    /// The other path of a branch.
    Diverged,
}

impl Token {
    /// The instruction that pops the token.
    pub fn pop(self) -> &'static str {
        match self {
            Token::Sync => "SYNC",
            Token::Break => "BRK",
            Token::Continue => "CONT",
            Token::Return => "RET",
            Token::LongJump => "LONGJMP",
            Token::Exit | Token::Diverged => "EXIT",
        }
    }

    /// The instruction that pushes the token.
    pub fn push(self) -> &'static str {
        match self {
            Token::Sync => "SSY",
            Token::Break => "PBK",
            Token::Continue => "PCNT",
            Token::Return => "CAL",
            Token::LongJump => "PLONGJMP",
            Token::Exit => "PEXIT",
            Token::Diverged => "BRA",
        }
    }
}

/// `BMOV`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierStep {
    /// `d` = the mask of a barrier, which may then be cleared.
    Read { barrier: u8, clears: bool },
    /// Sets the mask of a barrier.
    Write(u8, Source),
    /// Copies the mask of a barrier, which may then be cleared, to another one.
    Copy { to: u8, from: u8, clears: bool },
    /// `d` = a state of the warp.
    State(BarrierState),
    /// Writes a state of the warp that is not simulated.
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierState {
    /// The lanes of the path.
    Active,
    Exited,
    /// Reads as 0.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    And,
    Or,
    Count,
}

/// A test of the condition code, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CcTest(pub u8);

impl CcTest {
    /// `T`
    pub const ALWAYS: CcTest = CcTest(15);

    /// The lanes in which the test holds.
    pub(crate) fn of(self, registers: &Registers) -> u32 {
        let flag = |predicate: u8| registers.predicates[usize::from(predicate)];
        let (z, s, c, o) = (flag(CC_ZERO), flag(CC_SIGN), flag(CC_CARRY), flag(CC_OVERFLOW));
        match self.0 {
            0 => 0,
            1 => (s & !z) ^ o,
            2 => z & !s,
            3 => s ^ (z | o),
            4 => !z & !(s ^ o),
            5 => !z,
            6 => !(s ^ o),
            7 => !z | !s,
            8 => z & s,
            9 => s ^ o,
            10 => z,
            11 => z | (s ^ o),
            12 => !s ^ (z | o),
            13 => !z | s,
            14 => (!s | z) ^ o,
            16 => !o,
            17 => !c,
            18 => !s,
            19 => z | !c,
            20 => !z & c,
            21 => s,
            22 => c,
            23 => o,
            _ => u32::MAX,
        }
    }
}
