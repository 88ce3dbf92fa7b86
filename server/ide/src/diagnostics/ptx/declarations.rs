//! Variables and parameters: the rules that lowering judges, in words, and those that depend on the module's version and
//! target.

use text_size::TextRange;
use warplens_hir::ptx::{
    Declaration, DeclarationKind, DeclarationMistake, Dimension, Function, FunctionKind, Header, Initializer,
    Linkage, Parameter, Signature, Space, SymbolKind, Type, TypeKind, Variable,
};
use warplens_isa::ptx as isa;

use super::super::problem::Mend;
use super::super::{Problem, codes};
use super::needs;
use crate::module_target::ModuleTarget;

/// A rule that a declaration breaks, in words.
pub(super) fn describe(range: TextRange, mistake: DeclarationMistake) -> Problem {
    let (code, message) = words(mistake);
    let problem = Problem::error(range, code, message);
    match mistake {
        DeclarationMistake::InstructionType { storage, .. } => {
            problem.with_fix(Mend::replacement(range, storage).preferred())
        }
        DeclarationMistake::LocalLinkage => {
            problem.with_fix(Mend::new("Remove the linkage word").delete(range))
        }
        DeclarationMistake::NoInitializer(_) | DeclarationMistake::ExternInitializer => {
            problem.with_fix(Mend::new("Remove the initial value").delete(range))
        }
        DeclarationMistake::EntryParameter => problem.with_fix(Mend::replacement(range, ".param")),
        DeclarationMistake::PointerParameter => problem.with_fix(Mend::new("Remove `.ptr`").delete(range)),
        _ => problem,
    }
}

fn words(mistake: DeclarationMistake) -> (&'static str, String) {
    use DeclarationMistake as M;
    let text = |text: &str| (codes::INVALID_DECLARATION, text.to_owned());
    match mistake {
        M::LocalLinkage => {
            text("a variable of a function takes no linkage word; declare it outside of the function")
        }
        M::CommonSpace => {
            text("`.common` variables live in `.global`; use `.visible` or `.weak` in other spaces")
        }
        M::CommonOpaque => {
            text("a texture, sampler or surface cannot be `.common`; use `.visible` or `.weak`")
        }
        M::InstructionType { ty, storage } => {
            let name = ty.name();
            let message = format!(
                "only instructions know the type `.{name}`; declare `{storage}`, which holds such values"
            );
            (codes::INVALID_DECLARATION, message)
        }
        M::PredicateInMemory => text("a predicate lives in `.reg` only; keep it in memory as an integer"),
        M::PredicateVector => text("predicates form no vectors; declare several registers, `p<4>`"),
        M::VectorLength => text("a vector has two or four elements; `.v8` is for loads and stores only"),
        M::VectorTooWide { bits } => {
            let message =
                format!("a vector has at most 128 bits, this one {bits}; take fewer or smaller elements");
            (codes::INVALID_DECLARATION, message)
        }
        M::VectorParameter => text("`.param` holds no vectors; declare an array of the same size"),
        M::SpecialRegisterSpace => {
            text("`.sreg` is the space of the special registers, which need no declaration")
        }
        M::ModuleParameter => text("`.param` stands in parameter lists and in functions only"),
        M::OpaquePlace => {
            text("textures, samplers and surfaces are declared in the module, or as parameters of a kernel")
        }
        M::OpaqueSpace => text("textures, samplers and surfaces live in `.global`"),
        M::NoNumber => text("a plain number has to stand here; the assembler computes nothing in this place"),
        M::ArrayOfNames => {
            text("`name<n>` declares plain variables; arrays and initial values need names of their own")
        }
        M::RegisterArray => text("there are no arrays of registers; `name<4>` declares `name0` to `name3`"),
        M::InnerDimension => text("only the first dimension of an array may be left out"),
        M::MissingSize => text("this array has no size; write one, or values, or declare it `.extern`"),
        M::EntryParameter => text("the parameters of a kernel are in `.param`"),
        M::ParameterSpace => text("the parameters of a function are in `.param` or `.reg`"),
        M::PointerParameter => text("`.ptr` describes parameters of kernels; a function takes none of it"),
        M::UnsizedParameter => {
            text("this array parameter needs a size; only the last parameter of a function can do without")
        }
        M::ParameterAlignment => text("parameters of functions are aligned to at most 128 bytes"),
        M::SeveralResults => {
            text("several results have to be registers, `.reg`; return one array in `.param` instead")
        }
        initial => (codes::INVALID_INITIALIZER, initial_words(initial)),
    }
}

fn initial_words(mistake: DeclarationMistake) -> String {
    use DeclarationMistake as M;
    match mistake {
        M::NoInitializer(space) => {
            format!("variables in `.{}` take no initial value; store it when the kernel runs", space.name())
        }
        M::ExternInitializer => "the module that defines an `.extern` gives it its initial value".into(),
        M::HalfInitializer(ty) => {
            let storage = if ty == Type::F16 { "b16" } else { "b32" };
            format!("`.{}` takes no initial value; declare `.{storage}` and write the bits", ty.name())
        }
        M::TooManyValues { size, values } => {
            format!("{values} values for {size} elements; remove some or enlarge the array")
        }
        M::VectorValues { count } => format!("this vector takes exactly {count} values"),
        M::Braced => "braces stand around the values of arrays and vectors; this is one value".into(),
        M::Unbraced => "the values of an array or vector stand in braces, `{ }`".into(),
        M::IntegerValue(ty) => format!("`.{}` needs a float here; write `1.0` instead of `1`", ty.name()),
        M::FloatValue(ty) => {
            format!("`.{}` needs an integer here; a `.b` type takes the bits of a float", ty.name())
        }
        M::AddressValue(ty) => {
            format!(
                "`.{}` holds no address; use `.u64` or `.u32`, or `.u8` with a mask such as `0xff(name)`",
                ty.name()
            )
        }
        M::AddressForm => "an address is `name`, `generic(name)`, or one of these `+ number`".into(),
        M::Mask(mask) => format!("`{mask:#x}` masks no byte; use `0xff`, `0xff00` and so on"),
        M::StringValue => "there are no strings as values; write the bytes, `{97, 98, 0}`".into(),
        _ => "this initial value does not fit".into(),
    }
}

/// What the declarations outside of functions need.
pub(super) fn check_module(header: &Header, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for Declaration { name_range, kind, .. } in &header.declarations {
        if let DeclarationKind::Variable(variable) = kind {
            let place = of_module(variable, *name_range, module);
            problems.extend(place.or_else(|| needs_of(variable, *name_range, module)));
        }
    }
}

/// `.reg` and `.local` stood outside of functions as long as calls had no stack.
fn of_module(variable: &Variable, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    let with_stack = warplens_isa::Version::new(3, 0);
    match variable.space {
        Space::Reg | Space::Local if module.version.is_none_or(|version| version >= with_stack) => {
            let message =
                format!("`.{}` variables are declared in functions; move it into one", variable.space.name());
            Some(Problem::error(range, codes::INVALID_DECLARATION, message))
        }
        Space::Tex => {
            let until = isa::directive(".tex")?.until?;
            let message = format!("`.tex` is gone since PTX {until}; declare `.global .texref`");
            (module.version? >= until).then(|| Problem::error(range, codes::REMOVED_DIRECTIVE, message))
        }
        _ => None,
    }
}

/// What the declarations of a function need.
pub(super) fn check_function(function: &Function, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for symbol in function.symbols() {
        let unmet = match &symbol.kind {
            SymbolKind::Variable(variable) => needs_of(variable, symbol.range, module),
            SymbolKind::Register { ty, .. } | SymbolKind::RegisterRange { ty, .. } => {
                needs_of_type(*ty, symbol.range, module)
            }
            _ => None,
        };
        problems.extend(unmet);
    }
    check_signature(function, module, problems);
}

fn check_signature(function: &Function, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let Signature { returns, params, .. } = &function.signature;
    let is_kernel = function.kind == FunctionKind::Entry;
    if is_kernel && function.body.is_none() {
        problems.extend(needs::unmet_feature(function.name_range, "kernel-prototype", module));
    }
    for param in returns.iter().chain(params) {
        problems.extend(needs_of_parameter(param, is_kernel, module));
    }
    if is_kernel {
        problems.extend(parameter_space(function, module));
    }
}

fn needs_of_parameter(param: &Parameter, is_kernel: bool, module: &ModuleTarget) -> Option<Problem> {
    let range = param.name_range;
    let is_unsized = matches!(param.dimensions.first(), Some(Dimension(None)));
    if !is_kernel && param.space == Space::Param {
        let missing = needs::unmet_feature(param.range, "function-parameter", module);
        let missing = missing
            .or_else(|| needs::unmet_feature(range, "unsized-parameter", module).filter(|_| is_unsized));
        if missing.is_some() {
            return missing;
        }
    }
    if param.pointer.is_some()
        && let Some(pointer) = isa::directive(".ptr")
        && let Some(problem) = needs::unmet(range, "`.ptr`", pointer.need, module)
    {
        return Some(problem);
    }
    needs_of_type(param.ty, range, module)
}

/// Kernel parameters take a limited space.
fn parameter_space(function: &Function, module: &ModuleTarget) -> Option<Problem> {
    const OLD: u64 = 256;
    const USUAL: u64 = 4352;
    const LARGE: u64 = 32764;
    let version = module.version?;
    let bytes = function.signature.params.iter().fold(0u64, |bytes, param| {
        let start = bytes.checked_next_multiple_of(param.alignment().max(1)).unwrap_or(u64::MAX);
        start.saturating_add(param.bytes())
    });
    let large = isa::feature("large-parameters")?.need.since;
    let usual = isa::feature("opaque")?.need.since;
    let limit = if version >= large {
        LARGE
    } else if version >= usual {
        USUAL
    } else {
        OLD
    };
    if bytes > limit {
        let message = format!(
            "the parameters take {bytes} bytes; a kernel of PTX {version} can have {limit}. Pass a pointer to them instead"
        );
        return Some(Problem::error(function.name_range, codes::INVALID_DECLARATION, message));
    }
    (bytes > USUAL).then(|| needs::unmet_feature(function.name_range, "large-parameters", module))?
}

fn needs_of(variable: &Variable, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    let linkage = match variable.linkage {
        Some(Linkage::Weak) => isa::directive(".weak"),
        Some(Linkage::Common) => isa::directive(".common"),
        _ => None,
    };
    linkage
        .and_then(|word| needs::unmet(range, &format!("`{}`", word.name), word.need, module))
        .or_else(|| needs_of_type(variable.ty, range, module))
        .or_else(|| needs_of_value(variable.initializer.as_ref()?, range, module))
}

fn needs_of_type(ty: Option<Type>, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    match ty? {
        Type::B128 => needs::unmet_feature(range, ".b128", module),
        Type::F16x2 => needs::unmet_feature(range, ".f16x2", module),
        Type::Samplerref if is_unified(module) => {
            let message = "samplers of their own need `.target` with `texmode_independent`; add it there";
            Some(Problem::error(range, codes::INVALID_DECLARATION, message))
        }
        ty if ty.kind() == TypeKind::Opaque => needs::unmet_feature(range, "opaque", module),
        _ => None,
    }
}

fn is_unified(module: &ModuleTarget) -> bool {
    module.architecture.is_some() && !module.options.iter().any(|option| option == "texmode_independent")
}

/// Of several values that need something, the first is told.
fn needs_of_value(value: &Initializer, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    match value {
        Initializer::List(values) => {
            let mut addresses = values
                .iter()
                .filter(|value| matches!(value, Initializer::Address { .. } | Initializer::List(_)));
            addresses.find_map(|value| needs_of_value(value, range, module))
        }
        Initializer::Address { mask: Some(_), .. } => needs::unmet_feature(range, "mask-initialiser", module),
        Initializer::Address { generic: true, .. } => {
            needs::unmet_feature(range, "generic-initialiser", module)
        }
        Initializer::Address { .. } => needs::unmet_feature(range, "address-initialiser", module),
        _ => None,
    }
}
