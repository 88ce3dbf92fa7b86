//! The problems of one item, as data. Messages are worded elsewhere.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_isa::wave::OperandKind;

use crate::severity::Severity;

/// Something wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, relative to the item.
    pub range: TextRange,
    /// What.
    pub kind: ProblemKind,
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
        self.rule().0
    }

    /// The severity.
    pub fn severity(&self) -> Severity {
        self.rule().1
    }

    /// The name and the severity.
    fn rule(&self) -> (&'static str, Severity) {
        use ProblemKind as Kind;

        match &self.kind {
            Kind::UnknownInstruction { .. } => ("unknown-instruction", Severity::Error),
            Kind::UnknownDirective { .. } => ("unknown-directive", Severity::Error),
            Kind::UnknownSuffix(_) => ("unknown-modifier", Severity::Error),
            Kind::UnusedHint(_) => ("unused-cache-hint", Severity::Warning),
            Kind::OperandCount { .. } => ("operand-count", Severity::Error),
            Kind::OperandKind { .. } => ("operand-kind", Severity::Error),
            Kind::MissingNewline(_) => ("missing-newline", Severity::Error),
            Kind::RegisterIndex | Kind::PredicateIndex => ("register-index", Severity::Error),
            Kind::RegisterBeyond { .. } => ("register-beyond-count", Severity::Warning),
            Kind::UnknownSpecial(_) => ("unknown-special-register", Severity::Error),
            Kind::IgnoredHalf => ("ignored-half", Severity::Warning),
            Kind::NegativeResource(_) => ("negative-resource", Severity::Warning),
            Kind::SpecialOperand { .. } => ("special-operand", Severity::Warning),
            Kind::ImmediateRange(_) => ("immediate-range", Severity::Error),
            Kind::FloatForInteger => ("float-for-integer", Severity::Warning),
            Kind::MissingScope { fence: true } => ("missing-scope", Severity::Error),
            Kind::MissingScope { fence: false } => ("missing-scope", Severity::Warning),
            Kind::DuplicateLabel { .. } => ("duplicate-name", Severity::Error),
            Kind::DuplicateKernel(_) => ("duplicate-name", Severity::Warning),
            Kind::UndefinedLabel(_) => ("unresolved-name", Severity::Error),
            Kind::DirectiveArguments { .. } => ("directive-arguments", Severity::Error),
            Kind::DirectiveOutside(_) => ("directive-outside-kernel", Severity::Warning),
            Kind::GuardP0 => ("guard-p0", Severity::Warning),
            Kind::GuardedControl(_) => ("guarded-control", Severity::Warning),
            Kind::ResultToR0 => ("result-to-r0", Severity::Warning),
            Kind::Unmatched(_) => ("unmatched-structure", Severity::Error),
            Kind::Unclosed(_) => ("unclosed-structure", Severity::Error),
            Kind::SecondElse { .. } => ("second-else", Severity::Error),
            Kind::Crossed { .. } => ("improper-nesting", Severity::Error),
            Kind::OutsideLoop(_) => ("outside-loop", Severity::Error),
            Kind::TooDeep | Kind::TooDeepCall(_) => ("nesting-depth", Severity::Error),
            Kind::CallDepth(_) => ("call-depth", Severity::Warning),
            Kind::EndlessLoop => ("endless-loop", Severity::Warning),
            Kind::MissingHalt => ("missing-halt", Severity::Warning),
            Kind::Unreachable => ("unreachable-code", Severity::Hint),
            Kind::UnwrittenRegister(_) | Kind::UnwrittenPredicate(_) => {
                ("unwritten-register", Severity::Warning)
            }
            Kind::DivergentBarrier { .. } => ("divergent-barrier", Severity::Warning),
            Kind::Recursion(_) => ("recursion", Severity::Warning),
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
