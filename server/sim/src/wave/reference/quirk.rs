//! What toolchain 0.1.2 is known to do otherwise than the guide, as far as it shows in a run.

use warplens_hir::wave::{Instruction, Value};

/// A known fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Quirk {
    /// `@p0` is encoded as no guard.
    GuardP0,
    /// `continue` goes back at once, without the lanes that it selects.
    Continue,
    /// `endif` brings back lanes that broke out of the loop around it.
    BrokenReturn,
    /// `else`, `endif` or `endloop` brings back lanes that halted.
    HaltedReturn,
    /// `halt` or `return` of some lanes ends the whole wave.
    WholeWaveEnds,
    /// The mask that guarded control makes is undone at once.
    GuardedControl,
    /// A compare-and-swap is an add.
    CompareAndSwap,
    /// The second word of a compare-and-swap is executed.
    SecondWord,
    /// A float literal leaves the low half of a double.
    FloatLiteral,
    /// A special register is taken as the general one of its number.
    SpecialAsGeneral,
    /// `.lo` and `.hi` do nothing.
    Halves,
    /// A conversion runs the other way round.
    Conversion,
    /// The false source of a `select` loses its highest bit to the other.
    FalseSource,
    /// The bits of a cache hint make another instruction.
    Hint,
    /// A `call` goes to a place counted from the start of the file.
    CallTarget,
    /// A float divided by zero is always infinity.
    DivisionByZero,
}

impl Quirk {
    /// What happens, as a sentence without its end.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Quirk::GuardP0 => "`@p0` is encoded as no guard: all lanes act",
            Quirk::Continue => {
                "`continue` goes back at once: the lanes that it selects are gone, the others miss the rest of the trip"
            }
            Quirk::BrokenReturn => "`endif` brings lanes that broke back",
            Quirk::HaltedReturn => "lanes that had halted are brought back",
            Quirk::WholeWaveEnds => "an end of some lanes ends the whole wave",
            Quirk::GuardedControl => "the guard of a control instruction undoes what it does to the mask",
            Quirk::CompareAndSwap => "the compare-and-swap is assembled as an add",
            Quirk::SecondWord => "the second word of the compare-and-swap is executed as an instruction",
            Quirk::FloatLiteral => "the float literal leaves the low half of its double",
            Quirk::SpecialAsGeneral => "the special register is taken as the general register of its number",
            Quirk::Halves => "`.lo` and `.hi` do nothing",
            Quirk::Conversion => "the conversion runs the other way round",
            Quirk::FalseSource => "the last register of the `select` is encoded wrongly from r16 on",
            Quirk::Hint => "the bits of the cache hint make another instruction",
            Quirk::CallTarget => {
                "the target of a `call` counts from the start of the file, not of the kernel"
            }
            Quirk::DivisionByZero => "a float divided by zero is always infinity",
        }
    }

    /// What is wrong with a statement wherever lanes come to it.
    pub(super) fn of(instruction: &Instruction, is_first_kernel: bool) -> Option<Quirk> {
        let entry = instruction.entry?;
        let values = || instruction.operands.iter().map(|operand| &operand.value);
        let hint = instruction.hint.is_some_and(|hint| hint != 0);
        let shares_flags = entry.encoding?.opcode == super::encode::SHARED_OPCODE;
        let at_special_place = |at: usize| matches!((entry.mnemonic, at), ("mov" | "mov_sr", 1));
        let special = values()
            .enumerate()
            .any(|(at, value)| matches!(value, Value::Special(_)) && !at_special_place(at));
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
