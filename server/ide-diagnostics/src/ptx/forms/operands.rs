//! Messages about operands that a form does not accept.

use warplens_hir::ptx as hir;
use warplens_hir::ptx::{
    AddressSpace, Count, Guard, Mismatch, NameId, OperandError, OperandPosition, OperandRule, Type, TypeKind,
    Written,
};
use warplens_isa::ptx::OperandKind;

use crate::codes;
use crate::message::{message, operand_count};
use crate::ptx::forms::reporter::{Comparison, Reporter};
use crate::ptx::forms::words;
use warplens_ide_db::{ItemFix, Problem};

impl Comparison<'_> {
    /// An operand that the form does not accept.
    pub(super) fn operand(&self, mismatch: Mismatch) -> Option<Problem> {
        let Comparison { report, instruction, .. } = *self;
        let range = match (mismatch.error, named(mismatch.error)) {
            (OperandError::Count { have, takes: (_, most) }, _) if have > most => {
                report.ranges.operands_from(instruction, most)?
            }
            (OperandError::Count { .. }, _) => report.ranges.mnemonic(instruction)?,
            (_, Some(name)) => report.function.name(name).range,
            (_, None) => report.ranges.operand(instruction, mismatch.place)?,
        };
        let operand = Operand { of: *self, place: mismatch.place };
        let problem = Problem::error(range, code(mismatch.error), operand.message(mismatch.error));
        let problem = report.with_declaration(problem, named(mismatch.error));
        let brackets = match mismatch.error {
            OperandError::Kind(
                Written::Register(_) | Written::Variable(_) | Written::Parameter(_) | Written::Sum,
            ) => operand.rule().kinds.has(OperandKind::Address),
            _ => false,
        };
        let fix = || ItemFix::new("Add brackets").insert(range.start(), "[").insert(range.end(), "]");
        let float = match mismatch.error {
            OperandError::IntegerConstant(ty) => operand.float(ty),
            _ => None,
        };
        let problem = problem.with_fix(float.map(|(_, fraction, _)| ItemFix::replacement(range, &fraction)));
        Some(problem.with_fix(brackets.then(fix)))
    }

    /// All registers have one type, but not that of the instruction: one mistake, in its type.
    pub(super) fn wrong_type(&self, mismatches: &[Mismatch]) -> Option<Problem> {
        let Comparison { report, instruction, form } = *self;
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
        let (name, operates_on, are) = (instruction.mnemonic(), words::ty(written), words::ty(first));
        let message = format!("`{name}` operates on {operates_on}, but all its registers are {are}");
        let problem = Problem::error(range, codes::OPERAND_TYPE, message);
        let problem = report.with_declaration(problem, named(mismatches[0].error));
        let meant = format!("{}{}", &written.name()[..1], first.bits());
        let is_type = written.kind() != TypeKind::Float && Type::from_name(&meant).is_some();
        Some(problem.with_fix(is_type.then(|| ItemFix::replacement(range, &format!(".{meant}")))))
    }
}

impl Reporter<'_> {
    pub(super) fn guard(&self, guard: Guard, wrong: OperandError) -> Problem {
        let name = self.function.name(guard.name);
        let text = self.function.referent_text(name.referent);
        let is = match wrong {
            OperandError::RegisterType { have, .. } => format!("is {}", words::ty(have)),
            OperandError::Kind(Written::Special(_)) => "is a special register".to_owned(),
            _ => "is not a register".to_owned(),
        };
        let message = format!("a guard must be a predicate register; `{text}` {is}");
        let problem = Problem::error(name.range, codes::OPERAND_TYPE, message);
        self.with_declaration(problem, Some(guard.name))
    }

    /// Adds the declaration of a name, if it is in the function.
    fn with_declaration(&self, problem: Problem, name: Option<NameId>) -> Problem {
        match name.and_then(|name| self.function.name(name).resolution.symbol()) {
            Some(symbol) => problem.with_related(self.function.symbol(symbol).range, "declared here"),
            None => problem,
        }
    }
}

fn code(wrong: OperandError) -> &'static str {
    match wrong {
        OperandError::Count { .. } | OperandError::Inside { .. } => codes::OPERAND_COUNT,
        OperandError::Kind(_)
        | OperandError::Component(_)
        | OperandError::Selector { .. }
        | OperandError::LoneSelector(_)
        | OperandError::OnlySinks
        | OperandError::NoRegister(_)
        | OperandError::NoArray(_)
        | OperandError::NoAddress(_)
        | OperandError::AbsoluteAddress => codes::OPERAND_KIND,
        OperandError::VectorRegister { .. }
        | OperandError::Length { .. }
        | OperandError::SpecialVector(_) => codes::VECTOR_LENGTH,
        OperandError::Range(..)
        | OperandError::Above(_)
        | OperandError::NoPower
        | OperandError::Multiple(_) => codes::IMMEDIATE_RANGE,
        OperandError::AddressSpace { .. } => codes::STATE_SPACE,
        OperandError::RegisterType { .. }
        | OperandError::IntegerConstant(_)
        | OperandError::FloatConstant(_)
        | OperandError::NoConstant(_)
        | OperandError::Mixed { .. }
        | OperandError::SpecialSize { .. }
        | OperandError::SpecialWithConstant(_)
        | OperandError::AddressRegister(..)
        | OperandError::AddressWidth(..)
        | OperandError::WideAddress(_) => codes::OPERAND_TYPE,
    }
}

fn named(wrong: OperandError) -> Option<NameId> {
    match wrong {
        OperandError::RegisterType { name, .. }
        | OperandError::VectorRegister { name, .. }
        | OperandError::Component(name)
        | OperandError::Selector { name, .. }
        | OperandError::LoneSelector(name)
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
    of: Comparison<'a>,
    place: OperandPosition,
}

impl Operand<'_> {
    /// The rule that it breaks. An operand beyond the last of the form has none.
    fn rule(&self) -> &OperandRule {
        self.of.form.rule(self.place)
    }

    fn text(&self, name: NameId) -> String {
        let function = self.of.report.function;
        format!("`{}`", function.referent_text(function.name(name).referent))
    }

    fn message(&self, wrong: OperandError) -> String {
        let name = self.of.instruction.mnemonic();
        message!(match wrong {
            OperandError::Count { have, takes: (least, most) } =>
                "`{name}` takes {}{}, not {have}", operand_count(least, most), self.usage();
            OperandError::Kind(written) => "{}", self.kind(written);
            OperandError::RegisterType { name: register, have, takes } =>
                "{} is {}; `{name}` takes {} here", self.text(register), words::ty(have),
                takes.map_or_else(|| words::takes(self.rule()), |takes| words::types(self.rule(), takes));
            OperandError::VectorRegister { name: register, have: Some(length), takes } =>
                "{} is a vector of {} registers; `{name}` takes {} here",
                self.text(register), length.count(), self::length(takes);
            OperandError::VectorRegister { name: register, have: None, takes } =>
                "{} is a single register; `{name}` takes {} here", self.text(register), length(takes);
            OperandError::Component(register) =>
                "{} is not a vector and has no components", self.text(register);
            OperandError::Selector { name: register, takes } =>
                "after {} `{name}` takes {} here", self.text(register), takes.about();
            OperandError::LoneSelector(register) =>
                "a part of {} is written only with a last operand `c`, which has the other parts", self.text(register);
            OperandError::IntegerConstant(ty) =>
                "`{name}` takes a float here ({}){}", words::ty(ty), self.as_float(ty);
            OperandError::FloatConstant(ty) => "{}", self.float_constant(ty);
            OperandError::Range(low, high) => "`{name}` takes constants from {low} to {high} here";
            OperandError::Above(bound) => "this must not be larger than `{}`",
                self.of.form.entry.operands.get(bound).map_or("", |operand| operand.name);
            OperandError::NoPower => "`{name}` takes powers of two here";
            OperandError::Inside { have, takes } => "{}", self.inside(have, takes);
            OperandError::NoConstant(ty) =>
                "a constant cannot be {}; move the bits to a register first with `mov.b{}`",
                words::ty(ty), ty.bits().max(16);
            OperandError::Multiple(step) => "`{name}` takes multiples of {step} here";
            OperandError::Length { have, takes } => "`{name}` takes {} here, not {have}", length(takes);
            OperandError::Mixed { first, second } =>
                "the registers of a vector must have one type; this is {} after {}",
                words::ty(second), words::ty(first);
            OperandError::SpecialWithConstant(register) =>
                "{} and a constant cannot be in the same braces; move one of them to a register first",
                self.text(register);
            OperandError::OnlySinks => "at least one destination must be a register, not `_`";
            OperandError::SpecialSize { name: register, takes } =>
                "{} has another size than {}; read it with a type of its size and convert it with `cvt`",
                self.text(register), words::ty(takes);
            OperandError::SpecialVector(register) =>
                "{} is a vector; write a component, such as `{}.x`",
                self.text(register), self.text(register).trim_matches('`');
            OperandError::AddressSpace { name: variable, have, takes: AddressSpace::Of(space) } =>
                "{} is in `.{}`; `{name}` accesses `.{}`", self.text(variable), have.name(), space.name();
            OperandError::AddressSpace { name: variable, have, .. } =>
                "{} is in `.{}`; `{name}` accesses generic addresses (in `.global`, `.shared` or `.local`)",
                self.text(variable), have.name();
            OperandError::AddressRegister(register, ty) =>
                "{} is {}; an address must be an integer or bits, at most 64 wide, such as `.u64` or `.b64`",
                self.text(register), words::ty(ty);
            OperandError::AddressWidth(register, ty) =>
                "{} is {}; the addresses of `{name}` have 64 bits, as set by `.address_size`",
                self.text(register), words::ty(ty);
            OperandError::WideAddress(variable) =>
                "the address of {} has 64 bits, as set by `.address_size`; write `{}`",
                self.text(variable), name.to_string().replace("32", "64");
            OperandError::NoArray(variable) => "{} is not an array; write an address with an offset instead of the index", self.text(variable);
            OperandError::NoRegister(symbol) =>
                "{} is not a register; `{name}` takes the address in a register here: move it to one with `mov` first",
                self.text(symbol);
            OperandError::NoAddress(symbol) => "{} has no address", self.text(symbol);
            OperandError::AbsoluteAddress =>
                "absolute addresses are allowed in `.local` only; move the number to a register";
        })
    }

    /// The operands of the form, in parentheses.
    fn usage(&self) -> String {
        match words::operands(self.of.form) {
            names if names.is_empty() => String::new(),
            names => format!(" (`{names}`)"),
        }
    }

    /// Brackets with too many or too few operands.
    fn inside(&self, have: usize, (least, most): (usize, usize)) -> String {
        let name = self.of.instruction.mnemonic();
        let parts = self.of.form.inside(self.rule()).iter().map(|part| {
            let operand = self.of.form.entry.operands.get(part.index).map_or("?", |operand| operand.name);
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

    /// The constant at this position, and the same number as a decimal fraction and as a bit pattern.
    fn float(&self, ty: Type) -> Option<(String, String, String)> {
        let function = self.of.report.function;
        let mut operand = self.of.instruction.operands().get(self.place.operand)?;
        for at in self.place.part.into_iter().chain(self.place.element) {
            operand = match operand {
                hir::Operand::Vector(list) | hir::Operand::Address { parts: list, .. } => {
                    function.operands(*list).get(at)?
                }
                _ => return None,
            };
        }
        let hir::Operand::Constant(id) = operand else { return None };
        let (number, value) = match function.constant(*id) {
            hir::Constant::Signed(value) => (value.to_string(), value as f64),
            hir::Constant::Unsigned(value) => (value.to_string(), value as f64),
            _ => return None,
        };
        let bits = match ty.bits() {
            64 => format!("0d{:016X}", value.to_bits()),
            _ => format!("0f{:08X}", (value as f32).to_bits()),
        };
        Some((number.clone(), format!("{number}.0"), bits))
    }

    fn as_float(&self, ty: Type) -> String {
        let Some((number, fraction, bits)) = self.float(ty) else { return String::new() };
        format!("; write `{fraction}` or `{bits}` for {number}")
    }

    fn float_constant(&self, ty: Type) -> String {
        let name = self.of.instruction.mnemonic();
        let exact = match ty {
            Type::B32 => "`0f` and 8 digits, as `0f3F800000` for 1.0",
            Type::B64 => "a float literal such as `1.0`",
            _ => return format!("`{name}` takes an integer here ({}), not a float", words::ty(ty)),
        };
        format!("write the bits of {} as an integer or as {exact}", words::ty(ty))
    }

    fn kind(&self, written: Written) -> String {
        let name = self.of.instruction.mnemonic();
        let takes = if self.place.element == Some(1) && self.rule().second.is_some() {
            if self.rule().drops_second { "a predicate or `_`" } else { "a predicate" }.to_owned()
        } else {
            words::takes(self.rule())
        };
        let what = match written {
            Written::Register(register) => format!("{} is a register", self.text(register)),
            Written::Predicate(register) => format!("{} is a predicate", self.text(register)),
            Written::Constant if self.rule().role.writes() => "a constant cannot be a destination".to_owned(),
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
            Written::Variable(_) | Written::Function(_) if self.rule().kinds.has(OperandKind::Register) => {
                "; `mov` its address to a register"
            }
            _ => "",
        };
        format!("{what}; `{name}` takes {takes} here{hint}")
    }

    fn special(&self, register: NameId, takes: &str) -> String {
        let (name, register) = (self.of.instruction.mnemonic(), self.text(register));
        if self.rule().role.writes() {
            return format!("{register} can only be read; `{name}` takes {takes} here");
        }
        format!("`{name}` cannot read a special register; copy {register} to a register with `mov` first")
    }
}

fn length(count: Count) -> String {
    match count {
        Count::One | Count::OneOrBraced(..=1) => "one register".to_owned(),
        Count::OneOrBraced(_) => "1, 2, 4 or 8 registers".to_owned(),
        Count::Braced(1) => "one register in braces".to_owned(),
        Count::Braced(count) => format!("{count} registers in braces"),
        Count::AtLeast(count) => format!("at least {count} registers in braces"),
        Count::Any => "registers in braces".to_owned(),
    }
}
