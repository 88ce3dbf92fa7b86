//! How departures read: a name for tools, a severity, and a sentence that says the cause and the mend.

use super::{Departure, DepartureKind};
use crate::wave::Severity;

impl Departure {
    /// A stable name.
    pub fn code(&self) -> &'static str {
        match self.severity() {
            Severity::Error => "not-in-toolchain",
            Severity::Warning => "toolchain-fault",
            Severity::Hint => "toolchain-spelling",
        }
    }

    /// An error where the toolchain does not take it, a warning where it makes something else of it, a hint where only it
    /// writes it so.
    pub fn severity(&self) -> Severity {
        match self.kind {
            DepartureKind::ToolchainName(_) => Severity::Hint,
            DepartureKind::FloatLiteral
            | DepartureKind::BackwardConversion
            | DepartureKind::HighFalseSource
            | DepartureKind::CompareAndSwap
            | DepartureKind::Continue
            | DepartureKind::BreakInIf
            | DepartureKind::PartialEnd
            | DepartureKind::ManyRegisters => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// What to say about it.
    pub fn message(&self) -> String {
        match &self.kind {
            DepartureKind::GuideName(name) => format!("toolchain 0.1.2 writes `{name}`"),
            DepartureKind::ToolchainName(name) => format!("the guide writes `{name}`"),
            DepartureKind::Absent(entry) => {
                let name = entry.mnemonic;
                match entry.stand_in {
                    [] if entry.category.id == "memory" => {
                        format!(
                            "toolchain 0.1.2 has no `{name}`: write two accesses of 64 bits, the second 8 bytes on"
                        )
                    }
                    [] => format!("toolchain 0.1.2 has no `{name}`: multiply element by element with `fma`"),
                    [_, _, _, ..] => {
                        format!(
                            "toolchain 0.1.2 has no `{name}`: several lines in single precision do the same"
                        )
                    }
                    [one] => format!("toolchain 0.1.2 has no `{name}`: write `{one}`"),
                    lines => {
                        let lines = lines.join("`, then `").replace("?p", "pN").replace("?a", "rN");
                        format!("toolchain 0.1.2 has no `{name}`: write `{lines}`")
                    }
                }
            }
            other => other.message().to_owned(),
        }
    }
}

impl DepartureKind {
    /// The sentence of those that name nothing.
    fn message(&self) -> &'static str {
        match self {
            DepartureKind::GuideName(_) | DepartureKind::ToolchainName(_) | DepartureKind::Absent(_) => "",
            DepartureKind::AbsentSpecial => {
                "toolchain 0.1.2 does not have this special register, nor matrix fragments: write what the kernel does without them"
            }
            DepartureKind::Immediate => {
                "toolchain 0.1.2 takes a number in `mov_imm` only: put it into a register first"
            }
            DepartureKind::NegatedPredicate => {
                "toolchain 0.1.2 takes no `!` before an operand: invert the comparison"
            }
            DepartureKind::PredicateLogic => {
                "toolchain 0.1.2 has no logic on predicates: set the result by guarded comparisons"
            }
            DepartureKind::ScopeSuffix => "toolchain 0.1.2 takes the scope as the last operand",
            DepartureKind::HighRegister => {
                "toolchain 0.1.2 has the general registers r0 to r31 only: use one of those"
            }
            DepartureKind::ShortSize => "toolchain 0.1.2 wants three numbers: x, y and z",
            DepartureKind::FloatLiteral => {
                "toolchain 0.1.2 takes the low half of a double for this: write the bits of the binary32"
            }
            DepartureKind::BackwardConversion => {
                "toolchain 0.1.2 runs this conversion the other way round, from the first format to the second: convert by way of a double"
            }
            DepartureKind::HighFalseSource => {
                "toolchain 0.1.2 encodes r16 and above wrongly here: take a register below r16"
            }
            DepartureKind::CompareAndSwap => {
                "toolchain 0.1.2 assembles this as an atomic add, and has nothing that compares and stores in one step: take a lock with `atomic_exchange`"
            }
            DepartureKind::Continue => {
                "toolchain 0.1.2 loses lanes at a `continue` and hangs when none is left: put the rest of the loop under an `if`"
            }
            DepartureKind::BreakInIf => {
                "toolchain 0.1.2 lets these lanes run on after the `endif`: `break` outside of the `if`"
            }
            DepartureKind::PartialEnd => {
                "where only some lanes come here, or none, toolchain 0.1.2 ends all of them, or lets those that ended run on: end them together"
            }
            DepartureKind::ManyRegisters => {
                "toolchain 0.1.2 has 32 registers and caps the number: ask for 32"
            }
        }
    }
}
