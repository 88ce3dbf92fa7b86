//! The problems of one item, as data. Messages are worded elsewhere.

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

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The assembler rejects it, or the guide gives it no meaning.
    Error,
    /// It assembles, but probably not as intended.
    Warning,
    /// It has no effect.
    Hint,
}

/// The kind of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// No instruction has this name.
    UnknownInstruction {
        /// The name, suffixes included.
        name: SmolStr,
        /// The most similar name.
        write: Option<SmolStr>,
    },
    /// No directive has this name.
    UnknownDirective {
        /// The name, with its dot.
        name: SmolStr,
        /// The most similar name.
        write: Option<SmolStr>,
    },
    /// A suffix that the instruction does not take.
    UnknownSuffix(SmolStr),
    /// A cache hint on an instruction that is not a load or store.
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
        /// The directive that sets it; `None` for the default.
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
        /// The first one, if it is in the same item.
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
        /// The arguments that it takes.
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
    /// An unmatched `else`, `endif` or `endloop`.
    Unmatched(Construct),
    /// An `if` or `loop` that is not closed.
    Unclosed(Construct),
    /// An `else` after an `else`.
    SecondElse {
        /// The first one.
        first: TextRange,
    },
    /// An `else`, `endif` or `endloop` inside a construct that is still open.
    Crossed {
        /// The construct that is still open.
        open: TextRange,
        /// Its kind.
        construct: Construct,
    },
    /// `break` or `continue` outside a loop.
    OutsideLoop(SmolStr),
    /// An `if` or `loop` at nesting depth 33.
    TooDeep,
    /// A call of a function that reaches nesting depth 33, those of its callers included.
    TooDeepCall(SmolStr),
    /// Call depth 9.
    CallDepth(SmolStr),
    /// A loop that no lane can leave.
    EndlessLoop,
    /// A kernel whose last instruction continues past its end.
    MissingHalt,
    /// Instructions that no lane reaches.
    Unreachable,
    /// A general register that is read where nothing has written it, and that is hardly an argument.
    UnwrittenRegister(u8),
    /// A predicate register that is read where nothing has written it.
    UnwrittenPredicate(u8),
    /// A barrier that only some lanes of a wave reach.
    DivergentBarrier {
        /// The `if`, `break` or `continue` at which lanes diverge.
        parts: TextRange,
    },
    /// A call of a function from within itself.
    Recursion(SmolStr),
}

impl Problem {
    /// A stable name.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            ProblemKind::UnknownInstruction { .. } => "unknown-instruction",
            ProblemKind::UnknownDirective { .. } => "unknown-directive",
            ProblemKind::UnknownSuffix(_) => "unknown-modifier",
            ProblemKind::UnusedHint(_) => "unused-cache-hint",
            ProblemKind::OperandCount { .. } => "operand-count",
            ProblemKind::OperandKind { .. } => "operand-kind",
            ProblemKind::MissingNewline(_) => "missing-newline",
            ProblemKind::RegisterIndex | ProblemKind::PredicateIndex => "register-index",
            ProblemKind::RegisterBeyond { .. } => "register-beyond-count",
            ProblemKind::UnknownSpecial(_) => "unknown-special-register",
            ProblemKind::IgnoredHalf => "ignored-half",
            ProblemKind::NegativeResource(_) => "negative-resource",
            ProblemKind::SpecialOperand { .. } => "special-operand",
            ProblemKind::ImmediateRange(_) => "immediate-range",
            ProblemKind::FloatForInteger => "float-for-integer",
            ProblemKind::MissingScope { .. } => "missing-scope",
            ProblemKind::DuplicateLabel { .. } | ProblemKind::DuplicateKernel(_) => "duplicate-name",
            ProblemKind::UndefinedLabel(_) => "unresolved-name",
            ProblemKind::DirectiveArguments { .. } => "directive-arguments",
            ProblemKind::DirectiveOutside(_) => "directive-outside-kernel",
            ProblemKind::GuardP0 => "guard-p0",
            ProblemKind::GuardedControl(_) => "guarded-control",
            ProblemKind::ResultToR0 => "result-to-r0",
            ProblemKind::Unmatched(_) => "unmatched-structure",
            ProblemKind::Unclosed(_) => "unclosed-structure",
            ProblemKind::SecondElse { .. } => "second-else",
            ProblemKind::Crossed { .. } => "improper-nesting",
            ProblemKind::OutsideLoop(_) => "outside-loop",
            ProblemKind::TooDeep | ProblemKind::TooDeepCall(_) => "nesting-depth",
            ProblemKind::CallDepth(_) => "call-depth",
            ProblemKind::EndlessLoop => "endless-loop",
            ProblemKind::MissingHalt => "missing-halt",
            ProblemKind::Unreachable => "unreachable-code",
            ProblemKind::UnwrittenRegister(_) | ProblemKind::UnwrittenPredicate(_) => "unwritten-register",
            ProblemKind::DivergentBarrier { .. } => "divergent-barrier",
            ProblemKind::Recursion(_) => "recursion",
        }
    }

    /// The severity.
    pub fn severity(&self) -> Severity {
        match &self.kind {
            ProblemKind::UnusedHint(_)
            | ProblemKind::RegisterBeyond { .. }
            | ProblemKind::SpecialOperand { .. }
            | ProblemKind::IgnoredHalf
            | ProblemKind::NegativeResource(_)
            | ProblemKind::FloatForInteger
            | ProblemKind::MissingScope { fence: false }
            | ProblemKind::DuplicateKernel(_)
            | ProblemKind::DirectiveOutside(_)
            | ProblemKind::GuardP0
            | ProblemKind::GuardedControl(_)
            | ProblemKind::ResultToR0
            | ProblemKind::EndlessLoop
            | ProblemKind::MissingHalt
            | ProblemKind::UnwrittenRegister(_)
            | ProblemKind::UnwrittenPredicate(_)
            | ProblemKind::DivergentBarrier { .. }
            | ProblemKind::CallDepth(_)
            | ProblemKind::Recursion(_) => Severity::Warning,
            ProblemKind::Unreachable => Severity::Hint,
            _ => Severity::Error,
        }
    }
}

/// The two constructs of structured control flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Construct {
    /// `if`, `else`, `endif`
    If,
    /// `loop`, `endloop`
    Loop,
}
