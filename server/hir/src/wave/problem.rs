//! The problems of an item, as data. Messages are worded elsewhere.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_isa::wave::OperandKind;

use crate::severity::Severity;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Relative to the item.
    pub range: TextRange,
    pub kind: ProblemKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// No instruction has this name.
    UnknownInstruction {
        /// The name with its suffixes.
        name: SmolStr,
        /// The most similar name.
        write: Option<SmolStr>,
    },
    /// No directive has this name.
    UnknownDirective {
        /// The name with its dot.
        name: SmolStr,
        /// The most similar name.
        write: Option<SmolStr>,
    },
    /// A suffix that the instruction does not have.
    UnknownSuffix(SmolStr),
    /// A cache hint on an instruction that is neither a load nor a store.
    UnusedHint(SmolStr),
    /// Too few or too many operands.
    OperandCount { least: usize, most: usize, found: usize },
    /// An operand of the wrong kind.
    OperandKind { expected: &'static [OperandKind] },
    /// A word that was read as an operand, but can only be meant as the next instruction.
    MissingNewline(SmolStr),
    /// A general register that no machine has.
    RegisterIndex,
    /// A general register beyond the number of registers of the kernel.
    RegisterBeyond {
        registers: u32,
        /// The directive that sets the number; `None` for the default.
        declared: Option<TextRange>,
    },
    /// A predicate register above `p3`.
    PredicateIndex,
    /// No special register has this name.
    UnknownSpecial(SmolStr),
    /// `.lo` or `.hi`, which the toolchain ignores.
    IgnoredHalf,
    /// A negative number of registers or bytes, or a negative size, which wraps.
    NegativeResource(&'static str),
    /// A special register in place of a general one.
    SpecialOperand { written: bool },
    /// A number that does not fit in 32 bits.
    ImmediateRange(i64),
    /// A float for an operand that holds an integer.
    FloatForInteger,
    /// A fence or an atomic without its scope. This is an error for a fence, while the guide allows it for an
    /// atomic.
    MissingScope { fence: bool },
    /// A second label with the same name in the file.
    DuplicateLabel {
        name: SmolStr,
        /// The first label, if it is in the same item.
        first: Option<TextRange>,
    },
    /// A second kernel with the same name in the file.
    DuplicateKernel(SmolStr),
    /// A call of a label that the file does not have.
    UndefinedLabel(SmolStr),
    /// Wrong arguments of a directive.
    DirectiveArguments {
        name: &'static str,
        /// The arguments that the directive needs.
        takes: &'static str,
    },
    /// A resource directive outside every kernel, which the assembler ignores.
    DirectiveOutside(&'static str),
    /// `@p0`, which the toolchain ignores.
    GuardP0,
    /// A guard on an instruction that changes the active mask, which the guard corrupts.
    GuardedControl(SmolStr),
    /// An atomic whose result is written to `r0` and thereby dropped.
    ResultToR0,
    /// An unmatched `else`, `endif` or `endloop`.
    Unmatched(Construct),
    /// An `if` or `loop` that is not closed.
    Unclosed(Construct),
    /// A second `else` for the same `if`.
    SecondElse { first: TextRange },
    /// An `else`, `endif` or `endloop` inside a construct that is still open.
    Crossed { open: TextRange, construct: Construct },
    /// `break` or `continue` outside a loop.
    OutsideLoop(SmolStr),
    /// An `if` or `loop` at nesting depth 33.
    TooDeep,
    /// A call of a function that reaches nesting depth 33, counting the depth of its callers.
    TooDeepCall(SmolStr),
    /// A call at depth 9.
    CallDepth(SmolStr),
    /// A loop that no lane can leave.
    EndlessLoop,
    /// A kernel whose last instruction continues past its end.
    MissingHalt,
    /// Instructions that no lane reaches.
    Unreachable,
    /// A general register that is read before anything has written it, and that is unlikely to be an
    /// argument.
    UnwrittenRegister(u8),
    /// A predicate register that is read before anything has written it.
    UnwrittenPredicate(u8),
    /// A barrier that only some lanes of a wave reach.
    DivergentBarrier {
        /// The `if`, `break` or `continue` at which lanes diverge.
        diverges_at: TextRange,
    },
    /// A call of a function from within itself.
    Recursion(SmolStr),
}

impl Problem {
    /// A stable name for the diagnostic.
    pub fn code(&self) -> &'static str {
        self.rule().0
    }

    pub fn severity(&self) -> Severity {
        self.rule().1
    }

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
