//! Control flow.

use crate::registers::{CC_CARRY, CC_OVERFLOW, CC_SIGN, CC_ZERO, Registers, Source};

/// An operation that decides which lanes run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// To a statement.
    Branch(u32, Uniformity),
    /// To the address in a register.
    Indirect(Jump),
    /// Into a function: the statement; lanes return to the next one.
    Call(u32),
    /// Into the function at an address.
    CallIndirect(Jump),
    /// Out of a function: the token machine.
    PopReturn,
    /// Out of a function, to the address in a register.
    Return(Jump),
    /// Pushes a token: the statement at which its lanes resume.
    Push(Token, u32),
    /// Lanes wait in the innermost token of a kind.
    Pop(Token),
    /// Lanes exit.
    Exit,
    /// The run stops.
    Trap,
    /// `BSSY`: the barrier, and the statement after its region, where the listing has it.
    BarrierSet(u8, Option<u32>),
    /// `BSYNC`
    BarrierWait(u8),
    /// `BREAK`
    BarrierBreak(u8),
    /// `BMOV`
    BarrierMove(BarrierStep),
    /// `WARPSYNC`: lanes wait for those of the mask.
    WarpSync(Source),
    /// `WARPSYNC.ALL`
    WarpSyncAll,
    /// `YIELD`, `NANOSLEEP`
    Yield,
    /// `BAR`
    Block {
        /// The number of the barrier.
        number: Source,
        /// The number of threads that arrive, if the instruction has it.
        count: Option<Source>,
        /// Lanes wait.
        waits: bool,
        /// A reduction of `p0`.
        reduction: Option<Reduction>,
    },
}

/// Which lanes of a path a branch takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uniformity {
    /// Those for which the condition holds.
    None,
    /// All, if it holds for all.
    All,
    /// All, if it holds for any.
    Any,
    /// All, if the path has all lanes of a mask; `None`: all live ones.
    Converged(Option<Source>),
    /// All, if it has not.
    Diverged(Option<Source>),
}

/// The address that an indirect jump adds to its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Jump {
    /// The register.
    pub register: Source,
    /// Of 64 bits.
    pub wide: bool,
    /// What is added.
    pub base: i64,
}

/// The kinds of tokens.
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
    /// The instruction that pops it.
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

    /// The instruction that pushes it.
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
    /// `d` = a barrier's mask, which is then cleared.
    Read(u8, bool),
    /// A barrier's mask = the source.
    Write(u8, Source),
    /// A barrier's mask = another's, which is then cleared.
    Copy(u8, u8, bool),
    /// `d` = a state of the warp.
    State(BarrierState),
    /// A state of the warp that is not simulated is written.
    Ignore,
}

/// States of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierState {
    /// The lanes of the path.
    Active,
    /// The lanes that have exited.
    Exited,
    /// Anything else: 0.
    Other,
}

/// A reduction at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    And,
    Or,
    Count,
}

/// A test of the condition code, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CcTest(pub u8);

/// The names of the tests, by number.
const TESTS: [&str; 24] = [
    "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T",
    "OFF", "LO", "SFF", "LS", "HI", "SFT", "HS", "OFT",
];

impl CcTest {
    /// `T`
    pub const ALWAYS: CcTest = CcTest(15);

    /// The test with this name; none for those of graphics.
    pub fn named(name: &str) -> Option<CcTest> {
        TESTS.iter().position(|test| *test == name).map(|number| CcTest(number as u8))
    }

    /// The lanes in which it holds.
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
