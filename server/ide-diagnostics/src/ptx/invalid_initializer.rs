//! `invalid-initializer`: an initial value that does not fit its variable. `invalid_declaration` has the messages of the mistakes that
//! lowering finds.

use warplens_hir::ptx::{DeclarationKind, Header, Initializer, Space};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::module_scope::ModuleScope;
use crate::ptx::needs;

/// An address as initial value: of something that has an address when the module is loaded.
pub(super) fn address(scope: &ModuleScope<'_>, header: &Header, value: &Initializer) -> Option<Problem> {
    let Initializer::Address { symbol, offset, generic, .. } = value else { return None };
    let range = header.uses.iter().find(|used| used.name == *symbol)?.range;
    let error = |message: String| Some(Problem::error(range, codes::INVALID_INITIALIZER, message));
    match scope.found(symbol)? {
        DeclarationKind::Variable(variable) if !matches!(variable.space, Space::Global | Space::Const) => {
            let space = variable.space.name();
            error(format!(
                "`{symbol}` is in `.{space}`; an initial value can be an address in `.global` or `.const`"
            ))
        }
        DeclarationKind::Function { .. } if *generic => {
            error(format!("`{symbol}` is a function, whose address is generic; remove `generic( )`"))
        }
        DeclarationKind::Function { .. } if *offset != 0 => {
            error(format!("`{symbol}` is a function; its address cannot have an offset"))
        }
        DeclarationKind::Function { .. } => needs::check_feature(range, "function-initializer", scope.module),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

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
}
