//! Variables and parameters: messages for the rules that lowering checks, and checks that depend on the module's version
//! and target.

use text_size::TextRange;
use warplens_hir::ptx::{
    Declaration, DeclarationKind, DeclarationMistake, Dimension, Function, FunctionKind, Header, Initializer,
    Linkage, Parameter, Signature, Space, SymbolKind, Type, TypeKind, Variable,
};
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{ItemFix, Problem};
use warplens_isa::ptx as isa;

use crate::codes;
use crate::message::message;
use crate::ptx::{memory_limits, needs, removed_directive};

/// The fix of a declaration that breaks a rule.
pub(super) fn fix(range: TextRange, mistake: DeclarationMistake) -> Option<ItemFix> {
    use DeclarationMistake as M;
    let remove = |title| Some(ItemFix::new(title).delete(range));
    match mistake {
        M::InstructionType { storage, .. } => Some(ItemFix::replacement(range, storage).preferred()),
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

pub(super) fn message(mistake: DeclarationMistake) -> String {
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
        M::IntegerValue(ty) => "`.{}` needs a float here; write `1.0` instead of `1`", ty.name();
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

/// Checks the declarations outside of functions.
pub(super) fn check_module(header: &Header, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for Declaration { name, name_range, kind } in &header.declarations {
        if let DeclarationKind::Variable(variable) = kind
            && of_module(variable, *name_range, module).is_none()
        {
            problems.extend(needs_of(variable, *name_range, module));
            problems.extend(memory_limits::of_array(variable, *name_range));
            problems.extend(special_name(name, *name_range).filter(|_| variable.range_count.is_none()));
        }
    }
}

/// The first variable of a header that is not allowed outside of functions.
pub(super) fn misplaced(header: &Header, module: &ModuleTarget) -> Option<Problem> {
    header.declarations.iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Variable(variable) => of_module(variable, declaration.name_range, module),
        _ => None,
    })
}

/// `.reg` and `.local` were allowed outside of functions as long as calls had no stack.
fn of_module(variable: &Variable, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    let with_stack = warplens_isa::Version::new(3, 0);
    match variable.space {
        Space::Reg | Space::Local if module.version.is_none_or(|version| version >= with_stack) => {
            let message =
                format!("`.{}` variables are declared in functions; move it into one", variable.space.name());
            Some(Problem::error(range, codes::INVALID_DECLARATION, message))
        }
        Space::Tex => removed_directive::tex(range, module),
        _ => None,
    }
}

/// Checks the declarations of a function.
pub(super) fn check_function(function: &Function, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for symbol in function.symbols() {
        let found = match &symbol.kind {
            SymbolKind::Variable(variable) => needs_of(variable, symbol.range, module)
                .or_else(|| memory_limits::of_array(variable, symbol.range)),
            SymbolKind::Register { ty, .. } | SymbolKind::RegisterRange { ty, .. } => {
                needs_of_type(*ty, symbol.range, module)
            }
            _ => None,
        };
        problems.extend(found);
    }
    problems.extend(function.name.as_ref().and_then(|name| special_name(name, function.name_range)));
    check_signature(function, module, problems);
}

/// A special register cannot be declared again in the module; in functions, a declaration hides it.
fn special_name(name: &str, range: TextRange) -> Option<Problem> {
    let is_special = name.starts_with('%') && isa::special_register_names().binary_search(&name).is_ok();
    let message = || format!("`{name}` is a special register; choose another name");
    is_special.then(|| Problem::error(range, codes::DUPLICATE_NAME, message()))
}

fn check_signature(function: &Function, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let Signature { returns, params, .. } = &function.signature;
    let is_kernel = function.kind == FunctionKind::Entry;
    if is_kernel && function.body.is_none() {
        problems.extend(needs::check_feature(function.name_range, "kernel-prototype", module));
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
        let missing = needs::check_feature(param.range, "function-parameter", module);
        let missing = missing
            .or_else(|| needs::check_feature(range, "unsized-parameter", module).filter(|_| is_unsized));
        if missing.is_some() {
            return missing;
        }
    }
    let pointer = param.pointer.as_ref().and_then(|_| needs::check_directive(range, ".ptr", module));
    pointer.or_else(|| needs_of_type(param.ty, range, module))
}

/// The space of kernel parameters is limited.
fn parameter_space(function: &Function, module: &ModuleTarget) -> Option<Problem> {
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

fn needs_of(variable: &Variable, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    let linkage = match variable.linkage {
        Some(Linkage::Weak) => needs::check_directive(range, ".weak", module),
        Some(Linkage::Common) => needs::check_directive(range, ".common", module),
        _ => None,
    };
    linkage
        .or_else(|| needs_of_type(variable.ty, range, module))
        .or_else(|| needs_of_value(variable.initializer.as_ref()?, range, module))
}

fn needs_of_type(ty: Option<Type>, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    match ty? {
        Type::B128 => needs::check_feature(range, ".b128", module),
        Type::F16x2 => needs::check_feature(range, ".f16x2", module),
        Type::Samplerref if is_unified(module) => {
            let message = "separate samplers need the option `texmode_independent`; add it to `.target`";
            Some(Problem::error(range, codes::INVALID_DECLARATION, message))
        }
        ty if ty.kind() == TypeKind::Opaque => needs::check_feature(range, "opaque", module),
        _ => None,
    }
}

fn is_unified(module: &ModuleTarget) -> bool {
    module.architecture.is_some() && !module.options.iter().any(|option| option == "texmode_independent")
}

/// Of several values with a requirement, the first is reported.
fn needs_of_value(value: &Initializer, range: TextRange, module: &ModuleTarget) -> Option<Problem> {
    match value {
        Initializer::List(values) => {
            let mut addresses = values
                .iter()
                .filter(|value| matches!(value, Initializer::Address { .. } | Initializer::List(_)));
            addresses.find_map(|value| needs_of_value(value, range, module))
        }
        Initializer::Address { mask: Some(_), .. } => needs::check_feature(range, "mask-initialiser", module),
        Initializer::Address { generic: true, .. } => {
            needs::check_feature(range, "generic-initialiser", module)
        }
        Initializer::Address { .. } => needs::check_feature(range, "address-initialiser", module),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

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
    fn initial_values() {
        check(
            "\
.version 8.0
.target sm_90
.global .u32 a = {1};
.global .u32 b[2] = 1;
.global .u32 c[2] = {1, 2, 3};
.global .u32 d[2][2] = {{1, 2}, {3, 4}};
.global .u32 e[2][2] = {1, 2, 3, 4};
.global .f32 f = 1;
.global .u32 g = 1.5;
.global .b32 h = 1.5;
.global .f16 i = 1.5;
.shared .u32 j = 1;
.extern .global .u32 k = 1;
.global .v2 .u32 l = {1, 2, 3};
.global .u64 m = a + 4;
.global .u16 n = a;
.global .u8 o[2] = {0xff(a), 0xff00(a)};
.global .u8 p = 0x0f(a);
.global .u64 q = a - 4;
.global .u64 r = j;
.global .u64 s = generic(function);
",
            expect![[r#"
                3:`{1}` Error invalid-initializer: braces are allowed around the values of an array or vector only; this is one value
                4:`1` Error invalid-initializer: write the values of an array or vector in braces, `{ }`
                5:`3` Error invalid-initializer: too many initial values: 3 values for 2 elements; remove some or enlarge the array
                7:`4` Error invalid-initializer: too many initial values: 4 values for 2 elements; remove some or enlarge the array
                8:`1` Error invalid-initializer: `.f32` needs a float here; write `1.0` instead of `1`
                9:`1.5` Error invalid-initializer: `.u32` needs an integer here; a `.b` type takes the bits of a float
                11:`= 1.5` Error invalid-initializer: `.f16` cannot be initialized; declare `.b16` and write the bits
                12:`= 1` Error invalid-initializer: variables in `.shared` cannot be initialized; store the value when the kernel runs
                13:`= 1` Error invalid-initializer: an `.extern` variable cannot be initialized here; initialize it in the module that defines it
                14:`{1, 2, 3}` Error invalid-initializer: this vector takes exactly 2 values
                16:`a` Error invalid-initializer: `.u16` cannot hold an address; use `.u64` or `.u32`, or `.u8` with a mask such as `0xff(name)`
                18:`0x0f(a)` Error invalid-initializer: `0xf` does not mask one byte; use `0xff`, `0xff00` and so on
                19:`a - 4` Error invalid-initializer: not an address; write `name`, `generic(name)`, or one of these `+ number`
                20:`j` Error invalid-initializer: `j` is in `.shared`; an initial value can be an address in `.global` or `.const`
                21:`function` Error unresolved-name: undeclared name `function`
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
    fn what_the_module_is_too_old_for() {
        check(
            "\
.version 3.0
.target sm_20
.weak .global .b32 a;
.common .global .b32 b;
.func c(.param .b8 x[]) { ret; }
.global .b128 d;
.global .u64 e = generic(a);
",
            expect![[r#"
                3:`a` Error needs-version: `.weak` needs PTX 3.1 or later; this module is written in PTX 3.0
                4:`b` Error needs-version: `.common` needs PTX 5.0 or later; this module is written in PTX 3.0
                5:`x` Error needs-version: an array parameter without a size needs PTX 6.0 or later; this module is written in PTX 3.0
                6:`d` Error needs-version: the type `.b128` needs PTX 8.3 or later; this module is written in PTX 3.0
                7:`e` Error needs-version: `generic( )` in an initial value needs PTX 3.1 or later; this module is written in PTX 3.0
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
    fn predefined_names() {
        check(
            "\
.version 8.0
.target sm_90
.global .b32 %tid;
.global .b32 %envreg<2>;
.func %clock() { ret; }
.entry %laneid(.param .b32 %smid) {
    .reg .b32 %tid;
    .shared .b32 %gridid;
%warpid:
    ret;
}
.global .b32 WARP_SZ;
.entry k(.param .b32 WARP_SZ) { ret; }
.func f() {
    .reg .b32 WARP_SZ;
    ret;
}
.func g() {
WARP_SZ:
    ret;
}
",
            expect![[r#"
                3:`%tid` Error duplicate-name: `%tid` is a special register; choose another name
                5:`%clock` Error duplicate-name: `%clock` is a special register; choose another name
                6:`%laneid` Error duplicate-name: `%laneid` is a special register; choose another name
                12:`WARP_SZ` Error syntax-error: `WARP_SZ` is a predefined constant; choose another name
                13:`WARP_SZ` Error syntax-error: `WARP_SZ` is a predefined constant; choose another name
                15:`WARP_SZ` Error syntax-error: `WARP_SZ` is a predefined constant; choose another name
                19:`WARP_SZ` Error syntax-error: `WARP_SZ` is a predefined constant; choose another name
            "#]],
        );
    }

    #[test]
    fn numbers_beyond_64_bits() {
        check(
            "\
.version 8.0
.target sm_90
.global .u64 a = 18446744073709551615;
.global .u64 b = 18446744073709551617;
.global .u64 c = 0x1ffffffffffffffff;
.global .u64 d = 99999999999999999999;
.global .u64 e = 0xffffffffffffffff0;
.global .u8 f[18446744073709551617];
.entry k() .maxntid 18446744073709551617 {
    .reg .b64 %r<18446744073709551618>;
    mov.b64 %r1, 36893488147419103233;
    ret;
}
",
            expect![[r#"
                4:`18446744073709551617` Warning invalid-constant: this number does not fit into 64 bits; the assembler cuts it off to 1
                5:`0x1ffffffffffffffff` Warning invalid-constant: this number does not fit into 64 bits; the assembler cuts it off to 18446744073709551615
                6:`99999999999999999999` Error syntax-error: this number is too large; an integer has 64 bits
                7:`0xffffffffffffffff0` Error syntax-error: this number is too large; an integer has 64 bits
                8:`18446744073709551617` Warning invalid-constant: this number does not fit into 64 bits; the assembler cuts it off to 1
                9:`18446744073709551617` Warning invalid-constant: this number does not fit into 64 bits; the assembler cuts it off to 1
                10:`18446744073709551618` Warning invalid-constant: this number does not fit into 64 bits; the assembler cuts it off to 2
                11:`36893488147419103233` Warning invalid-constant: this number does not fit into 64 bits; the assembler cuts it off to 1
            "#]],
        );
    }
}
