//! The messages of WAVE problems and departures, which `hir` finds.

use warplens_hir::wave::{Construct, DepartureKind, Entry, MAX_DEPTH, ProblemKind};
use warplens_ide_db::{any_of, did_you_mean};
use warplens_isa::wave::{self as isa, OperandKind};

use crate::message::{message, operand_count};

/// A call in a kernel that is not the first one of its file, for toolchain 0.1.2.
pub(crate) const LATER_CALL: &str = "toolchain 0.1.2 computes a wrong call target in every kernel but the first: move this kernel to the start of the file";

pub fn problem(kind: &ProblemKind) -> String {
    message!(match kind {
        ProblemKind::UnknownInstruction { name, write } => "{}", unknown_instruction(name, write.as_deref());
        ProblemKind::UnknownDirective { name, write } =>
            "unknown directive `{name}`{}", instead(write.as_deref());
        ProblemKind::UnknownSuffix(suffix) => "this instruction does not accept `{suffix}`";
        ProblemKind::UnusedHint(hint) =>
            "`{hint}` applies to loads and stores only; toolchain 0.1.2 encodes a different instruction: remove it";
        ProblemKind::OperandCount { least, most, found } =>
            "this instruction takes {}, found {found}", operand_count(*least, *most);
        ProblemKind::OperandKind { expected } => "expected {}", kinds(expected);
        ProblemKind::MissingNewline(word) =>
            "missing newline before `{word}`: the assembler reads it as an operand of the previous instruction";
        ProblemKind::RegisterIndex =>
            "invalid register: general registers are r0 to r254 (r0 to r31 in toolchain 0.1.2)";
        ProblemKind::RegisterBeyond { registers, declared } =>
            "the kernel has {registers} registers{}: this one reads as 0 and writes to it are lost",
            if declared.is_some() { "" } else { " (the default without `.registers`)" };
        ProblemKind::PredicateIndex => "invalid register: predicate registers are p0 to p3";
        ProblemKind::UnknownSpecial(name) => "unknown special register `{name}`";
        ProblemKind::IgnoredHalf =>
            "toolchain 0.1.2 ignores `.lo` and `.hi` and uses the whole register: shift and mask it";
        ProblemKind::NegativeResource(name) => "a negative `{name}` wraps to a huge number: write 0 or more";
        ProblemKind::SpecialOperand { written: true } =>
            "special registers are read-only: the assembler writes the general register of the same number";
        ProblemKind::SpecialOperand { written: false } =>
            "the assembler reads the general register of the same number here: copy the special register with `mov_sr` first";
        ProblemKind::ImmediateRange(value) =>
            "{value} does not fit into 32 bits: the range is -2147483648 to 4294967295";
        ProblemKind::FloatForInteger =>
            "float where an integer is expected: the instruction reads its binary32 bits";
        ProblemKind::MissingScope { fence: true } =>
            "missing scope of this fence: add wave, workgroup, device or system";
        ProblemKind::MissingScope { fence: false } =>
            "missing scope: the assembler requires one as the last operand of a device atomic, such as `.device`";
        ProblemKind::DuplicateLabel { name, .. } => "duplicate label `{name}`";
        ProblemKind::DuplicateKernel(name) => "duplicate kernel `{name}`";
        ProblemKind::UndefinedLabel(name) => "{}", undefined_label(name, None);
        ProblemKind::DirectiveArguments { name, takes } => "`{name}` takes {takes}";
        ProblemKind::DirectiveOutside(name) => "`{name}` outside a kernel has no effect";
        ProblemKind::GuardP0 =>
            "toolchain 0.1.2 ignores the guard `@p0` and executes this in every lane: use p1, p2, p3 or `@!p0`";
        ProblemKind::GuardedControl(name) =>
            "a guard on `{name}` corrupts the masks of toolchain 0.1.2: move the condition into the predicate";
        ProblemKind::ResultToR0 =>
            "an atomic with the result r0 discards its result: use another register, or remove the operand";
        ProblemKind::Unmatched(construct) =>
            "no matching `{}`: remove this, or add one before it", words(*construct).0;
        ProblemKind::Unclosed(construct) =>
            "missing `{}`: this `{}` is not closed", words(*construct).1, words(*construct).0;
        ProblemKind::SecondElse { .. } => "duplicate `else`: this `if` already has one";
        ProblemKind::Crossed { construct, .. } =>
            "improper nesting: close the inner `{}` with `{}` first", words(*construct).0, words(*construct).1;
        ProblemKind::OutsideLoop(name) => "`{name}` outside a loop";
        ProblemKind::TooDeep =>
            "nesting depth exceeds {MAX_DEPTH}: join conditions, or close some `if` or `loop` earlier";
        ProblemKind::TooDeepCall(name) =>
            "nesting depth exceeds {MAX_DEPTH} in `{name}`, the constructs of its callers included: call it outside some of them";
        ProblemKind::CallDepth(name) => "call depth 9 at `{name}`, the limit is 8: inline its code here";
        ProblemKind::EndlessLoop => "infinite loop: no `break`, `halt` or `return` lets a lane exit it";
        ProblemKind::MissingHalt =>
            "lanes execute past the end of the kernel: end it with `halt` or `return`";
        ProblemKind::Unreachable => "unreachable code";
        ProblemKind::UnwrittenRegister(index) =>
            "uninitialized read: r{index} has not been written and is 0, unless the launch sets it; arguments are passed in r0, r1, r2, …";
        ProblemKind::UnwrittenPredicate(index) =>
            "uninitialized read: p{index} has not been written and is false in every lane";
        ProblemKind::DivergentBarrier { .. } =>
            "divergent barrier: only some lanes of a wave may reach it; move it to where they have reconverged";
        ProblemKind::Recursion(name) => "`{name}` is recursive: the call depth limit is 8";
    })
}

/// A label that the file does not declare, and the one that was meant.
pub(crate) fn undefined_label(name: &str, meant: Option<&str>) -> String {
    format!("undefined label `{name}`{}", did_you_mean(meant))
}

/// The message of a departure from the chosen dialect.
pub fn departure(kind: &DepartureKind) -> String {
    message!(match kind {
        DepartureKind::GuideName(name) => "the name in toolchain 0.1.2 is `{name}`";
        DepartureKind::ToolchainName(name) => "the name in the guide is `{name}`";
        DepartureKind::Absent(entry) => "{}", absent(*entry);
        DepartureKind::AbsentSpecial =>
            "toolchain 0.1.2 does not have this special register, nor matrix fragments: rewrite the kernel without them";
        DepartureKind::Immediate =>
            "toolchain 0.1.2 accepts a number in `mov_imm` only: move it into a register first";
        DepartureKind::NegatedPredicate =>
            "toolchain 0.1.2 does not accept `!` before an operand: invert the comparison";
        DepartureKind::PredicateLogic =>
            "toolchain 0.1.2 has no logic on predicates: set the result by guarded comparisons";
        DepartureKind::ScopeSuffix => "toolchain 0.1.2 takes the scope as the last operand";
        DepartureKind::HighRegister =>
            "toolchain 0.1.2 has the general registers r0 to r31 only: use one of these";
        DepartureKind::ShortSize => "toolchain 0.1.2 requires three numbers: x, y and z";
        DepartureKind::FloatLiteral =>
            "toolchain 0.1.2 encodes the low half of a double here: write the bits of the binary32";
        DepartureKind::BackwardConversion =>
            "toolchain 0.1.2 runs this conversion in the opposite direction: convert by way of a double";
        DepartureKind::HighFalseSource =>
            "toolchain 0.1.2 miscompiles r16 and above here: use a register below r16";
        DepartureKind::CompareAndSwap =>
            "toolchain 0.1.2 assembles this as an atomic add and has no compare-and-swap: take a lock with `atomic_exchange`";
        DepartureKind::Continue =>
            "toolchain 0.1.2 loses lanes at a `continue` and hangs when none is left: put the rest of the loop under an `if`";
        DepartureKind::BreakInIf =>
            "toolchain 0.1.2 lets these lanes continue after the `endif`: `break` outside the `if`";
        DepartureKind::PartialEnd =>
            "under divergence toolchain 0.1.2 ends all lanes, or lets the ended lanes continue: end them where they have reconverged";
        DepartureKind::ManyRegisters =>
            "toolchain 0.1.2 has 32 registers and caps the number: request at most 32";
    })
}

/// That the toolchain does not have an instruction, and the replacement.
fn absent(entry: Entry) -> String {
    let replacement = match entry.replacement {
        [] if entry.category.id == "memory" => {
            "write two accesses of 64 bits, the second 8 bytes after the first".to_owned()
        }
        [] => "multiply element by element with `fma`".to_owned(),
        [_, _, _, ..] => "write several instructions in single precision".to_owned(),
        [one] => format!("write `{one}`"),
        lines => format!("write `{}`", lines.join("`, then `").replace("?p", "pN").replace("?a", "rN")),
    };
    format!("toolchain 0.1.2 has no `{}`: {replacement}", entry.mnemonic)
}

fn unknown_instruction(name: &str, write: Option<&str>) -> String {
    let why = isa::invalid_name(name).filter(|_| write.is_none());
    match why.and_then(|known| known.why.strip_suffix('.')) {
        Some(why) => format!("unknown instruction `{name}`. {why}"),
        None => format!("unknown instruction `{name}`{}", instead(write)),
    }
}

fn instead(write: Option<&str>) -> String {
    write.map(|write| format!(": write `{write}`")).unwrap_or_default()
}

fn words(construct: Construct) -> (&'static str, &'static str) {
    match construct {
        Construct::If => ("if", "endif"),
        Construct::Loop => ("loop", "endloop"),
    }
}

/// The kinds as a phrase: `a general register or a number`.
fn kinds(kinds: &[OperandKind]) -> String {
    if kinds.is_empty() {
        return "no operand".to_owned();
    }
    any_of(kinds.iter().map(|kind| word(*kind)))
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
