//! What is wrong in one item, as data. How it reads is in `message`.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_isa::wave::OperandKind;

/// Something wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, relative to the item.
    pub range: TextRange,
    /// What.
    pub kind: ProblemKind,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The assembler rejects it, or the guide gives it no meaning.
    Error,
    /// It assembles, but hardly as meant.
    Warning,
    /// It has no effect.
    Hint,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// No instruction has this name.
    UnknownInstruction {
        /// The name, suffixes included.
        name: SmolStr,
        /// What was probably meant.
        write: Option<SmolStr>,
    },
    /// No directive has this name.
    UnknownDirective {
        /// The name, with its dot.
        name: SmolStr,
        /// What was probably meant.
        write: Option<SmolStr>,
    },
    /// A suffix that the instruction does not take.
    UnknownSuffix(SmolStr),
    /// A cache hint on an instruction that is no load or store.
    UnusedHint(SmolStr),
    /// Too few or too many operands.
    OperandCount {
        /// The fewest that fit.
        least: usize,
        /// The most that fit.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// An operand of a kind that does not fit there.
    OperandKind {
        /// The kinds that fit.
        expected: &'static [OperandKind],
    },
    /// A word that can only have been meant as the next instruction, read as an operand.
    MissingNewline(SmolStr),
    /// A general register that no machine has.
    RegisterIndex,
    /// A general register at or above the kernel's number of registers.
    RegisterBeyond {
        /// The kernel's number of registers.
        registers: u32,
        /// The directive that says so; `None` for the number that holds without one.
        declared: Option<TextRange>,
    },
    /// A predicate register above `p3`.
    PredicateIndex,
    /// No special register has this name.
    UnknownSpecial(SmolStr),
    /// `.lo`, `.hi`, which the toolchain ignores.
    IgnoredHalf,
    /// A negative number of registers or bytes, or a negative size, which wraps.
    NegativeResource(&'static str),
    /// A special register in the place of a general one.
    SpecialOperand {
        /// Whether it would be written.
        written: bool,
    },
    /// A number outside of 32 bits.
    ImmediateRange(i64),
    /// A float for an operand that holds an integer.
    FloatForInteger,
    /// A fence (an error) or an atomic (the guide allows it) without its scope.
    MissingScope {
        /// Whether it is a fence.
        fence: bool,
    },
    /// A second label of one name in the file.
    DuplicateLabel {
        /// The name.
        name: SmolStr,
        /// The first one, if it stands in the same item.
        first: Option<TextRange>,
    },
    /// A second kernel of one name in the file.
    DuplicateKernel(SmolStr),
    /// A call of a label that the file does not have.
    UndefinedLabel(SmolStr),
    /// The arguments of a directive do not fit.
    DirectiveArguments {
        /// The directive.
        name: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// A resource directive outside of every kernel, which the assembler ignores.
    DirectiveOutside(&'static str),
    /// `@p0`, which the toolchain ignores.
    GuardP0,
    /// A guard on an instruction whose mask changes it undoes.
    GuardedControl(SmolStr),
    /// An atomic whose result goes to `r0`, and so nowhere.
    ResultToR0,
    /// `else`, `endif` or `endloop` that nothing opens.
    Unmatched(Construct),
    /// `if` or `loop` that nothing closes.
    Unclosed(Construct),
    /// An `else` after an `else`.
    SecondElse {
        /// The first one.
        first: TextRange,
    },
    /// An `else`, `endif` or `endloop` inside of a construct that is still open.
    Crossed {
        /// The construct that is still open.
        open: TextRange,
        /// What it is.
        construct: Construct,
    },
    /// `break` or `continue` outside of every loop.
    OutsideLoop(SmolStr),
    /// The 33rd `if` or `loop` inside of each other.
    TooDeep,
    /// A call of a function that opens the 33rd `if` or `loop` inside of those of its callers.
    TooDeepCall(SmolStr),
    /// The ninth call inside of each other.
    CallDepth(SmolStr),
    /// A loop that no lane can leave.
    EndlessLoop,
    /// A kernel whose last instruction goes on past its end.
    MissingHalt,
    /// Instructions that no lane comes to.
    Unreachable,
    /// A general register that is read where nothing has written it, and that is hardly an argument.
    UnwrittenRegister(u8),
    /// A predicate register that is read where nothing has written it.
    UnwrittenPredicate(u8),
    /// A barrier that only some lanes of a wave come to.
    DivergentBarrier {
        /// The `if`, `break` or `continue` at which lanes part.
        parts: TextRange,
    },
    /// A call of a function from within itself.
    Recursion(SmolStr),
}

/// The two constructs of structured control flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Construct {
    /// `if`, `else`, `endif`
    If,
    /// `loop`, `endloop`
    Loop,
}
