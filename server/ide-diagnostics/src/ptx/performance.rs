//! Checks the directives between the parameters and the body of a function. At most one problem is reported for each.

use warplens_hir::ptx::{Function, FunctionKind, SymbolKind};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_isa::ptx as isa;
use warplens_isa::ptx::Holder;

use crate::ptx::directive_list::{List, word};
use crate::ptx::{
    beyond_limits, conflicting_directives, deprecated_form, ignored_directive, invalid_value,
    misplaced_directive, needs, removed_directive,
};

pub(super) fn check(function: &Function, text: &str, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    let holder = match function.kind {
        FunctionKind::Entry => Holder::Entry,
        FunctionKind::Func => Holder::Func,
    };
    let has_body = function.body.is_some();
    let list = List { signature: &function.signature, holder, has_body, text, module };
    list.check(problems);
    if let Some(first) = function.signature.directives.first()
        && function.body.is_none()
        && (holder == Holder::Entry || list.has("language"))
    {
        problems.push(misplaced_directive::without_body(first.range));
        return;
    }
    if holder == Holder::Entry {
        beyond_limits::check(&function.signature, module, problems);
    }
    for symbol in function.symbols() {
        if let SymbolKind::Prototype(signature) = &symbol.kind {
            List { signature, holder: Holder::Prototype, has_body: false, text, module }.check(problems);
        }
    }
}

impl List<'_> {
    fn check(&self, problems: &mut Vec<Problem>) {
        for (index, written) in self.signature.directives.iter().enumerate() {
            let Some(known) = isa::directive(&format!(".{}", written.name)) else { continue };
            let problem = misplaced_directive::on_function(self, known, written, index)
                .or_else(|| removed_directive::on_function(self, known, written))
                .or_else(|| needs::check_directive(word(written), known.name, self.module))
                .or_else(|| invalid_value::on_function(self, known, written))
                .or_else(|| ignored_directive::repeated(self, known, written, index))
                .or_else(|| conflicting_directives::on_function(self, known, written, index))
                .or_else(|| ignored_directive::alone(self, known, written))
                .or_else(|| deprecated_form::directive(self, known, written));
            problems.extend(problem);
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn what_a_kernel_takes() {
        check(
            "\
.version 9.4
.target sm_90
.entry a() .maxntid 64 .reqntid 64 { ret; }
.entry b() .minnctapersm 2 { ret; }
.entry c() .maxntid 64 .maxnctapersm 2 { ret; }
.entry d() .maxntid 0 { ret; }
.entry e() .maxntid 2+2 { ret; }
.entry f() .maxnreg 8, 8 { ret; }
.entry g() .noreturn { ret; }
.entry h() .blocksareclusters .reqntid 32 { ret; }
.entry i() .maxclusterrank 4 .reqnctapercluster 2 { ret; }
.entry j() .language 11 { ret; }
.entry k() .language \"pxt\" { ret; }
.entry l() .maxntid 16;
.entry n() .maxntid 32, 1, -3 { ret; }
.entry o() .maxnreg (-5) { ret; }
.entry m() .maxntid 64 .maxntid 32 .minperctamemory 0 .explicitcluster { ret; }
",
            expect![[r#"
                3:`.reqntid` Error conflicting-directives: `.reqntid` and `.maxntid` are mutually exclusive; remove one of them
                    3:`.maxntid` the other directive
                4:`.minnctapersm` Warning ignored-directive: the assembler ignores `.minnctapersm` without `.maxntid` or `.reqntid`; add it
                5:`.maxnctapersm` Error removed-directive: `.maxnctapersm` was removed in PTX 2.1; use `.minnctapersm`
                6:`.maxntid 0` Error invalid-value: the numbers of `.maxntid` must be at least 1; with 0, every launch fails
                7:`.maxntid 2+2` Error invalid-value: `.maxntid` takes numbers only; an expression is not allowed here
                8:`.maxnreg 8, 8` Error invalid-value: `.maxnreg` takes one number, not 2
                9:`.noreturn` Error misplaced-directive: `.noreturn` is not allowed on a kernel; it is allowed on functions and `.callprototype`
                9:`ret` Warning return-in-noreturn: a `.noreturn` function must not return: its callers rely on that; end it with `exit;` or `trap;`, or remove `.noreturn`
                    9:`.noreturn` declared here
                10:`.blocksareclusters` Error conflicting-directives: `.blocksareclusters` also needs `.reqnctapercluster`
                11:`.reqnctapercluster` Error conflicting-directives: `.reqnctapercluster` and `.maxclusterrank` are mutually exclusive; remove one of them
                    11:`.maxclusterrank` the other directive
                12:`.language 11` Error invalid-value: 11 is not a language; the numbers are 0 to 10
                13:`.language "pxt"` Error invalid-value: unknown language `pxt`; `.language` accepts unknown, ptx, nvvm, cuda c++, cuda c++ tile, tile ir, cutile python, fortran, optix
                14:`.maxntid 16` Error misplaced-directive: directives are not allowed on a declaration without a body; write them on the definition
                15:`-` Error syntax-error: a negative number is not allowed here
                16:`.maxnreg (-5)` Error invalid-value: `.maxnreg` takes numbers only; an expression is not allowed here
                17:`.maxntid 64` Warning ignored-directive: duplicate `.maxntid`; the assembler ignores this one and uses the last one, `.maxntid 32`
                    17:`.maxntid 32` the one that is used
            "#]],
        );
    }

    #[test]
    fn what_a_function_takes() {
        check(
            "\
.version 9.0
.target sm_80
.func a() .maxntid 64 { ret; }
.func (.reg .b32 r) b() .noreturn { trap; }
.func c() .abi_preserve 4 .noreturn { trap; }
.func d() .noreturn .noreturn { trap; }
.func e() .noreturn .abi_preserve 0 .abi_preserve_control 4 .language 3 { trap; }
.func f() {
p: .callprototype _ () .maxnreg 3;
    ret;
}
.func g() .pragma \"nounroll\"; { ret; }
",
            expect![[r#"
                3:`.maxntid` Error misplaced-directive: `.maxntid` is not allowed on a function; it is allowed on kernels
                4:`.noreturn` Error conflicting-directives: a `.noreturn` function cannot have a result; remove `.noreturn` or the result
                5:`.noreturn` Error misplaced-directive: `.noreturn` must precede `.abi_preserve`
                6:`.noreturn` Error misplaced-directive: duplicate `.noreturn`; remove one
                7:`.language` Error needs-version: `.language` needs PTX 9.2 or later; this module is written in PTX 9.0
                9:`.maxnreg` Error misplaced-directive: `.maxnreg` is not allowed on a `.callprototype`; it is allowed on kernels
                12:`.pragma` Error misplaced-directive: `.pragma` is allowed before the body of a kernel only; write it in the body
            "#]],
        );
    }

    #[test]
    fn what_the_module_is_too_old_for() {
        check(
            "\
.version 7.0
.target sm_75
.func f() .abi_preserve 4 { ret; }
.entry k() .reqnctapercluster 2 { ret; }
",
            expect![[r#"
                3:`.abi_preserve` Error needs-version: `.abi_preserve` needs PTX 9.0 or later; this module is written in PTX 7.0
                4:`.reqnctapercluster` Error needs-version: `.reqnctapercluster` needs PTX 7.8 or later; this module is written in PTX 7.0
            "#]],
        );
    }
}
