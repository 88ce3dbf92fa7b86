//! Known deviations of toolchain 0.1.2 from the guide that show in a run.

use warplens_hir::wave::{Instruction, Value};

/// [`Quirk::sentence`] describes each one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Quirk {
    GuardP0,
    Continue,
    BrokenReturn,
    HaltedReturn,
    WholeWaveEnds,
    GuardedControl,
    CompareAndSwap,
    SecondWord,
    FloatLiteral,
    SpecialAsGeneral,
    Halves,
    Conversion,
    FalseSource,
    Hint,
    CallTarget,
    DivisionByZero,
}

impl Quirk {
    /// The effect, as a sentence without its full stop.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Quirk::GuardP0 => "`@p0` is encoded as no guard: all lanes execute",
            Quirk::Continue => {
                "`continue` jumps back immediately: the selected lanes are lost, the others skip the rest of the iteration"
            }
            Quirk::BrokenReturn => "`endif` reactivates lanes that broke",
            Quirk::HaltedReturn => "halted lanes are reactivated",
            Quirk::WholeWaveEnds => "the exit of some lanes exits the whole wave",
            Quirk::GuardedControl => "the guard of a control instruction undoes its change of the mask",
            Quirk::CompareAndSwap => "the compare-and-swap is assembled as an add",
            Quirk::SecondWord => "the second word of the compare-and-swap is executed as an instruction",
            Quirk::FloatLiteral => "the float literal encodes the low half of a double",
            Quirk::SpecialAsGeneral => {
                "the special register is encoded as the general register of its number"
            }
            Quirk::Halves => "`.lo` and `.hi` have no effect",
            Quirk::Conversion => "the conversion runs in the opposite direction",
            Quirk::FalseSource => "the last register of the `select` is encoded wrongly from r16 on",
            Quirk::Hint => "the bits of the cache hint change the instruction",
            Quirk::CallTarget => {
                "the target of a `call` counts from the start of the file, not of the kernel"
            }
            Quirk::DivisionByZero => "a float division by zero always returns infinity",
        }
    }

    /// The bug that a statement triggers whenever lanes execute it.
    pub(super) fn of(instruction: &Instruction, is_first_kernel: bool) -> Option<Quirk> {
        let entry = instruction.entry?;
        let values = || instruction.operands.iter().map(|operand| &operand.value);
        let hint = instruction.hint.is_some_and(|hint| hint != 0);
        let shares_flags = entry.encoding?.opcode == super::encode::SHARED_OPCODE;
        let allows_special = |at: usize| matches!((entry.mnemonic, at), ("mov" | "mov_sr", 1));
        let special =
            values().enumerate().any(|(at, value)| matches!(value, Value::Special(_)) && !allows_special(at));
        Some(match entry.mnemonic {
            _ if hint && shares_flags => Quirk::Hint,
            _ if special => Quirk::SpecialAsGeneral,
            _ if values().any(|value| matches!(value, Value::Register { half: Some(_), .. })) => {
                Quirk::Halves
            }
            "local_atomic_cas" | "atomic_cas" => Quirk::CompareAndSwap,
            "mov_imm" if values().any(|value| matches!(value, Value::Float(_))) => Quirk::FloatLiteral,
            "cvt_f32_i32" | "cvt_f32_u32" | "cvt_i32_f32" | "cvt_u32_f32" => Quirk::Conversion,
            "select" => match values().next_back() {
                Some(Value::Register { index: 16.., .. }) => Quirk::FalseSource,
                _ => return None,
            },
            "call" if !is_first_kernel => Quirk::CallTarget,
            _ => return None,
        })
    }
}
