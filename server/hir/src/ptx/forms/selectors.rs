//! The parts of a register that an operand of a video instruction may name (PTX ISA, "Video Instructions").

use warplens_isa::ptx::Presence;
use warplens_isa::{Role, ptx as isa};

use crate::ptx::Component;

/// What may follow a register that is not a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selectors {
    None,
    /// A byte or a half: `.b0` to `.b3`, `.h0`, `.h1`.
    Part,
    /// Two halves of the two sources, `.h32`.
    Halves,
    /// Four bytes of the two sources, `.b7654`.
    Bytes,
    /// Which halves of the destination are written: `.h0`, `.h1` or `.h10`.
    WrittenHalves,
    /// Which bytes of the destination are written, the highest first: `.b0`, `.b31`, `.b3210`.
    WrittenBytes,
}

impl Selectors {
    pub(super) fn of(entry: &isa::Instruction, form: &isa::Form, operand: &isa::Operand) -> Selectors {
        let writes = operand.role == Role::Write;
        // With a second operation, `c` is required, and is combined with the result instead of receiving a part of it.
        let combines = form.operands.last().is_some_and(|last| last.presence == Presence::Required);
        match entry.name {
            _ if !entry.category.selectors || operand.name == "c" => Selectors::None,
            "vmad" if writes => Selectors::None,
            name if name.ends_with('2') && writes => Selectors::WrittenHalves,
            name if name.ends_with('4') && writes => Selectors::WrittenBytes,
            name if name.ends_with('2') => Selectors::Halves,
            name if name.ends_with('4') => Selectors::Bytes,
            _ if writes && combines => Selectors::None,
            _ => Selectors::Part,
        }
    }

    pub(super) fn accept(self, component: Component) -> bool {
        use Component::*;
        match self {
            Selectors::None => false,
            Selectors::Part => matches!(component, B0 | B1 | B2 | B3 | H0 | H1),
            Selectors::Halves => matches!(component, Halves(_)),
            Selectors::Bytes => matches!(component, Bytes(bytes) if bytes.all().is_some()),
            Selectors::WrittenHalves => matches!(component, H0 | H1 | Halves(0x10)),
            Selectors::WrittenBytes => match component {
                B0 | B1 | B2 | B3 => true,
                // The lowest lane comes first.
                Bytes(bytes) => bytes.numbers().is_sorted_by(|low, high| low < high && *high < 4),
                _ => false,
            },
        }
    }

    /// What it accepts, for messages.
    pub fn about(self) -> &'static str {
        match self {
            Selectors::None => "no selector",
            Selectors::Part => "`.b0` to `.b3`, `.h0` or `.h1`",
            Selectors::Halves => "`.h` with two digits from 0 to 3, such as `.h32`",
            Selectors::Bytes => "`.b` with four digits from 0 to 7, such as `.b7654`",
            Selectors::WrittenHalves => "`.h0`, `.h1` or `.h10`",
            Selectors::WrittenBytes => {
                "`.b` with digits from 3 to 0 in descending order, such as `.b0` or `.b3210`"
            }
        }
    }
}
