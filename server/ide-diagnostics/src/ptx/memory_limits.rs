//! Variables that take more memory than there is: `.const` variables of a module, `.shared` variables of a kernel, and single arrays.
//!
//! [`shared_variables`] finds the `.shared` variables that a kernel declares or names; [`SharedBytes`] has the variables of the module.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx::{
    DeclarationKind, Function, FunctionKind, Header, Linkage, Space, SymbolKind, Variable,
};
use warplens_ide_db::ptx::{checked_headers, module_target};
use warplens_ide_db::{Db, File, Problem};

use crate::codes;

/// The bytes of all `.const` variables of a module.
const CONST_BYTES: u64 = 64 << 10;
/// The bytes of the `.shared` variables of a kernel whose size is known to the assembler, but for targets of one GPU, such as `sm_90a`: they
/// may have what a block of that GPU can have.
const SHARED_BYTES: u64 = 48 << 10;
/// More than the memory of any GPU.
const ARRAY_BYTES: u64 = 1 << 39;

/// The bytes that the declaration of a variable takes. The variables of `name<n>` take memory where they are used, and an `.extern` variable
/// has its memory in another module.
fn bytes(variable: &Variable) -> u64 {
    let has_memory = variable.linkage != Some(Linkage::Extern) && variable.range_count.is_none();
    if has_memory { variable.bytes() } else { 0 }
}

/// An array that no GPU has the memory for. The assembler rejects it where it writes its initial value.
pub(super) fn of_array(variable: &Variable, range: TextRange) -> Option<Problem> {
    let bytes = variable.bytes();
    if bytes <= ARRAY_BYTES || matches!(variable.space, Space::Reg | Space::Const) {
        return None;
    }
    let message = format!("this array takes {bytes} bytes, more than the memory of any GPU; reduce its size");
    Some(match variable.initializer {
        Some(_) => Problem::error(range, codes::INVALID_DECLARATION, message),
        None => Problem::warning(range, codes::BEYOND_LIMITS, message),
    })
}

/// The sum of the `.const` variables of a module, item by item.
#[derive(Default)]
pub(super) struct ConstBytes(u64);

impl ConstBytes {
    /// Reports the variable with which the sum exceeds the limit.
    pub(super) fn add(&mut self, header: &Header, problems: &mut Vec<Problem>) {
        for declaration in &header.declarations {
            let DeclarationKind::Variable(variable) = &declaration.kind else { continue };
            if variable.space != Space::Const {
                continue;
            }
            let before = self.0;
            self.0 = before.saturating_add(bytes(variable));
            if before <= CONST_BYTES && self.0 > CONST_BYTES {
                let message = format!(
                    "the `.const` variables of the module take {} bytes up to here; the limit is {CONST_BYTES}. Declare some in `.global`",
                    self.0
                );
                problems.push(Problem::error(declaration.name_range, codes::INVALID_DECLARATION, message));
            }
        }
    }
}

/// The bytes of the `.shared` variables of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharedBytes {
    /// By name. If several variables have the same name, the largest counts.
    variables: FxHashMap<SmolStr, u64>,
    /// What the variables of a kernel may take.
    limit: u64,
}

impl SharedBytes {
    pub(super) fn new(db: &dyn Db, file: File) -> Self {
        let mut variables: FxHashMap<SmolStr, u64> = FxHashMap::default();
        let declarations = checked_headers(db, file).flat_map(|(_, header)| &header.declarations);
        for declaration in declarations {
            if let DeclarationKind::Variable(variable) = &declaration.kind
                && variable.space == Space::Shared
            {
                let largest = variables.entry(declaration.name.clone()).or_default();
                *largest = bytes(variable).max(*largest);
            }
        }
        let architecture = module_target(db, file).architecture.as_ref().filter(|name| name.ends_with('a'));
        let limits = architecture.and_then(|name| warplens_isa::ptx::target(name)?.limits);
        SharedBytes { variables, limit: limits.map_or(SHARED_BYTES, |limits| limits.shared_per_cta.into()) }
    }

    pub(super) fn check_kernel(&self, shared: &SharedVariables) -> Option<Problem> {
        let of_module = |name: &SmolStr| self.variables.get(name.as_str()).copied();
        let module: u64 = shared.names.iter().filter_map(of_module).fold(0, u64::saturating_add);
        let sum = shared.own.saturating_add(module);
        if sum <= self.limit {
            return None;
        }
        let message = format!(
            "the `.shared` variables of this kernel take {sum} bytes; the limit is {}. Declare one as `.extern .shared` without a size, and give its size at the launch",
            self.limit
        );
        Some(Problem::error(shared.name_range, codes::INVALID_DECLARATION, message))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharedVariables {
    name_range: TextRange,
    own: u64,
    names: Box<[SmolStr]>,
}

/// The `.shared` variables that a kernel declares, and the names that may be such variables of the module; `None` if there are none.
pub(super) fn shared_variables(function: &Function) -> Option<SharedVariables> {
    if function.kind != FunctionKind::Entry || function.body.is_none() {
        return None;
    }
    let own = function.symbols().iter().map(|symbol| match &symbol.kind {
        SymbolKind::Variable(variable) if variable.space == Space::Shared => bytes(variable),
        _ => 0,
    });
    let own = own.fold(0, u64::saturating_add);
    // Its own name is among them, but is not a variable.
    let names = function.externals().map(|(_, name)| SmolStr::from(name));
    let names: Box<[SmolStr]> = names.filter(|name| function.name.as_ref() != Some(name)).collect();
    (own > 0 || !names.is_empty()).then_some(SharedVariables { name_range: function.name_range, own, names })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn targets_of_one_gpu_may_have_all_shared_memory_of_a_block() {
        let kernel = |target: &str, bytes: u32| {
            format!(
                ".version 9.3\n.target {target}\n.entry k() {{\n    .shared .b8 x[{bytes}];\n    st.shared.b8 [x], 0;\n    ret;\n}}\n"
            )
        };
        for (target, most) in
            [("sm_90", 49_152), ("sm_90a", 232_448), ("sm_100f", 49_152), ("sm_120a", 101_376)]
        {
            check(&kernel(target, most), expect![[""]]);
        }
        check(
            &kernel("sm_120a", 101_377),
            expect![[r#"
            3:`k` Error invalid-declaration: the `.shared` variables of this kernel take 101377 bytes; the limit is 101376. Declare one as `.extern .shared` without a size, and give its size at the launch
        "#]],
        );
    }

    #[test]
    fn shared_variables_of_a_kernel() {
        check(
            "\
.version 8.0
.target sm_90
.shared .b8 tile[40000];
.shared .b8 other[40000];
.extern .shared .b8 dynamic[];
.entry fits() {
    .shared .b8 own[9152];
    .reg .b32 %r;
    ld.shared.b32 %r, [tile];
    ld.shared.b32 %r, [own];
    ld.shared.b32 %r, [dynamic];
    ret;
}
.entry of_two() {
    .reg .b32 %r;
    ld.shared.b32 %r, [tile];
    ld.shared.b32 %r, [other];
    ret;
}
.entry own_one() {
    .shared .b32 x[12289];
    ret;
}
.func f() {
    .shared .b32 x[12289];
    ret;
}
",
            expect![[r#"
                14:`of_two` Error invalid-declaration: the `.shared` variables of this kernel take 80000 bytes; the limit is 49152. Declare one as `.extern .shared` without a size, and give its size at the launch
                20:`own_one` Error invalid-declaration: the `.shared` variables of this kernel take 49156 bytes; the limit is 49152. Declare one as `.extern .shared` without a size, and give its size at the launch
            "#]],
        );
    }

    #[test]
    fn const_variables() {
        check(
            "\
.version 8.0
.target sm_90
.const .b8 a[65532];
.extern .const .b8 b[4];
.const .b32 c;
.const .b8 d<8>;
.const .b8 e;
.const .b8 f;
",
            expect![[r#"
                7:`e` Error invalid-declaration: the `.const` variables of the module take 65537 bytes up to here; the limit is 65536. Declare some in `.global`
            "#]],
        );
    }

    #[test]
    fn arrays() {
        check(
            "\
.version 8.0
.target sm_90
.global .b8 a[100000000000];
.global .b8 b[1000000000000];
.global .b64 c[18446744073709551615];
.global .b8 d[1000000000000] = {1};
.const .b8 e[1000000000000];
.func f(.param .b8 x[4294967295], .param .b8 y[4294967296]);
.entry k(.param .b8 x[1000000000000]) {
    .local .b8 g[1000000000000];
    .shared .b8 h[1000000000000];
    ret;
}
",
            expect![[r#"
                4:`b` Warning beyond-limits: this array takes 1000000000000 bytes, more than the memory of any GPU; reduce its size
                5:`c` Warning beyond-limits: this array takes 18446744073709551615 bytes, more than the memory of any GPU; reduce its size
                6:`d` Error invalid-declaration: this array takes 1000000000000 bytes, more than the memory of any GPU; reduce its size
                7:`e` Error invalid-declaration: the `.const` variables of the module take 1000000000000 bytes up to here; the limit is 65536. Declare some in `.global`
                8:`[4294967296]` Error invalid-declaration: 4294967296 elements are too many for a parameter; their number is limited to 32 bits. Pass a pointer instead
                9:`k` Error invalid-declaration: the `.shared` variables of this kernel take 1000000000000 bytes; the limit is 49152. Declare one as `.extern .shared` without a size, and give its size at the launch
                9:`k` Error invalid-declaration: the parameters take 1000000000000 bytes; the limit for a kernel of PTX 8.0 is 4352. Pass a pointer to them instead
                9:`[1000000000000]` Error invalid-declaration: 1000000000000 elements are too many for a parameter; their number is limited to 32 bits. Pass a pointer instead
                10:`g` Warning beyond-limits: this array takes 1000000000000 bytes, more than the memory of any GPU; reduce its size
                11:`h` Warning beyond-limits: this array takes 1000000000000 bytes, more than the memory of any GPU; reduce its size
            "#]],
        );
    }
}
