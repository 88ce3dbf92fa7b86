//! The call sites of an item, with their arguments.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx::{
    Constant, Function, Instruction, NameId, Operand, Parameter, Resolution, Signature, Space, SymbolKind,
    TableKind, Type, Variable, VectorLength,
};
use warplens_ide_db::{Db, Item};

use crate::ptx::statement_ranges::StatementRanges;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(super) target: Target,
    pub(super) target_range: TextRange,
    pub(super) returns: Vec<Actual>,
    pub(super) arguments: Vec<Actual>,
    pub(super) through: Through,
    pub(super) through_range: TextRange,
}

impl Call {
    /// The called function, if it is named.
    pub(crate) fn callee(&self) -> Option<&SmolStr> {
        if let Target::Function(name) = &self.target { Some(name) } else { None }
    }

    /// Whether the called function is not named.
    pub(crate) fn is_indirect(&self) -> bool {
        matches!(self.target, Target::Register(_))
    }

    pub(crate) fn target_range(&self) -> TextRange {
        self.target_range
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Function(SmolStr),
    Register(Option<Type>),
    /// No operand names the callee.
    Missing,
    /// Something that is not a function.
    Nothing(&'static str),
    Unknown,
}

/// The operand that lists the functions an address may belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Through {
    Nothing,
    Prototype(Box<Signature>),
    Functions(Vec<SmolStr>),
    Module(SmolStr),
    /// A variable of the caller.
    Variable(SmolStr, Box<Variable>),
    Other(&'static str),
    Unknown,
}

/// An argument, or the destination of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Actual {
    pub(super) range: TextRange,
    pub(super) text: SmolStr,
    pub(super) kind: ActualKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ActualKind {
    Value(Shape),
    Integer,
    Float {
        is_single: bool,
    },
    Sink,
    /// A parameter of the caller.
    Formal,
    /// A variable that a call cannot pass.
    Memory,
    /// A name of the module, which a call cannot pass.
    Module(SmolStr),
    /// An operand that cannot be an argument.
    Form,
    Unknown,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) ty: Type,
    pub(super) vector: Option<VectorLength>,
    /// The bytes of an array; `Some(None)` if it has no size.
    pub(super) array: Option<Option<u64>>,
    /// `None` for a register, which is always aligned.
    pub(super) align: Option<u64>,
}

impl Shape {
    pub(super) fn of(param: &Parameter) -> Option<Shape> {
        let is_unsized = matches!(param.dimensions.first(), Some(dimension) if dimension.0.is_none());
        let bytes = if is_unsized { None } else { Some(param.bytes()) };
        Some(Shape {
            ty: param.ty?,
            vector: param.vector,
            array: (!param.dimensions.is_empty()).then_some(bytes),
            // `.align` below the natural alignment has no effect.
            align: Some(param.alignment().max(param.element_bytes()).max(1)),
        })
    }
}

/// Finds the calls of an item, which was lowered to `function`. Calls with a syntax error are skipped.
pub(crate) fn find<'db>(db: &'db dyn Db, item: Item<'db>, function: &Function) -> Box<[Call]> {
    let is_call: Vec<bool> = function.mnemonics().iter().map(|mnemonic| mnemonic.opcode == "call").collect();
    if !is_call.contains(&true) {
        return Box::default();
    }
    let ranges = StatementRanges::new(item.parse(db));
    let calls = function.instructions().filter(|instruction| is_call[instruction.mnemonic_id().index()]);
    let calls = calls.filter(|call| ranges.is_whole(*call));
    calls.map(|call| Reader { ranges: &ranges, function, call }.read()).collect()
}

struct Reader<'r> {
    ranges: &'r StatementRanges,
    function: &'r Function,
    call: Instruction<'r>,
}

impl Reader<'_> {
    fn read(&self) -> Call {
        let mut operands = self.call.operands();
        let list = |operands: &mut &[Operand]| match operands {
            [Operand::Arguments(list), rest @ ..] => {
                let list = self.function.operands(*list);
                *operands = rest;
                list
            }
            _ => &[],
        };
        let returns = list(&mut operands);
        let target = operands.first().copied();
        operands = operands.get(1..).unwrap_or_default();
        let arguments = list(&mut operands);
        let through = operands.first();
        let whole = self.call.opcode_range();
        Call {
            target: target.map_or(Target::Missing, |target| self.target(target)),
            target_range: target.and_then(|target| self.range(target)).unwrap_or(whole),
            returns: self.actuals(returns),
            arguments: self.actuals(arguments),
            through: through.map_or(Through::Nothing, |through| self.through(*through)),
            through_range: through.and_then(|through| self.range(*through)).unwrap_or(whole),
        }
    }

    fn name(&self, operand: Operand) -> Option<NameId> {
        match operand {
            Operand::Register { name, .. } | Operand::Special { name, .. } | Operand::Symbol(name) => {
                Some(name)
            }
            _ => None,
        }
    }

    fn range(&self, operand: Operand) -> Option<TextRange> {
        Some(self.function.name(self.name(operand)?).range)
    }

    fn target(&self, operand: Operand) -> Target {
        let Some(name) = self.name(operand) else {
            return if operand == Operand::Missing { Target::Unknown } else { Target::Nothing("this") };
        };
        let resolution = self.function.name(name).resolution;
        if let Resolution::External(name) = resolution {
            return Target::Function(name.into());
        }
        match self.function.symbol_kind(resolution) {
            None => Target::Nothing("a special register"),
            Some(SymbolKind::Register { ty, .. } | SymbolKind::RegisterRange { ty, .. }) => {
                Target::Register(*ty)
            }
            Some(SymbolKind::Label { .. }) => Target::Nothing("a label"),
            Some(SymbolKind::Table { .. } | SymbolKind::Prototype(_)) => Target::Nothing("a table"),
            Some(SymbolKind::Variable(_) | SymbolKind::Param { .. }) => Target::Nothing("a variable"),
        }
    }

    fn through(&self, operand: Operand) -> Through {
        let Some(name) = self.name(operand) else {
            return if operand == Operand::Missing { Through::Unknown } else { Through::Other("this") };
        };
        let symbol = match self.function.name(name).resolution {
            Resolution::External(name) => return Through::Module(name.into()),
            Resolution::Special(_) => return Through::Other("a special register"),
            Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. } => symbol,
        };
        match &self.function.symbol(symbol).kind {
            SymbolKind::Prototype(signature) => Through::Prototype(signature.clone()),
            SymbolKind::Table { kind: TableKind::Call, targets } => {
                let names = targets.iter().map(|target| self.function.name(*target).resolution);
                let external = |resolution| match resolution {
                    Resolution::External(name) => Some(name.into()),
                    _ => None,
                };
                Through::Functions(names.filter_map(external).collect())
            }
            SymbolKind::Table { kind: TableKind::Branch, .. } => Through::Other("a `.branchtargets`"),
            SymbolKind::Label { .. } => Through::Other("a label"),
            SymbolKind::Variable(variable) => {
                Through::Variable(self.function.symbol(symbol).name.clone(), variable.clone())
            }
            SymbolKind::Param { .. } => Through::Other("a parameter"),
            SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. } => Through::Other("a register"),
        }
    }

    fn actuals(&self, operands: &[Operand]) -> Vec<Actual> {
        operands.iter().map(|operand| self.actual(*operand)).collect()
    }

    fn actual(&self, operand: Operand) -> Actual {
        let kind = match operand {
            Operand::Register { component: Some(_), .. } | Operand::Special { .. } => ActualKind::Form,
            Operand::Register { name, .. } | Operand::Symbol(name) => self.named(name),
            Operand::Constant(constant) => match self.function.constant(constant) {
                Constant::Signed(_) | Constant::Unsigned(_) => ActualKind::Integer,
                Constant::Single(_) => ActualKind::Float { is_single: true },
                Constant::Double(_) => ActualKind::Float { is_single: false },
                Constant::Invalid => ActualKind::Unknown,
            },
            Operand::Sink => ActualKind::Sink,
            Operand::Missing => ActualKind::Unknown,
            _ => ActualKind::Form,
        };
        let Some(name) = self.name(operand).map(|name| self.function.name(name)) else {
            // Lowering does not keep the range of an operand without a name, so the argument list is reported.
            let list = self.ranges.last_list(self.call);
            return Actual { range: list.unwrap_or(self.call.opcode_range()), text: "this".into(), kind };
        };
        Actual { range: name.range, text: self.function.referent_text(name.referent), kind }
    }

    fn named(&self, name: NameId) -> ActualKind {
        let symbol = match self.function.name(name).resolution {
            Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. } => symbol,
            Resolution::Special(_) => return ActualKind::Integer,
            Resolution::External(name) => return ActualKind::Module(name.into()),
        };
        match &self.function.symbol(symbol).kind {
            SymbolKind::Register { ty: Some(ty), vector }
            | SymbolKind::RegisterRange { ty: Some(ty), vector, .. } => {
                ActualKind::Value(Shape { ty: *ty, vector: *vector, array: None, align: None })
            }
            SymbolKind::Variable(variable) if variable.space == Space::Param => match variable.ty {
                Some(ty) => ActualKind::Value(Shape {
                    ty,
                    vector: variable.vector,
                    array: (!variable.dimensions.is_empty()).then(|| Some(variable.bytes())),
                    align: Some(variable.alignment().max(variable.element_bytes()).max(1)),
                }),
                None => ActualKind::Unknown,
            },
            SymbolKind::Variable(_) => ActualKind::Memory,
            SymbolKind::Param { .. } => ActualKind::Formal,
            SymbolKind::Label { .. } | SymbolKind::Table { .. } | SymbolKind::Prototype(_) => {
                ActualKind::Form
            }
            SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. } => ActualKind::Unknown,
        }
    }
}
