//! `invalid-declaration`: a variable or a parameter that breaks a rule of its state space. The table of mistakes also has the initial values,
//! which are `invalid-initializer`.

use text_size::TextRange;
use warplens_hir::ptx::{
    Declaration, DeclarationMistake, Dimension, Function, ModuleSymbol, Space, Type, Variable,
};
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{ItemFix, Problem, Severity};
use warplens_isa::ptx as isa;

use crate::codes;
use crate::message::message;
use crate::ptx::module_scope::ModuleScope;
use crate::ptx::needs;

/// `written` is the text of `range`.
pub(super) fn fix(range: TextRange, mistake: DeclarationMistake, written: &str) -> Option<ItemFix> {
    use DeclarationMistake as M;
    let remove = |title| Some(ItemFix::new(title).delete(range));
    match mistake {
        M::InstructionType { storage, ty } => {
            let fix = ItemFix::replacement(range, storage);
            // A variable of packed elements has fewer of them.
            Some(if ty.bits() < 8 { fix } else { fix.preferred() })
        }
        M::IntegerValue(_) => {
            is_decimal(written).then(|| ItemFix::new("Write a float").insert(range.end(), ".0"))
        }
        M::LocalLinkage => remove("Remove the linkage directive"),
        M::NoInitializer(_) | M::ExternInitializer => remove("Remove the initial value"),
        M::PackedParameter => Some(ItemFix::replacement(range, ".b32").preferred()),
        M::EntryParameter => Some(ItemFix::replacement(range, ".param")),
        M::PointerParameter => remove("Remove `.ptr`"),
        _ => None,
    }
}

pub(super) fn code(mistake: DeclarationMistake) -> &'static str {
    use DeclarationMistake as M;
    match mistake {
        M::NoInitializer(_)
        | M::ExternInitializer
        | M::HalfInitializer(_)
        | M::TooManyValues { .. }
        | M::VectorValues { .. }
        | M::Braced
        | M::Unbraced
        | M::IntegerValue(_)
        | M::FloatValue(_)
        | M::AddressValue(_)
        | M::AddressOf(_)
        | M::AddressForm
        | M::Mask(_)
        | M::StringValue => codes::INVALID_INITIALIZER,
        _ => codes::INVALID_DECLARATION,
    }
}

/// `written` is the text of its range.
pub(super) fn message(mistake: DeclarationMistake, written: &str) -> String {
    use DeclarationMistake as M;
    message!(match mistake {
        M::LocalLinkage => "a variable of a function has no linkage; declare it outside of the function";
        M::CommonSpace =>
            "`.common` variables must be in `.global`; use `.visible` or `.weak` in other state spaces";
        M::CommonOpaque => "a texture, sampler or surface cannot be `.common`; use `.visible` or `.weak`";
        M::InstructionType { ty, storage } =>
            "`.{}` is not a type of variables, only of instructions; declare `{storage}`", ty.name();
        M::PredicateInMemory => "a predicate can only be in `.reg`; store it in memory as an integer";
        M::PredicateVector => "there are no vectors of predicates; declare several registers, `p<4>`";
        M::VectorLength => "a vector has two or four elements; `.v8` is allowed in loads and stores only";
        M::VectorTooWide { bits } =>
            "a vector has at most 128 bits, this one has {bits}; use fewer or smaller elements";
        M::VectorParameter => "vectors are not allowed in `.param`; declare an array of the same size";
        M::SpecialRegisterSpace =>
            "`.sreg` is the state space of the special registers, which are predefined";
        M::OpaqueScope =>
            "textures, samplers and surfaces are declared in the module, or as parameters of a kernel";
        M::OpaqueSpace => "textures, samplers and surfaces must be in `.global`";
        M::NoNumber => "expected a number; an expression is not allowed here";
        M::ArrayOfNames =>
            "`name<n>` declares scalar variables only; declare arrays, parameters and initialized variables one by one";
        M::NameCount(count) => "{count} names are too many; `name<n>` is limited to 32 bits";
        M::RegisterArray => "arrays of registers are not allowed; `name<4>` declares `name0` to `name3`";
        M::InnerDimension => "only the first dimension of an array may be omitted or 0";
        M::MissingSize => "this array has no size; add a size or values, or declare it `.extern`";
        M::EntryParameter => "the parameters of a kernel must be in `.param`";
        M::ParameterSpace => "the parameters of a function must be in `.param` or `.reg`";
        M::PointerParameter => "`.ptr` is allowed on parameters of kernels only";
        M::NamelessParameter =>
            "a parameter of a function needs a name; only a `.callprototype` has `_` instead";
        M::UnsizedParameter =>
            "this array parameter needs a size; only the last parameter of a function may omit it";
        M::TooManyElements(count) =>
            "{count} elements are too many for a parameter; their number is limited to 32 bits. Pass a pointer instead";
        M::PackedParameter => "a `.f16x2` is not allowed in `.param`; declare `.b32`";
        M::ParameterDimensions => "an array parameter has one dimension; write the product of the dimensions";
        M::ParameterAlignment => "parameters of functions are aligned to at most 128 bytes";
        M::SeveralResults => "several results must be in `.reg`; return one array in `.param` instead";
        M::NoInitializer(space) =>
            "variables in `.{}` cannot be initialized; store the value when the kernel runs", space.name();
        M::ExternInitializer =>
            "an `.extern` variable cannot be initialized here; initialize it in the module that defines it";
        M::HalfInitializer(ty) =>
            "`.{}` cannot be initialized; declare `.{}` and write the bits",
            ty.name(), if ty == Type::F16 { "b16" } else { "b32" };
        M::TooManyValues { size, values } =>
            "too many initial values: {values} values for {size} elements; remove some or enlarge the array";
        M::VectorValues { count } => "this vector takes exactly {count} values";
        M::Braced => "braces are allowed around the values of an array or vector only; this is one value";
        M::Unbraced => "write the values of an array or vector in braces, `{{ }}`";
        M::IntegerValue(ty) => "`.{}` needs a float here{}", ty.name(), as_float(written);
        M::FloatValue(ty) => "`.{}` needs an integer here; a `.b` type takes the bits of a float", ty.name();
        M::AddressValue(ty) =>
            "`.{}` cannot hold an address; use `.u64` or `.u32`, or `.u8` with a mask such as `0xff(name)`",
            ty.name();
        M::AddressOf(Some(space)) =>
            "this is in `.{}`; an initial value can be an address in `.global` or `.const`, or of a function",
            space.name();
        M::AddressOf(None) => "this has no address; only variables and functions have addresses";
        M::AddressForm => "not an address; write `name`, `generic(name)`, or one of these `+ number`";
        M::Mask(mask) => "`{mask:#x}` does not mask one byte; use `0xff`, `0xff00` and so on";
        M::StringValue => "a string is not an initial value; write the bytes, `{{97, 98, 0}}`";
    })
}

fn is_decimal(written: &str) -> bool {
    written.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit())
}

/// The hint to write an integer as a float.
fn as_float(written: &str) -> String {
    if is_decimal(written) {
        format!("; write `{written}.0` instead of `{written}`")
    } else {
        "; write a decimal point".to_owned()
    }
}

pub(super) fn parameter_space(function: &Function, module: &ModuleTarget) -> Option<Problem> {
    const OLD: u64 = 256;
    const USUAL: u64 = 4352;
    const LARGE: u64 = 32764;
    let version = module.version?;
    let bytes = function.signature.params.iter().fold(0u64, |bytes, param| {
        let start = bytes.checked_next_multiple_of(param.alignment().max(1)).unwrap_or(u64::MAX);
        start.saturating_add(param.bytes())
    });
    let large = isa::feature("large-parameters")?.requirement.since;
    let usual = isa::feature("opaque")?.requirement.since;
    let limit = if version >= large {
        LARGE
    } else if version >= usual {
        USUAL
    } else {
        OLD
    };
    if bytes > limit {
        let message = format!(
            "the parameters take {bytes} bytes; the limit for a kernel of PTX {version} is {limit}. Pass a pointer to them instead"
        );
        return Some(Problem::error(function.name_range, codes::INVALID_DECLARATION, message));
    }
    (bytes > USUAL).then(|| needs::check_feature(function.name_range, "large-parameters", module))?
}

/// An `.extern` array without a size that this module does not define: the module cannot be assembled alone.
pub(super) fn defined_elsewhere(
    scope: &ModuleScope<'_>,
    declaration: &Declaration,
    variable: &Variable,
) -> Option<Problem> {
    let is_open = matches!(variable.dimensions.first(), Some(Dimension(None)));
    let is_extern = |symbol: &ModuleSymbol| symbol.kind.is_extern();
    if !is_open
        || !matches!(variable.space, Space::Global | Space::Const)
        || !scope.names.kinds(&declaration.name).all(is_extern)
    {
        return None;
    }
    let name = &declaration.name;
    let message = format!(
        "`{name}` has no size and is defined in another module, so the assembler accepts this module only with `-c` (relocatable code); otherwise write the size of `{name}`"
    );
    let range = declaration.name_range;
    Some(Problem::new(range, Severity::Information, codes::INVALID_DECLARATION, message))
}

/// A `.reg` or `.local` variable of the module.
pub(super) fn outside_of_functions(variable: &Variable, range: TextRange) -> Problem {
    let message =
        format!("`.{}` variables are declared in functions; move it into one", variable.space.name());
    Problem::error(range, codes::INVALID_DECLARATION, message)
}

/// A sampler in a module whose textures have one.
pub(super) fn separate_sampler(range: TextRange) -> Problem {
    let message = "separate samplers need the option `texmode_independent`; add it to `.target`";
    Problem::error(range, codes::INVALID_DECLARATION, message)
}

/// A texture variable of PTX 1.x holds a reference.
pub(super) fn texture_reference(variable: &Variable, range: TextRange) -> Option<Problem> {
    let is_reference = matches!(variable.ty?, Type::U32 | Type::U64) && variable.dimensions.is_empty();
    let message = "a `.tex` variable is one reference: its type is `.u32` or `.u64`, and it is no array";
    (variable.space == Space::Tex && !is_reference)
        .then(|| Problem::error(range, codes::INVALID_DECLARATION, message))
}

pub(super) fn common_function(range: TextRange) -> Problem {
    let message = "`.common` is allowed on variables only; use `.visible` or `.weak` for a function";
    Problem::error(range, codes::INVALID_DECLARATION, message)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn textures_of_old_versions() {
        check(
            ".version 1.4\n.target sm_13\n.tex .u32 a;\n.tex .u64 b;\n.tex .b32 c;\n.tex .f32 d;\n.tex .u64 e[2];\n",
            expect![[r#"
                5:`c` Error invalid-declaration: a `.tex` variable is one reference: its type is `.u32` or `.u64`, and it is no array
                6:`d` Error invalid-declaration: a `.tex` variable is one reference: its type is `.u32` or `.u64`, and it is no array
                7:`e` Error invalid-declaration: a `.tex` variable is one reference: its type is `.u32` or `.u64`, and it is no array
            "#]],
        );
        check(
            ".version 1.3\n.target sm_13\n.entry k (.param .u32 x) { exit; }\n.entry j () { exit; }\n",
            expect![[r#"
                3:`.param .u32 x` Error needs-version: a list of kernel parameters needs PTX 1.4 or later; this module is written in PTX 1.3
            "#]],
        );
    }

    #[test]
    fn variables() {
        check(
            "\
.version 8.0
.target sm_90
.reg .b32 a;
.param .b32 b;
.global .pred c;
.global .bf16 d;
.global .v4 .f64 e;
.shared .b32 f[];
.global .b32 g[2][];
.common .shared .b32 h;
.shared .texref i;
.global .b32 j[2+2];
.extern .shared .align 16 .b8 k[];
.weak .global .b32 l;
.entry kernel() {
    .reg .b32 m[4];
    .extern .shared .b32 n[];
    .global .texref o;
    .param .v2 .b32 p;
    .reg .v2 .pred q;
    ret;
}
",
            expect![[r#"
                3:`a` Error invalid-declaration: `.reg` variables are declared in functions; move it into one
                4:`.param` Error syntax-error: `.param` is only allowed in parameter lists and functions: is the line with `.entry` or `.func` missing?
                5:`.pred` Error invalid-declaration: a predicate can only be in `.reg`; store it in memory as an integer
                6:`.bf16` Error invalid-declaration: `.bf16` is not a type of variables, only of instructions; declare `.b16`
                7:`.v4` Error invalid-declaration: a vector has at most 128 bits, this one has 256; use fewer or smaller elements
                8:`[]` Error invalid-declaration: this array has no size; add a size or values, or declare it `.extern`
                9:`[]` Error invalid-declaration: only the first dimension of an array may be omitted or 0
                10:`.common` Error invalid-declaration: `.common` variables must be in `.global`; use `.visible` or `.weak` in other state spaces
                11:`.shared` Error invalid-declaration: textures, samplers and surfaces must be in `.global`
                12:`2+2` Error invalid-declaration: expected a number; an expression is not allowed here
                16:`[4]` Error invalid-declaration: arrays of registers are not allowed; `name<4>` declares `name0` to `name3`
                17:`.extern` Error invalid-declaration: a variable of a function has no linkage; declare it outside of the function
                18:`.global` Error invalid-declaration: textures, samplers and surfaces are declared in the module, or as parameters of a kernel
                19:`.v2` Error invalid-declaration: vectors are not allowed in `.param`; declare an array of the same size
                20:`.v2` Error invalid-declaration: there are no vectors of predicates; declare several registers, `p<4>`
            "#]],
        );
    }

    #[test]
    fn parameters() {
        check(
            "\
.version 8.0
.target sm_90
.entry a(.reg .b32 x) { ret; }
.entry b(.param .v2 .b32 x) { ret; }
.entry c(.param .b32 x[]) { ret; }
.entry d(.param .b8 x[5000]) { ret; }
.func e(.param .u64 .ptr x) { ret; }
.func f(.param .b8 x[], .param .b32 y) { ret; }
.func g(.param .b32 x, .param .b8 y[]) { ret; }
.func (.param .b32 x, .param .b32 y) h() { ret; }
.func i(.local .b32 x) { ret; }
.func j(.param .b32 x[2][2]) { ret; }
.entry k(.param .v2 .b32 x[2]) { ret; }
",
            expect![[r#"
                3:`.reg` Error invalid-declaration: the parameters of a kernel must be in `.param`
                4:`.v2` Error invalid-declaration: vectors are not allowed in `.param`; declare an array of the same size
                5:`[]` Error invalid-declaration: this array parameter needs a size; only the last parameter of a function may omit it
                6:`d` Error invalid-declaration: the parameters take 5000 bytes; the limit for a kernel of PTX 8.0 is 4352. Pass a pointer to them instead
                7:`.ptr` Error invalid-declaration: `.ptr` is allowed on parameters of kernels only
                8:`[]` Error invalid-declaration: this array parameter needs a size; only the last parameter of a function may omit it
                10:`.param .b32 x` Error invalid-declaration: several results must be in `.reg`; return one array in `.param` instead
                10:`ret` Warning unwritten-result: the result `x` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                    10:`x` the result
                10:`ret` Warning unwritten-result: the result `y` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                    10:`y` the result
                11:`.local` Error invalid-declaration: the parameters of a function must be in `.param` or `.reg`
                12:`[2]` Error invalid-declaration: an array parameter has one dimension; write the product of the dimensions
            "#]],
        );
    }

    #[test]
    fn sizes_of_zero() {
        check(
            "\
.version 8.0
.target sm_90
.global .b8 a[0] = {1, 2};
.global .b8 b[0][2] = {{1, 2}};
.extern .shared .b8 c[0];
.global .b8 d[0];
.global .b8 e[0] = {};
.global .b8 f[] = {};
.global .b8 g[2][0];
.global .b8 h[0][2] = {1};
",
            expect![[r#"
                6:`[0]` Error invalid-declaration: this array has no size; add a size or values, or declare it `.extern`
                7:`[0]` Error invalid-declaration: this array has no size; add a size or values, or declare it `.extern`
                8:`[]` Error invalid-declaration: this array has no size; add a size or values, or declare it `.extern`
                9:`[0]` Error invalid-declaration: only the first dimension of an array may be omitted or 0
                10:`1` Error invalid-initializer: write the values of an array or vector in braces, `{ }`
            "#]],
        );
    }

    #[test]
    fn packed_parameters() {
        check(
            "\
.version 8.0
.target sm_90
.global .f16x2 a;
.func b(.param .f16x2 x);
.func c(.param .f16x2 x[2], .reg .f16x2 y) { ret; }
.func (.param .f16x2 x) d() { ret; }
.entry e(.param .f16x2 x) {
    .param .f16x2 y;
    .reg .f16x2 z;
    ret;
}
",
            expect![[r#"
                6:`.f16x2` Error invalid-declaration: a `.f16x2` is not allowed in `.param`; declare `.b32`
                6:`ret` Warning unwritten-result: the result `x` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                    6:`x` the result
                7:`.f16x2` Error invalid-declaration: a `.f16x2` is not allowed in `.param`; declare `.b32`
                8:`.f16x2` Error invalid-declaration: a `.f16x2` is not allowed in `.param`; declare `.b32`
            "#]],
        );
    }

    #[test]
    fn arrays_of_other_modules() {
        check(
            "\
.version 8.0
.target sm_90
.extern .global .b32 a[];
.extern .const .b32 b[][4];
.extern .global .b32 c[4];
.extern .global .b32 d;
.extern .shared .b32 e[];
.extern .global .b32 f[]; .visible .global .b32 f[4];
",
            expect![[r#"
                3:`a` Information invalid-declaration: `a` has no size and is defined in another module, so the assembler accepts this module only with `-c` (relocatable code); otherwise write the size of `a`
                4:`b` Information invalid-declaration: `b` has no size and is defined in another module, so the assembler accepts this module only with `-c` (relocatable code); otherwise write the size of `b`
            "#]],
        );
    }
}
