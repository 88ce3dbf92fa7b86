//! Documentation of PTX.

pub(crate) mod facts;
pub(crate) mod form;
pub(crate) mod matching;
pub(crate) mod ranges;

use warplens_hir::ptx::{Mnemonic, Platform};
use warplens_ide_db::any_of;
use warplens_isa::ptx;
use warplens_isa::ptx::{Directive, Instruction, Modifier, ModifierClass, Scope, SpecialRegister};
use warplens_sim_cuda::tensor::describe::describe_any;
use warplens_sim_cuda::tensor_memory::instruction_descriptor::ProductForm;

use crate::explain::page::{Page, RULE, evidence, simulation};
use crate::ptx::explain::facts::{first_clause, operand, section, status};
use crate::ptx::explain::matching::matching;

pub(crate) fn explain(name: &str) -> Option<String> {
    let name = punctuation(name.trim().trim_end_matches(';'));
    let pages = match name {
        "" => Vec::new(),
        _ if !entries(name).is_empty() => match whole_form(name) {
            Some(page) => vec![page],
            None => entries(name).into_iter().map(instruction).collect(),
        },
        _ if name.starts_with('%') || name == "WARP_SZ" => {
            vec![special_register(ptx::special_register(base(name))?)]
        }
        _ => dotted(name),
    };
    (!pages.is_empty()).then(|| pages.join(RULE))
}

/// The fields of a matrix descriptor, or of an instruction descriptor of this kind.
pub(crate) fn descriptor(bits: u64, kind: Option<&str>) -> Option<String> {
    match kind {
        None => Some(describe_any(bits)),
        Some(kind) => {
            let bits = u32::try_from(bits).ok()?;
            Some(ProductForm::from_words(kind)?.describe(bits))
        }
    }
}

/// The name of the entry for braces and guards, which a program writes differently: `{`, `@!%p1`.
fn punctuation(name: &str) -> &str {
    match name {
        "{" | "}" | "{ }" => "{}",
        _ if name.starts_with('@') && !name.starts_with("@@") => "@",
        _ => name,
    }
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    // An entry with a variant in its name, `mov@pack`, has a page by its opcode only.
    let names =
        ptx::instructions().flat_map(|entry| [entry.opcode, entry.name]).filter(|name| !name.contains('@'));
    let directives = ptx::directives().iter().map(|directive| directive.name);
    names.chain(directives).chain(ptx::special_register_names().iter().copied())
}

/// The page of a mnemonic that is a complete form, such as `ld.global.f32`.
fn whole_form(name: &str) -> Option<String> {
    let (opcode, modifiers) = name.split_once('.')?;
    if ptx::instruction(name).is_some() || ptx::instructions().any(|entry| entry.name == name) {
        return None;
    }
    let mnemonic =
        Mnemonic { opcode: opcode.into(), modifiers: modifiers.split('.').map(Into::into).collect() };
    form::form_of(&mnemonic, None)?;
    let platform = Platform::default();
    form::page(&form::Statement { mnemonic: &mnemonic, guard: None, operands: None, platform })
}

/// The entries for an opcode, a name or a whole mnemonic.
fn entries(name: &str) -> Vec<&'static Instruction> {
    if let Some(entry) = ptx::instruction(name) {
        return vec![entry];
    }
    let mut words = name.split('.');
    let opcode = words.next().unwrap_or_default();
    let modifiers: Vec<String> = words.map(|word| format!(".{word}")).collect();
    matching(opcode, &modifiers)
}

/// The pages of a word with a dot: a directive, a state space, a type, a modifier, or several of these.
fn dotted(name: &str) -> Vec<String> {
    // `@@DWARF` is the only directive without a dot.
    let is_whole = name.starts_with(['.', '@']);
    let with_dot = if is_whole { name.to_owned() } else { format!(".{name}") };
    let found =
        [ptx::directive(&with_dot).map(directive), space(&with_dot), type_(&with_dot), modifier(&with_dot)];
    let mut pages: Vec<String> = found.into_iter().flatten().collect();
    pages.extend(pragma(name));
    if pages.is_empty() {
        pages.extend(part_of_names(&with_dot));
    }
    pages
}

pub(crate) fn instruction(entry: &'static Instruction) -> String {
    let facts = [
        format!("PTX {}{}", entry.since, in_parentheses(entry.since_note)),
        first_clause(entry.target).to_owned(),
        entry.category.title.to_lowercase(),
        section(entry.section),
        status(entry.status).to_owned(),
    ];
    let mut page = Page::titled(entry.name, &facts);
    page.paragraph(entry.summary);
    page.code("ptx", entry.syntax);
    page.list("Operands", entry.operands.iter().map(operand));
    page.list("Modifiers, in order", entry.modifiers.iter().map(class));
    page.titled_code("Computes", "text", &entry.semantics.join("\n"));
    page.list("Notes", entry.notes);
    if !entry.divergence.is_empty() {
        page.paragraph(&format!("**Lanes.** {}", entry.divergence));
    }
    if first_clause(entry.target) != entry.target {
        page.paragraph(&format!("**Targets.** {}", entry.target));
    }
    page.paragraph(&simulation(entry.simulation));
    page.paragraph(evidence(entry.evidence));
    page.titled_code("Example", "ptx", entry.example.code);
    page.finish()
}

fn in_parentheses(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!(" ({note})") }
}

fn class(class: &ModifierClass) -> String {
    let values: Vec<String> = class.values.iter().map(|value| format!("`{}`", value.name)).collect();
    let optional = if class.optional { " (optional)" } else { "" };
    let about = if class.summary.is_empty() { String::new() } else { format!(": {}", class.summary) };
    format!("{}{optional}{about}", values.join(" "))
}

pub(crate) fn directive(directive: &Directive) -> String {
    let facts = [
        format!("PTX {}{}", directive.since, in_parentheses(directive.since_note)),
        if directive.target == "all" { String::new() } else { directive.target.to_owned() },
        format!("{} directive", directive.group),
        section(directive.section),
        status(directive.status).to_owned(),
    ];
    let mut page = Page::titled(directive.name, &facts);
    page.paragraph(directive.summary);
    page.code("ptx", directive.syntax);
    page.list("Where", directive.places);
    page.list("Needs", directive.requires);
    page.list("Mutually exclusive with", directive.conflicts);
    page.list("Notes", directive.notes);
    page.titled_code("Example", "ptx", directive.example);
    page.finish()
}

/// The page of a state space, or of a part of one.
pub(crate) fn space(name: &str) -> Option<String> {
    let space = ptx::state_space(name)?;
    let mut page = Page::titled(name, &["PTX".into(), "state space".into()]);
    page.paragraph(space.summary);
    if let Some(part) = space.parts.iter().find(|part| part.name == name) {
        page.paragraph(part.summary);
    }
    let addresses = if space.addressable { "Its variables have addresses" } else { "Has no addresses" };
    let facts = [format!("Declared: {}", space.declared), format!("At the start: {}", space.initial)];
    let read_only = (!space.writable).then(|| "Read-only in a kernel".to_owned());
    page.list("Facts", facts.into_iter().chain([addresses.to_owned()]).chain(read_only));
    Some(page.finish())
}

pub(crate) fn type_(name: &str) -> Option<String> {
    let ty = ptx::type_(name)?;
    let bits = if ty.bits == 1 { "1 bit".to_owned() } else { format!("{} bits", ty.bits) };
    let mut page = Page::titled(name, &[format!("PTX {}", ty.since), "type".into(), bits]);
    page.paragraph(ty.summary);
    page.list("Values", ranges::of(ty));
    if let Some(storage) = ty.storage {
        page.paragraph(&format!("A type of instructions only; declare a `{storage}` register for it."));
    } else if !ty.registers.is_empty() {
        let registers = any_of(ty.registers.iter().map(|name| format!("`{name}`")));
        page.paragraph(&format!("Values are in registers of {registers}."));
    }
    Some(page.finish())
}

/// The page of a modifier alone, with all its meanings.
pub(crate) fn modifier(name: &str) -> Option<String> {
    let meanings = ptx::modifier(name);
    let first = meanings.first()?;
    let mut page = Page::titled(name, &["PTX".into(), "modifier".into()]);
    match meanings.len() {
        1 => page.paragraph(first.summary),
        _ => page.list("Meanings", meanings.iter().map(|meaning| meaning.summary)),
    }
    let mut users: Vec<&str> =
        ptx::instructions().filter(|entry| entry.accepts(name)).map(|entry| entry.name).collect();
    users.dedup();
    const SHOWN: usize = 16;
    let more = if users.len() > SHOWN { format!(" and {} more", users.len() - SHOWN) } else { String::new() };
    let names: Vec<String> = users.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    page.paragraph(&format!("Accepted by {}{more}.", names.join(", ")));
    Some(page.finish())
}

/// The page of a word that only occurs within names or modifiers: `.st` of `multimem.st`.
fn part_of_names(word: &str) -> Option<String> {
    let has_word = |value: &Modifier| value.name.split('.').any(|part| word.strip_prefix('.') == Some(part));
    let in_name = |entry: &Instruction| {
        entry.words.contains(&word).then(|| format!("`{}`: {}", entry.name, entry.summary))
    };
    let in_value = |entry: &Instruction| {
        let value = entry.modifiers.iter().flat_map(|class| class.values).find(|value| has_word(value))?;
        Some(format!("`{}` of `{}`: {}", value.name, entry.name, value.summary))
    };
    let in_form = |entry: &Instruction| {
        let form = entry.forms.iter().find(|form| {
            let values = form.slots.iter().flat_map(|slot| slot.values);
            values.flat_map(|value| value.words).any(|have| *have == word)
        })?;
        Some(format!("`{}`: {}", form.text, entry.summary))
    };
    let uses = |entry: &Instruction| in_name(entry).or_else(|| in_value(entry)).or_else(|| in_form(entry));
    let found: Vec<String> = ptx::instructions().filter_map(uses).collect();
    if found.is_empty() {
        return None;
    }
    let mut page = Page::titled(word, &["PTX".into(), "part of longer words".into()]);
    page.list("Used in", found);
    Some(page.finish())
}

fn pragma(name: &str) -> Option<String> {
    let pragma = ptx::pragma(name)?;
    let mut page = Page::titled(name, &[format!("PTX {}", pragma.since), "pragma".into()]);
    page.paragraph(pragma.summary);
    page.list("Where", pragma.places);
    page.titled_code("Example", "ptx", pragma.example);
    Some(page.finish())
}

/// A name without its component: `%tid` of `%tid.x`.
fn base(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

pub(crate) fn special_register(register: &SpecialRegister) -> String {
    let components: Vec<String> = register.components.iter().map(|name| format!("`.{name}`")).collect();
    let facts = [
        format!("PTX {}{}", register.since, in_parentheses(register.since_note)),
        if register.target == "all" { String::new() } else { register.target.to_owned() },
        format!("`.{}` special register", register.ty),
        components.join(" "),
        section(register.section),
    ];
    let mut page = Page::titled(register.name, &facts);
    page.paragraph(register.summary);
    let mut facts = vec![same_for(register.scope).to_owned()];
    if !register.range.is_empty() {
        facts.push(format!("Values: {}", register.range));
    }
    if !register.simulator.is_empty() {
        facts.push(format!("In the simulator: {}", register.simulator));
    }
    page.list("Facts", facts);
    page.list("Notes", register.notes);
    page.titled_code("Example", "ptx", register.example.code);
    page.finish()
}

fn same_for(scope: Scope) -> &'static str {
    match scope {
        Scope::Thread => "Each thread reads its own value: lanes can diverge at a branch on it",
        Scope::Warp => "The same for all threads of a warp",
        Scope::Cta => "The same for all threads of a CTA",
        Scope::Cluster => "The same for all threads of a cluster",
        Scope::Grid => "The same for all threads of a launch",
        Scope::Device => "Determined by the device, not by the program",
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(name: &str, expect: Expect) {
        expect.assert_eq(&explain(name).unwrap_or_else(|| "nothing".into()));
    }

    fn check_matching(mnemonic: &str, expect: Expect) {
        let ids: Vec<&str> = entries(mnemonic).iter().map(|entry| entry.id).collect();
        expect.assert_eq(&ids.join(" "));
    }

    #[test]
    fn an_instruction() {
        check(
            "bra",
            expect![[r#"
                **`bra`** · PTX 1.0 · sm_10 · control flow · §9.7.14.3

                Branches to a label of the same function.

                ```ptx
                {@p} bra{.uni} label
                ```

                **Operands**

                - `label` read: label · label

                **Modifiers, in order**

                - `.uni` (optional): The promise that the branch is uniform.

                **Computes**

                ```text
                if guard: pc = tgt
                ```

                **Notes**

                - The target is a label of the same function; PTX has no branch to an address in a register.
                - An indirect branch, bra to a register, was introduced in PTX 2.1, never implemented and removed: it is no longer accepted; use brx.idx with a table of labels.

                **Lanes.** Under a guard that differs between lanes the branch diverges. With .uni all active lanes must agree, else it is undefined.

                **Known from** runs on a GPU: kernels with it leave the same memory there.

                **Example**

                ```ptx
                setp.lt.u32 %p1, %r1, %r2;
                @%p1 bra L1;
                mov.u32 %r3, 1;
                L1:
                bra.uni L2;
                L2:
                ```"#]],
        );
    }

    #[test]
    fn a_directive() {
        check(
            ".reqntid",
            expect![[r#"
                **`.reqntid`** · PTX 2.1 · performance directive · §11.4.3

                Sets how many threads a CTA must have, in x, y and z.

                ```ptx
                .reqntid nx{, ny{, nz}}
                ```

                **Where**

                - entry, between parameter list and body

                **Mutually exclusive with**

                - .maxntid

                **Notes**

                - Omitted dimensions are 1. A launch with other sizes fails.
                - Since PTX 2.1, for all targets.

                **Example**

                ```ptx
                .version 6.3
                .target sm_75
                .address_size 64
                .visible .entry k() .reqntid 128 { ret; }
                ```"#]],
        );
    }

    #[test]
    fn a_special_register() {
        check(
            "%laneid",
            expect![[r#"
                **`%laneid`** · PTX 1.3 · `.u32` special register · §10.3

                The position of this thread in its warp, from 0 to 31.

                **Facts**

                - Each thread reads its own value: lanes can diverge at a branch on it
                - Values: 0 .. WARP_SZ-1
                - In the simulator: thread number % 32

                **Example**

                ```ptx
                mov.u32 %r1, %laneid;
                ```"#]],
        );
        check(
            "%tid.x",
            expect![[r#"
                **`%tid`** · PTX 1.0 (.u32 since 2.0) · `.u32` special register · `.x` `.y` `.z` `.w` · §10.1

                The position of this thread in its CTA, in x, y and z.

                **Facts**

                - Each thread reads its own value: lanes can diverge at a branch on it
                - Values: 0 .. %ntid-1 per dimension; unused dimensions read 0
                - In the simulator: thread t = x + y\*ntid.x + z\*ntid.x\*ntid.y is lane t % 32 of warp t / 32

                **Notes**

                - The .w component reads 0.
                - Before PTX 2.0 it was a .v4.u16; mov.u16 and cvt.u16 of a component still read its low half.
                - mov.v4.u32 reads all components; without one it cannot be read otherwise.

                **Example**

                ```ptx
                mov.u32 %r1, %tid.x;
                mov.u32 %r2, %tid.y;
                mov.u16 %h1, %tid.z;
                ```"#]],
        );
    }

    #[test]
    fn words_with_a_dot() {
        check(
            ".u32",
            expect![[r#"
                **`.u32`** · PTX 1.0 · type · 32 bits

                Unsigned 32-bit integer.

                **Values**

                - 0 to 4294967295

                Values are in registers of `.u32`, `.s32`, `.f16x2` or `.b32`.

                ---

                **`.u32`** · PTX · modifier

                Unsigned 32-bit integer.

                Accepted by `add`, `sub`, `mul`, `mad`, `mul24`, `mad24`, `sad`, `div`, `rem`, `min`, `max`, `bfind`, `bfe`, `szext`, `dp4a`, `dp2a` and 70 more."#]],
        );
        check(
            ".shared::cluster",
            expect![[r#"
                **`.shared::cluster`** · PTX · state space

                Shared memory: one copy for each CTA; other CTAs of the cluster can reach it.

                The shared memory of any CTA of the cluster; the address carries the CTA's rank.

                **Facts**

                - Declared: module or function
                - At the start: undefined
                - Its variables have addresses

                ---

                **`.shared::cluster`** · PTX · modifier

                The shared memory of any CTA of the cluster; the address carries the CTA's rank.

                Accepted by `ld`, `st`, `st.async`, `isspacep`, `cvta`, `mapa`, `getctarank`, `cp.async.bulk`, `cp.reduce.async.bulk`, `cp.async.bulk.tensor`, `fence.proxy`, `atom`, `red`, `red.async`, `mbarrier.expect_tx`, `mbarrier.complete_tx` and 3 more."#]],
        );
        check(
            ".rn",
            expect![[r#"
                **`.rn`** · PTX · modifier

                Rounds to the nearest value, ties to even.

                Accepted by `add`, `sub`, `mul`, `fma`, `mad`, `div`, `rcp`, `sqrt`, `add`, `sub`, `mul`, `fma`, `add`, `sub`, `fma`, `add` and 6 more."#]],
        );
    }

    #[test]
    fn the_entry_of_a_form() {
        check_matching("add.s32", expect!["add@int"]);
        check_matching("add.rn.f32", expect!["add@fp"]);
        check_matching("cp.async.bulk.tensor", expect!["cp.async.bulk.tensor"]);
        check_matching("ld.global.f32", expect!["ld"]);
    }
}
