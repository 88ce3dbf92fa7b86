//! Checks arguments and results of a call against the parameters of the callee, as the assembler does.

use text_size::TextRange;
use warplens_hir::ptx::{Parameter, Signature, Type, TypeKind, VectorLength};

use crate::codes;
use crate::ptx::invalid_call::sites::{Actual, ActualKind, Call, Shape};
use warplens_ide_db::Problem;

pub(super) struct Callee<'c> {
    pub(super) name: &'c str,
    pub(super) signature: &'c Signature,
    /// Whether the module has a name. The checks of names report those that it does not have.
    pub(super) is_declared: &'c dyn Fn(&str) -> bool,
}

impl Callee<'_> {
    pub(super) fn judge(&self, call: &Call, problems: &mut Vec<Problem>) {
        let Signature { returns, params, .. } = self.signature;
        let results = self.count(call.target_range, &call.returns, returns, ("returns", "value"));
        let arguments = self.count(call.target_range, &call.arguments, params, ("takes", "argument"));
        if let Some(problem) = arguments.or(results) {
            return problems.push(problem);
        }
        for (actual, param) in call.returns.iter().zip(returns) {
            problems.extend(self.pair(actual, param, true));
        }
        for (actual, param) in call.arguments.iter().zip(params) {
            problems.extend(self.pair(actual, param, false));
        }
    }

    fn count(
        &self,
        range: TextRange,
        actuals: &[Actual],
        params: &[Parameter],
        (verb, noun): (&str, &str),
    ) -> Option<Problem> {
        if actuals.len() == params.len() {
            return None;
        }
        let plural = if params.len() == 1 { "" } else { "s" };
        let message =
            format!("`{}` {verb} {} {noun}{plural}; the call has {}", self.name, params.len(), actuals.len());
        Some(Problem::error(range, codes::INVALID_CALL, message.replace("`the prototype`", "the prototype")))
    }

    fn pair(&self, actual: &Actual, param: &Parameter, is_result: bool) -> Option<Problem> {
        let formal = Shape::of(param)?;
        let text = &actual.text;
        let what = if is_result { "the result" } else { "the parameter" };
        let name = param.name.as_deref().filter(|name| *name != "_");
        let name = name.map(|name| format!(" `{name}`")).unwrap_or_default();
        let of = format!("{what}{name} of `{}`", self.name).replace("`the prototype`", "the prototype");
        let message = match &actual.kind {
            ActualKind::Value(shape) => match mismatch(formal, *shape)? {
                Mismatch::Type => format!("`{text}` is `{}`; {of} is `{}`", written(*shape), written(formal)),
                Mismatch::Alignment(align) => {
                    let needs = formal.align.unwrap_or(1);
                    format!(
                        "`{text}` is aligned to {align} bytes, {of} to {needs}; declare it with `.align {needs}`"
                    )
                }
            },
            ActualKind::Integer if is_result && formal.array.is_none() => return None,
            ActualKind::Integer if takes_integer(formal) => return None,
            ActualKind::Integer => format!("{of} is `{}` and does not accept an integer", written(formal)),
            ActualKind::Float { .. } if is_result && formal.array.is_none() => return None,
            ActualKind::Float { is_single } if takes_float(formal, *is_single) => return None,
            ActualKind::Float { .. } => format!("{of} is `{}` and does not accept a float", written(formal)),
            ActualKind::Sink if is_result => return None,
            ActualKind::Sink => format!("{of} needs a value, not `_`"),
            ActualKind::Formal => {
                format!("`{text}` is a parameter of the caller; copy it to a local `.param` variable")
            }
            ActualKind::Module(name) if !(self.is_declared)(name) => return None,
            ActualKind::Memory | ActualKind::Module(_) => {
                format!("`{text}` is not a valid argument; pass a `.param` variable or a register")
            }
            ActualKind::Form => "an argument must be a register, a number or a `.param` variable".to_owned(),
            ActualKind::Unknown => return None,
        };
        Some(Problem::error(actual.range, codes::INVALID_CALL, message))
    }
}

enum Mismatch {
    Type,
    Alignment(u64),
}

fn mismatch(formal: Shape, actual: Shape) -> Option<Mismatch> {
    let fits = match (formal.array, actual.array) {
        (None, None) => {
            let (a, b) = (scalar(formal), scalar(actual));
            // The assembler accepts a packed half where any 32 bits are expected, and where a predicate is.
            let is_packed =
                |one: Type, other: Type| one == Type::F16x2 && (other.bits() == 32 || other == Type::Pred);
            bits(formal) == bits(actual) && agree(a, b)
                || is_packed(formal.ty, actual.ty)
                || is_packed(actual.ty, formal.ty)
        }
        (Some(size), Some(have)) => (size.is_none() || size == have) && agree(formal.ty, actual.ty),
        _ => false,
    };
    if !fits {
        return Some(Mismatch::Type);
    }
    let align = actual.align.filter(|align| formal.align != Some(*align))?;
    Some(Mismatch::Alignment(align))
}

/// Only the size of a vector matters.
fn scalar(shape: Shape) -> Type {
    if shape.vector.is_some() { Type::B64 } else { shape.ty }
}

fn bits(shape: Shape) -> u32 {
    shape.ty.bits() * shape.vector.map_or(1, VectorLength::count)
}

fn agree(a: Type, b: Type) -> bool {
    use TypeKind::{Bits, Signed, Unsigned};
    let is_integer = |ty: Type| matches!(ty.kind(), Signed | Unsigned);
    a.kind() == Bits || b.kind() == Bits || a.kind() == b.kind() || is_integer(a) && is_integer(b)
}

fn takes_integer(formal: Shape) -> bool {
    use TypeKind::{Bits, Signed, Unsigned};
    formal.array.is_none() && matches!(formal.ty.kind(), Bits | Signed | Unsigned)
}

fn takes_float(formal: Shape, is_single: bool) -> bool {
    formal.array.is_none()
        && match formal.ty.kind() {
            TypeKind::Bits => true,
            TypeKind::Float => is_single || formal.ty != Type::F16x2,
            _ => false,
        }
}

/// `.b8[16]`, `.v2 .b32`
fn written(shape: Shape) -> String {
    let vector = shape.vector.map(|vector| format!(".v{} ", vector.count())).unwrap_or_default();
    let array = match shape.array {
        None => String::new(),
        Some(None) => "[]".to_owned(),
        Some(Some(bytes)) => format!("[{}]", bytes / u64::from(shape.ty.bytes().max(1))),
    };
    format!("{vector}.{}{array}", shape.ty.name())
}
