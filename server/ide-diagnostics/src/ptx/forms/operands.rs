//! Messages about operands that a form does not accept.

use warplens_hir::ptx as hir;
use warplens_hir::ptx::{
    AddressSpace, Count, FormMatch, Instruction, Mismatch, NameId, OperandError, OperandPosition,
    OperandRule, Resolution, Type, TypeKind, Written,
};
use warplens_isa::ptx::OperandKind;

use crate::codes;
use crate::ptx::forms::reporter::Reporter;
use crate::ptx::forms::words;
use warplens_ide_db::problem::{ItemFix, Problem};

/// An operand that a form does not accept.
pub(super) fn problem(
    report: &Reporter<'_>,
    instruction: Instruction<'_>,
    form: &FormMatch,
    mismatch: Mismatch,
) -> Option<Problem> {
    if let OperandError::Count { have, takes } = mismatch.error {
        return count(report, instruction, form, have, takes);
    }
    let range = match named(mismatch.error) {
        Some(name) => report.function.name(name).range,
        None => report.ranges.operand(instruction, mismatch.place)?,
    };
    let rule = form.rule(mismatch.place);
    let operand = Operand { report, instruction, form, rule, place: mismatch.place };
    let (code, message) = operand.message(mismatch.error)?;
    let mut problem = Problem::error(range, code, message);
    if let Some(declared) = named(mismatch.error).and_then(|name| operand.declaration(name)) {
        problem = problem.with_related(declared, "declared here");
    }
    let brackets = match mismatch.error {
        OperandError::Kind(
            Written::Register(_) | Written::Variable(_) | Written::Parameter(_) | Written::Sum,
        ) => rule.kinds.has(OperandKind::Address),
        _ => false,
    };
    if brackets {
        let fix = ItemFix::new("Add brackets").insert(range.start(), "[").insert(range.end(), "]");
        problem = problem.with_fix(fix);
    }
    Some(problem)
}

/// All registers have one type, but not that of the instruction: one mistake, in its type.
pub(super) fn wrong_type(
    report: &Reporter<'_>,
    instruction: Instruction<'_>,
    form: &FormMatch,
    mismatches: &[Mismatch],
) -> Option<Problem> {
    let have = |mismatch: &Mismatch| match mismatch.error {
        OperandError::RegisterType { have, .. } => Some(have),
        _ => None,
    };
    let first = have(mismatches.first()?)?;
    let is_all = mismatches.len() > 1 && mismatches.iter().all(|mismatch| have(mismatch) == Some(first));
    let registers =
        instruction.operands().iter().filter(|operand| matches!(operand, hir::Operand::Register { .. }));
    if !is_all || mismatches.len() != registers.count() {
        return None;
    }
    let written = form.operands.first()?.ty?;
    let at = instruction.modifiers().iter().rposition(|modifier| modifier == written.name())?;
    let range = report.ranges.modifier(instruction, at)?;
    let name = words::written(instruction);
    let message = format!(
        "`{name}` operates on {}, but all its registers are {}",
        words::ty(written),
        words::ty(first)
    );
    let problem = Problem::error(range, codes::OPERAND_TYPE, message);
    let name = named(mismatches[0].error)?;
    let declared = report.function.name(name).resolution.symbol().map(|id| report.function.symbol(id).range);
    let problem = match declared {
        Some(range) => problem.with_related(range, "declared here"),
        None => problem,
    };
    let meant = format!("{}{}", &written.name()[..1], first.bits());
    let is_type = written.kind() != TypeKind::Float && Type::from_name(&meant).is_some();
    Some(match is_type {
        true => problem.with_fix(ItemFix::replacement(range, &format!(".{meant}"))),
        false => problem,
    })
}

/// A guard that is not a predicate.
pub(super) fn guard(
    report: &Reporter<'_>,
    instruction: Instruction<'_>,
    wrong: OperandError,
) -> Option<Problem> {
    let guard = instruction.guard()?;
    let name = report.function.name(guard.name);
    let text = report.function.referent_text(name.referent);
    let is = match wrong {
        OperandError::RegisterType { have, .. } => format!("is {}", words::ty(have)),
        _ => "is not a register".to_owned(),
    };
    let message = format!("a guard must be a predicate register; `{text}` {is}");
    let problem = Problem::error(name.range, codes::OPERAND_TYPE, message);
    let declared = name.resolution.symbol().map(|symbol| report.function.symbol(symbol).range);
    Some(match declared {
        Some(declared) => problem.with_related(declared, "declared here"),
        None => problem,
    })
}

fn count(
    report: &Reporter<'_>,
    instruction: Instruction<'_>,
    form: &FormMatch,
    have: usize,
    (least, most): (usize, usize),
) -> Option<Problem> {
    let takes = match (least, most) {
        (0, 0) => "no operands".to_owned(),
        (1, 1) => "one operand".to_owned(),
        (least, most) if least == most => format!("{least} operands"),
        (least, most) => format!("{least} to {most} operands"),
    };
    let usage = match words::operands(form) {
        names if names.is_empty() => String::new(),
        names => format!(" (`{names}`)"),
    };
    let message = format!("`{}` takes {takes}{usage}, not {have}", words::written(instruction));
    let range = match have > most {
        true => report.ranges.operands_from(instruction, most)?,
        false => report.ranges.mnemonic(instruction)?,
    };
    Some(Problem::error(range, codes::OPERAND_COUNT, message))
}

/// The name that an error is about.
fn named(wrong: OperandError) -> Option<NameId> {
    match wrong {
        OperandError::RegisterType { name, .. }
        | OperandError::VectorRegister { name, .. }
        | OperandError::Component(name)
        | OperandError::AddressSpace { name, .. }
        | OperandError::AddressRegister(name, _)
        | OperandError::AddressWidth(name, _)
        | OperandError::NoAddress(name)
        | OperandError::NoRegister(name)
        | OperandError::Kind(
            Written::Register(name)
            | Written::Predicate(name)
            | Written::Variable(name)
            | Written::Parameter(name)
            | Written::Label(name),
        ) => Some(name),
        _ => None,
    }
}

struct Operand<'a> {
    report: &'a Reporter<'a>,
    instruction: Instruction<'a>,
    form: &'a FormMatch,
    rule: &'a OperandRule,
    place: OperandPosition,
}

impl Operand<'_> {
    fn text(&self, name: NameId) -> String {
        let function = self.report.function;
        format!("`{}`", function.referent_text(function.name(name).referent))
    }

    fn declaration(&self, name: NameId) -> Option<text_size::TextRange> {
        let function = self.report.function;
        match function.name(name).resolution {
            Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. } => {
                Some(function.symbol(symbol).range)
            }
            Resolution::Special(_) | Resolution::External(_) => None,
        }
    }

    /// The code and the message for an error.
    fn message(&self, wrong: OperandError) -> Option<(&'static str, String)> {
        let name = words::written(self.instruction);
        Some(match wrong {
            OperandError::Kind(written) => (codes::OPERAND_KIND, self.kind(written)),
            OperandError::RegisterType { name: register, have, takes } => {
                let register = self.text(register);
                let have = words::ty(have);
                let message = match takes {
                    Some(takes) => format!(
                        "{register} is {have}; `{name}` takes {} here",
                        words::types(self.rule, takes)
                    ),
                    None => format!("{register} is {have}; `{name}` takes {} here", words::takes(self.rule)),
                };
                (codes::OPERAND_TYPE, message)
            }
            OperandError::VectorRegister { name: register, have, takes } => {
                let have = match have {
                    Some(length) => format!("a vector of {} registers", length.count()),
                    None => "a single register".to_owned(),
                };
                let takes = length(takes);
                (
                    codes::VECTOR_LENGTH,
                    format!("{} is {have}; `{name}` takes {takes} here", self.text(register)),
                )
            }
            OperandError::Component(register) => {
                let message = format!("{} is not a vector and has no components", self.text(register));
                (codes::OPERAND_KIND, message)
            }
            OperandError::IntegerConstant(ty) => {
                let hint = "write `1.0` or `0f3F800000` for 1";
                (codes::OPERAND_TYPE, format!("`{name}` takes a float here ({}); {hint}", words::ty(ty)))
            }
            OperandError::FloatConstant(ty) => (codes::OPERAND_TYPE, self.float_constant(ty)),
            OperandError::Range(low, high) => {
                (codes::IMMEDIATE_RANGE, format!("`{name}` takes constants from {low} to {high} here"))
            }
            OperandError::Above(bound) => {
                let bound = self.form.entry.operands.get(bound).map_or("", |operand| operand.name);
                (codes::IMMEDIATE_RANGE, format!("this must not be larger than `{bound}`"))
            }
            OperandError::NoPower => (codes::IMMEDIATE_RANGE, format!("`{name}` takes powers of two here")),
            OperandError::Inside { have, takes } => (codes::OPERAND_COUNT, self.inside(have, takes)),
            OperandError::NoConstant(ty) => {
                let message = format!(
                    "a constant cannot be {}; move the bits to a register first with `mov.b{}`",
                    words::ty(ty),
                    ty.bits().max(16)
                );
                (codes::OPERAND_TYPE, message)
            }
            OperandError::Multiple(step) => {
                (codes::IMMEDIATE_RANGE, format!("`{name}` takes multiples of {step} here"))
            }
            OperandError::Length { have, takes } => {
                let takes = length(takes);
                (codes::VECTOR_LENGTH, format!("`{name}` takes {takes} here, not {have}"))
            }
            OperandError::Mixed { first, second } => {
                let (first, second) = (words::ty(first), words::ty(second));
                let message =
                    format!("the registers of a vector must have one type; this is {second} after {first}");
                (codes::OPERAND_TYPE, message)
            }
            OperandError::OnlySinks => {
                (codes::OPERAND_KIND, "at least one destination must be a register, not `_`".to_owned())
            }
            OperandError::SpecialSize { name: register, takes } => {
                let hint = "read it with a type of its size and convert it with `cvt`";
                let message =
                    format!("{} has another size than {}; {hint}", self.text(register), words::ty(takes));
                (codes::OPERAND_TYPE, message)
            }
            OperandError::SpecialVector(register) => {
                let register = self.text(register);
                let plain = register.trim_matches('`');
                let message = format!("{register} is a vector; write a component, such as `{plain}.x`");
                (codes::VECTOR_LENGTH, message)
            }
            OperandError::AddressSpace { name: variable, have, takes } => {
                let takes = match takes {
                    AddressSpace::Of(space) => format!("`.{}`", space.name()),
                    _ => "generic addresses (in `.global`, `.shared` or `.local`)".to_owned(),
                };
                let variable = self.text(variable);
                let message = format!("{variable} is in `.{}`; `{name}` accesses {takes}", have.name());
                (codes::STATE_SPACE, message)
            }
            OperandError::AddressRegister(register, ty) => {
                let message = format!(
                    "{} is {}; an address must be an integer or bits, such as `.u64` or `.b64`",
                    self.text(register),
                    words::ty(ty)
                );
                (codes::OPERAND_TYPE, message)
            }
            OperandError::AddressWidth(register, ty) => {
                let message = format!(
                    "{} is {}; the addresses of `{name}` have 64 bits, as set by `.address_size`",
                    self.text(register),
                    words::ty(ty)
                );
                (codes::OPERAND_TYPE, message)
            }
            OperandError::NoRegister(symbol) => {
                let takes = self.rule.registers.map(|set| words::types(self.rule, set)).unwrap_or_default();
                let message = format!(
                    "{} is not a register; `{name}` takes the address in a register of {takes} here",
                    self.text(symbol)
                );
                (codes::OPERAND_KIND, message)
            }
            OperandError::NoAddress(symbol) => {
                (codes::OPERAND_KIND, format!("{} has no address", self.text(symbol)))
            }
            OperandError::AbsoluteAddress => {
                let message =
                    "absolute addresses are allowed in `.local` only; move the number to a register"
                        .to_owned();
                (codes::OPERAND_KIND, message)
            }
            _ => return None,
        })
    }

    /// Brackets with too many or too few operands.
    fn inside(&self, have: usize, (least, most): (usize, usize)) -> String {
        let name = words::written(self.instruction);
        let parts = self.form.inside(self.rule).iter().map(|part| {
            let operand = self.form.entry.operands.get(part.index).map_or("?", |operand| operand.name);
            if part.optional { format!("{{{operand}}}") } else { operand.to_owned() }
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        match (parts.is_empty(), least == most) {
            (true, _) => format!("`{name}` takes only an address in these brackets"),
            (false, true) => {
                format!("`{name}` takes {most} parts in these brackets (`[{parts}]`), not {have}")
            }
            (false, false) => {
                format!("`{name}` takes {least} to {most} parts in these brackets (`[{parts}]`), not {have}")
            }
        }
    }

    fn float_constant(&self, ty: Type) -> String {
        let name = words::written(self.instruction);
        let exact = match ty {
            Type::B32 => "`0f` and 8 digits, as `0f3F800000` for 1.0",
            Type::B64 => "a float literal such as `1.0`",
            _ => return format!("`{name}` takes an integer here ({}), not a float", words::ty(ty)),
        };
        format!("write the bits of {} as an integer or as {exact}", words::ty(ty))
    }

    /// An operand of the wrong kind.
    fn kind(&self, written: Written) -> String {
        let name = words::written(self.instruction);
        let takes = if self.place.element == Some(1) && self.rule.second.is_some() {
            "a predicate or `_`".to_owned()
        } else {
            words::takes(self.rule)
        };
        let what = match written {
            Written::Register(register) => format!("{} is a register", self.text(register)),
            Written::Predicate(register) => format!("{} is a predicate", self.text(register)),
            Written::Constant if self.rule.role.writes() => "a constant cannot be a destination".to_owned(),
            Written::Constant => "this is a constant".to_owned(),
            Written::Special(register) => return self.special(register, &takes),
            Written::Variable(symbol) => format!("{} is a variable", self.text(symbol)),
            Written::Parameter(symbol) => format!("{} is a parameter", self.text(symbol)),
            Written::Function(symbol) => format!("{} is a function", self.text(symbol)),
            Written::Label(symbol) => format!("{} is a label", self.text(symbol)),
            Written::Address => "this is an address".to_owned(),
            Written::Sum => "this is a number, the sum of an address and a constant".to_owned(),
            Written::Vector => "these are registers in braces".to_owned(),
            Written::Pair => "this is a pair".to_owned(),
            Written::Single => "the second of this pair is missing".to_owned(),
            Written::Not => "`!` is allowed on predicates only".to_owned(),
            Written::Negated => "operands cannot be negated here".to_owned(),
            Written::Sink => "`_` cannot be used here".to_owned(),
            Written::Arguments => "this is an argument list".to_owned(),
        };
        let hint = match written {
            Written::Variable(_) | Written::Function(_) if self.rule.kinds.has(OperandKind::Register) => {
                "; `mov` its address to a register"
            }
            _ => "",
        };
        format!("{what}; `{name}` takes {takes} here{hint}")
    }

    fn special(&self, register: NameId, takes: &str) -> String {
        let name = words::written(self.instruction);
        let register = self.text(register);
        if self.rule.role.writes() {
            return format!("{register} can only be read; `{name}` takes {takes} here");
        }
        format!("`{name}` cannot read a special register; copy {register} to a register with `mov` first")
    }
}

fn length(count: Count) -> String {
    match count {
        Count::One | Count::OneOrBraced => "one register".to_owned(),
        Count::Braced(1) => "one register in braces".to_owned(),
        Count::Braced(count) => format!("{count} registers in braces"),
        Count::AtLeast(count) => format!("at least {count} registers in braces"),
        Count::Any => "registers in braces".to_owned(),
    }
}
