//! How problems read: a name for tools, a severity, and a sentence that says the cause and the mend.

use warplens_isa::wave::{self as isa, OperandKind};

use super::problem::{Construct, Problem, ProblemKind, Severity};

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

    /// How bad it is.
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

    /// What to say about it.
    pub fn message(&self) -> String {
        match &self.kind {
            ProblemKind::UnknownInstruction { name, write } => {
                let why = isa::spelling(name).filter(|_| write.is_none());
                match why.and_then(|known| known.why.strip_suffix('.')) {
                    Some(why) => format!("there is no instruction `{name}`. {why}"),
                    None => format!("there is no instruction `{name}`{}", mend(write.as_deref())),
                }
            }
            ProblemKind::UnknownDirective { name, write } => {
                format!("there is no directive `{name}`{}", mend(write.as_deref()))
            }
            ProblemKind::UnknownSuffix(suffix) => format!("this instruction takes no `{suffix}`"),
            ProblemKind::UnusedHint(hint) => {
                format!("`{hint}` belongs to loads and stores; toolchain 0.1.2 makes another instruction of this one")
            }
            ProblemKind::OperandCount { least, most, found } => operand_count(*least, *most, *found),
            ProblemKind::OperandKind { expected } => format!("{} was expected here", kinds(expected)),
            ProblemKind::MissingNewline(word) => format!(
                "the assembler reads `{word}` as an operand of the instruction before it: put it on a line of its own"
            ),
            ProblemKind::RegisterIndex => "general registers are r0 to r254 (r0 to r31 in toolchain 0.1.2)".to_owned(),
            ProblemKind::RegisterBeyond { registers, declared } => {
                let why = if declared.is_some() { "" } else { ", the number without `.registers`" };
                format!("the kernel has {registers} registers{why}: this one reads as 0 and loses what is written to it")
            }
            ProblemKind::PredicateIndex => "predicate registers are p0 to p3".to_owned(),
            ProblemKind::UnknownSpecial(name) => format!("there is no special register `{name}`"),
            ProblemKind::IgnoredHalf => {
                "toolchain 0.1.2 ignores `.lo` and `.hi` and takes the whole register: shift and mask it".to_owned()
            }
            ProblemKind::NegativeResource(name) => {
                format!("a negative number of `{name}` becomes a huge one: write one from 0 on")
            }
            ProblemKind::SpecialOperand { written: true } => {
                "special registers are read-only: the assembler writes the general register of the same number instead"
                    .to_owned()
            }
            ProblemKind::SpecialOperand { written: false } => {
                "the assembler takes the number of a special register for that of a general one here: read it with `mov_sr` first"
                    .to_owned()
            }
            ProblemKind::ImmediateRange(value) => {
                format!("{value} does not fit into 32 bits: numbers go from -2147483648 to 4294967295")
            }
            ProblemKind::FloatForInteger => {
                "a float where an integer is read: its binary32 bits are taken".to_owned()
            }
            ProblemKind::MissingScope { fence: true } => {
                "a fence names its scope: wave, workgroup, device or system".to_owned()
            }
            ProblemKind::MissingScope { fence: false } => {
                "the assembler wants a scope as the last operand of a device atomic, such as `.device`".to_owned()
            }
            ProblemKind::DuplicateLabel { name, .. } => format!("the file has the label `{name}` already"),
            ProblemKind::DuplicateKernel(name) => format!("the file has a kernel `{name}` already"),
            ProblemKind::UndefinedLabel(name) => format!("the file has no label `{name}`"),
            ProblemKind::DirectiveArguments { name, takes } => format!("`{name}` takes {takes}"),
            ProblemKind::DirectiveOutside(name) => format!("`{name}` outside of a kernel has no effect"),
            ProblemKind::GuardP0 => {
                "toolchain 0.1.2 ignores the guard `@p0` and runs this in every lane: use p1, p2, p3 or `@!p0`".to_owned()
            }
            ProblemKind::GuardedControl(name) => format!(
                "a guard on `{name}` breaks the masks of toolchain 0.1.2: put the condition into the predicate instead"
            ),
            ProblemKind::ResultToR0 => {
                "an atomic with r0 as its result writes none: take another register, or leave it out".to_owned()
            }
            ProblemKind::Unmatched(Construct::If) => "no `if` is open here".to_owned(),
            ProblemKind::Unmatched(Construct::Loop) => "no `loop` is open here".to_owned(),
            ProblemKind::Unclosed(Construct::If) => "this `if` is not closed: `endif` is missing".to_owned(),
            ProblemKind::Unclosed(Construct::Loop) => "this `loop` is not closed: `endloop` is missing".to_owned(),
            ProblemKind::SecondElse { .. } => "this `if` has an `else` already".to_owned(),
            ProblemKind::Crossed { construct: Construct::If, .. } => {
                "an `if` that began later is still open: close it with `endif` first".to_owned()
            }
            ProblemKind::Crossed { construct: Construct::Loop, .. } => {
                "a `loop` that began later is still open: close it with `endloop` first".to_owned()
            }
            ProblemKind::OutsideLoop(name) => format!("`{name}` stands outside of every loop"),
            ProblemKind::TooDeep => {
                "more than 32 `if` and `loop` stand inside of each other: join conditions, or end some earlier".to_owned()
            }
            ProblemKind::TooDeepCall(name) => format!(
                "with what `{name}` opens inside of its callers, more than 32 `if` and `loop` are open: call it further out"
            ),
            ProblemKind::CallDepth(name) => format!(
                "the call of `{name}` is the ninth inside of each other, and a machine has depth_left for 8: put its code here"
            ),
            ProblemKind::EndlessLoop => "no lane can leave this loop: it has no `break`, `halt` or `return`".to_owned(),
            ProblemKind::MissingHalt => {
                "lanes run past the end of the kernel: end it with `halt` or `return`".to_owned()
            }
            ProblemKind::Unreachable => "no lane comes here".to_owned(),
            ProblemKind::UnwrittenRegister(index) => format!(
                "nothing has written r{index} yet: it is 0, unless the launch sets it; arguments come in r0, r1, r2 and so on"
            ),
            ProblemKind::UnwrittenPredicate(index) => {
                format!("nothing has written p{index} yet: it is false in every lane")
            }
            ProblemKind::DivergentBarrier { .. } => {
                "only some lanes of a wave may come to this barrier: put it where all of them are together again"
                    .to_owned()
            }
            ProblemKind::Recursion(name) => {
                format!("`{name}` is called from within itself: a machine has depth_left for 8 calls")
            }
        }
    }
}

fn mend(write: Option<&str>) -> String {
    write.map(|write| format!(": write `{write}`")).unwrap_or_default()
}

fn operand_count(least: usize, most: usize, found: usize) -> String {
    let wanted = match (least, most) {
        (0, 0) => "no operands".to_owned(),
        (1, 1) => "one operand".to_owned(),
        (least, most) if least == most => format!("{least} operands"),
        (least, most) => format!("{least} to {most} operands"),
    };
    format!("this instruction takes {wanted}, not {found}")
}

/// The kinds as a phrase: `a general register or a number`.
fn kinds(kinds: &[OperandKind]) -> String {
    let words: Vec<_> = kinds.iter().map(|kind| word(*kind)).collect();
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

fn word(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::General => "a general register",
        OperandKind::Predicate => "a predicate register",
        OperandKind::NotPredicate => "a negated one",
        OperandKind::Special => "a special register",
        OperandKind::Immediate => "a number",
        OperandKind::Label => "a label",
        OperandKind::Scope => "a scope",
        OperandKind::Fragment => "a matrix fragment (written as a register)",
    }
}
