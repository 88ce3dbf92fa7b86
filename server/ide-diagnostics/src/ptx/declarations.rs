//! Finds the declarations of an item that break a rule which depends on the module's version or target. The other rules are
//! checked by lowering.

use text_size::TextRange;
use warplens_hir::ptx::{
    Declaration, DeclarationKind, Dimension, Function, FunctionKind, Header, Initializer, Linkage, Parameter,
    Signature, Space, SymbolKind, Type, TypeKind, Variable,
};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_isa::ptx as isa;

use crate::codes;
use crate::ptx::{invalid_declaration, memory_limits, needs, removed_directive};

/// Checks the declarations outside of functions.
pub(super) fn check_module(header: &Header, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for Declaration { name, name_range, kind } in &header.declarations {
        if let DeclarationKind::Variable(variable) = kind
            && of_module(variable, *name_range, module).is_none()
        {
            problems.extend(needs_of(variable, *name_range, module));
            problems.extend(invalid_declaration::texture_reference(variable, *name_range));
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
            Some(invalid_declaration::outside_of_functions(variable, range))
        }
        Space::Tex => removed_directive::check(".tex", "declare `.global .texref`", range, module),
        _ => None,
    }
}

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
    if let Some(first) = params.first().filter(|_| is_kernel) {
        problems.extend(needs::check_feature(first.range, "kernel-parameters", module));
    }
    for param in returns.iter().chain(params) {
        problems.extend(needs_of_parameter(param, is_kernel, module));
    }
    if is_kernel {
        problems.extend(invalid_declaration::parameter_space(function, module));
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
        Type::Samplerref if is_unified(module) => Some(invalid_declaration::separate_sampler(range)),
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
        Initializer::Address { mask: Some(_), .. } => needs::check_feature(range, "mask-initializer", module),
        Initializer::Address { generic: true, .. } => {
            needs::check_feature(range, "generic-initializer", module)
        }
        Initializer::Address { .. } => needs::check_feature(range, "address-initializer", module),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

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
