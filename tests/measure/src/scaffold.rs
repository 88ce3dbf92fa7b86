//! The module around generated statements: registers of every type, a variable in every space, and a label.

use std::fmt::Write;

use warplens_isa::Version;
use warplens_isa::ptx::{self, TypeKind};

/// The text before and after the statements.
pub(crate) struct Scaffold {
    pub(crate) head: String,
    pub(crate) tail: &'static str,
}

const REGISTERS: usize = 300;

/// The types of the declared registers, without dots.
pub(crate) fn declarable() -> Vec<&'static str> {
    let types = ptx::types().iter().filter(|ty| ty.storage.is_none() && ty.kind != TypeKind::Opaque);
    types.map(|ty| ty.name.trim_start_matches('.')).collect()
}

pub(crate) fn register(ty: &str, number: usize) -> String {
    format!("%{ty}_{}", number % REGISTERS)
}

/// The variable in a state space.
pub(crate) fn variable(space: &str) -> Option<&'static str> {
    Some(match space.split("::").next()? {
        "global" => "g_var",
        "shared" => "s_var",
        "const" => "c_var",
        "local" => "l_var",
        "param" => "p_in",
        _ => return None,
    })
}

/// The module for a version and a target. Registers of types that these do not support are not declared.
pub(crate) fn scaffold(version: Version, target: &str) -> Scaffold {
    let mut head = format!(".version {version}\n.target {target}\n.address_size 64\n");
    for space in ["global", "const", "shared"] {
        let name = variable(space).unwrap_or_default();
        let _ = writeln!(head, ".{space} .align 16 .b8 {name}[256];");
    }
    head += ".global .texref t_ref;\n.global .surfref surf_ref;\n";
    head += ".visible .entry kernel(.param .b64 p_in) {\n.local .align 16 .b8 l_var[256];\n";
    let number = ptx::target(target).map_or(0, |target| target.number);
    for ty in declarable() {
        let needed = ptx::type_(&format!(".{ty}")).map_or(Version::new(1, 0), |ty| ty.since);
        let since = match ty {
            "f16" | "f16x2" => 53,
            "b128" => 70,
            _ => 0,
        };
        if version >= needed && number >= since {
            let _ = writeln!(head, ".reg .{ty} %{ty}_<{REGISTERS}>;");
        }
    }
    Scaffold { head, tail: "Lend:\nret;\n}\n" }
}
