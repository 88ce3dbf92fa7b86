//! Documentation of WAVE.

use warplens_ide_db::any_of;
use warplens_isa::List;
use warplens_isa::wave;
use warplens_isa::wave::{
    Availability, Directive, Instruction, Operand, OperandKind, SpecialRegister, Suffix,
};

use crate::explain::page::{Page, role, simulation};

pub(crate) fn explain(name: &str) -> Option<String> {
    let name = name.trim();
    if let Some((entry, hint)) = mnemonic(name) {
        return Some(instruction(entry, hint));
    }
    wave::directive(name)
        .map(directive)
        .or_else(|| wave::special_register(name).map(special_register))
        .or_else(|| scope(name))
        .or_else(|| Some(titled(name, "cache hint", wave::cache_hint(name)?.summary).finish()))
        .or_else(|| register(name))
        .or_else(|| invalid_name(name))
        .or_else(|| family(name))
}

/// The page of the word that starts several mnemonics: `icmp`, whose conditions are separate instructions.
fn family(name: &str) -> Option<String> {
    let is_member =
        |entry: &&Instruction| entry.mnemonic.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let members: Vec<&Instruction> = wave::instructions().filter(is_member).collect();
    let first = members.first()?;
    let mut page = Page::titled(name, &["WAVE".into(), first.category.title.to_lowercase()]);
    page.list("Instructions", members.iter().map(|entry| format!("`{}`: {}", entry.mnemonic, entry.summary)));
    Some(page.finish())
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let mnemonics = wave::instructions().flat_map(|entry| [Some(entry.mnemonic), entry.toolchain]);
    mnemonics.flatten().chain(wave::directives().iter().map(|directive| directive.name))
}

/// The instruction with a written mnemonic, and the word after it that is not part of the name: a cache hint or a
/// scope.
pub(crate) fn mnemonic(written: &str) -> Option<(&'static Instruction, Option<&str>)> {
    if let Some(entry) = wave::instruction(written) {
        return Some((entry, None));
    }
    let point = written.rfind('.')?;
    let entry = wave::instruction(&written[..point])?;
    let suffix = &written[point..];
    let fits = match entry.suffix {
        Suffix::None => false,
        Suffix::CacheHint => wave::cache_hint(suffix).is_some(),
        Suffix::Scope => wave::scope(suffix).is_some(),
    };
    fits.then_some((entry, Some(suffix)))
}

/// The page of an instruction, with the meaning of the word after its mnemonic.
pub(crate) fn instruction(entry: &Instruction, suffix: Option<&str>) -> String {
    let facts = [
        "WAVE".to_owned(),
        entry
            .toolchain
            .filter(|name| *name != entry.mnemonic)
            .map_or_else(String::new, |name| format!("toolchain `{name}`")),
        entry.category.title.to_lowercase(),
        section(entry.section),
        availability(entry.available).to_owned(),
    ];
    let mut page = Page::titled(entry.mnemonic, &facts);
    page.paragraph(entry.summary);
    page.code("wave-asm", forms(entry));
    if let Some(suffix) = suffix {
        page.paragraph(&suffix_text(suffix));
    }
    page.list("Operands", entry.operands.iter().map(operand));
    page.list("Notes", entry.notes);
    if !entry.divergence.is_empty() {
        page.paragraph(&format!("**Lanes.** {}", entry.divergence));
    }
    page.paragraph(&simulation(entry.simulation));
    page.titled_code("Example", "wave-asm", entry.example);
    if entry.toolchain_example != entry.example {
        page.titled_code("Example, in the toolchain's dialect", "wave-asm", entry.toolchain_example);
    }
    page.finish()
}

/// The forms of an instruction: the guide's, the form on predicates, and the toolchain's if it differs.
fn forms(entry: &Instruction) -> Vec<String> {
    let mut forms = vec![form(entry.mnemonic, entry.operands)];
    if !entry.predicate_operands.is_empty() {
        forms.push(form(entry.mnemonic, entry.predicate_operands));
    }
    if let Some(name) = entry.toolchain {
        let toolchain = form(name, entry.toolchain_operands);
        if !forms.contains(&toolchain) {
            forms.push(toolchain);
        }
    }
    forms
}

fn form(mnemonic: &str, operands: List<Operand>) -> String {
    let shown = operands.iter().enumerate().map(|(index, operand)| {
        let (separator, name) = (if index == 0 { " " } else { ", " }, operand.name);
        if operand.optional { format!("[{separator}{name}]") } else { format!("{separator}{name}") }
    });
    std::iter::once(mnemonic.to_owned()).chain(shown).collect()
}

/// The section of the specification, or of the guide, that describes the instruction.
fn section(section: &str) -> String {
    let is_number = section.starts_with(|c: char| c.is_ascii_digit());
    if is_number { format!("specification §{}", section.replace(", ", ", §")) } else { section.to_owned() }
}

fn suffix_text(suffix: &str) -> String {
    let summary = wave::cache_hint(suffix)
        .map(|hint| hint.summary)
        .or_else(|| wave::scope(suffix).map(|scope| scope.summary));
    format!("`{suffix}` · {}", summary.unwrap_or_default())
}

fn availability(available: Availability) -> &'static str {
    match available {
        Availability::Crates => "",
        Availability::Repository => "only in the repository's assembler",
        Availability::Nowhere => "in no assembler yet",
    }
}

pub(crate) fn operand(operand: &Operand) -> String {
    let kinds = operand.kinds.iter().map(|kind| kind_name(*kind));
    let optional = if operand.optional { ", optional" } else { "" };
    let ty = if operand.ty.is_empty() { String::new() } else { format!(" (`{}`)", operand.ty) };
    format!("`{}` {}: {}{ty}{optional}", operand.name, role(operand.role), any_of(kinds))
}

pub(crate) fn kind_name(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::General => "register",
        OperandKind::Predicate => "predicate",
        OperandKind::NotPredicate => "negated predicate `!p`",
        OperandKind::Special => "special register",
        OperandKind::Immediate => "number",
        OperandKind::Label => "label",
        OperandKind::Scope => "scope",
        OperandKind::Fragment => "fragment",
    }
}

pub(crate) fn directive(directive: &Directive) -> String {
    let mut page = titled(directive.name, "directive", directive.summary);
    page.code("wave-asm", [format!("{} {}", directive.name, directive.arguments)]);
    page.list("Notes", directive.notes);
    page.titled_code("Example", "wave-asm", directive.example);
    page.finish()
}

pub(crate) fn special_register(register: &SpecialRegister) -> String {
    let facts = ["WAVE".to_owned(), "special register".into(), availability(register.available).into()];
    let mut page = Page::titled(register.name, &facts);
    page.paragraph(register.summary);
    page.paragraph(if register.uniform {
        "The same for all lanes of a wave."
    } else {
        "Each lane reads its own value: lanes can diverge at an `if` on it."
    });
    page.titled_code("Example", "wave-asm", register.example);
    page.finish()
}

pub(crate) fn scope(name: &str) -> Option<String> {
    Some(titled(name, "scope", wave::scope(name)?.summary).finish())
}

/// The start of a page: the name, what it is, and a summary.
fn titled(name: &str, what: &str, summary: &str) -> Page {
    let mut page = Page::titled(name, &["WAVE".into(), what.into()]);
    page.paragraph(summary);
    page
}

/// The page of a general, half or predicate register.
pub(crate) fn register(name: &str) -> Option<String> {
    let class = class_of(name)?;
    let class = wave::register_classes().iter().find(|have| have.name == class)?;
    let bits =
        if class.bits == 1 { "1 bit per lane".to_owned() } else { format!("{} bits per lane", class.bits) };
    let mut page = Page::titled(name, &["WAVE".into(), format!("{} register", class.name), bits]);
    page.paragraph(class.summary);
    page.list("Notes", class.notes);
    Some(page.finish())
}

fn class_of(name: &str) -> Option<&'static str> {
    let (number, class) = match name.split_at_checked(1)? {
        ("r", rest) => match rest.split_once('.') {
            Some((number, "lo" | "hi")) => (number, "half"),
            Some(_) => return None,
            None => (rest, "general"),
        },
        ("p", rest) => (rest, "predicate"),
        _ => return None,
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(class)
}

fn invalid_name(name: &str) -> Option<String> {
    let invalid = wave::invalid_name(name)?;
    let mut page = titled(name, "not an instruction", invalid.why);
    if !invalid.write.is_empty() {
        page.paragraph(&format!("Write `{}`.", invalid.write));
    }
    Some(page.finish())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(name: &str, expect: Expect) {
        expect.assert_eq(&explain(name).unwrap_or_else(|| "nothing".into()));
    }

    #[test]
    fn an_instruction_in_both_dialects() {
        check(
            "icmp.lt",
            expect![[r#"
                **`icmp.lt`** · WAVE · toolchain `icmp_lt` · comparison and selection · specification §6.8

                Sets pd where rs1 is less than rs2, as signed integers.

                ```wave-asm
                icmp.lt pd, rs1, rs2
                icmp_lt pd, rs1, rs2
                ```

                **Operands**

                - `pd` written: predicate
                - `rs1` read: register or number (`i32`)
                - `rs2` read: register or number (`i32`)

                **Example**

                ```wave-asm
                icmp.lt p1, r2, r3
                ```

                **Example, in the toolchain's dialect**

                ```wave-asm
                icmp_lt p1, r2, r3
                ```"#]],
        );
        assert_eq!(explain("icmp.lt"), explain("icmp_lt"));
    }

    #[test]
    fn a_structure_instruction() {
        check(
            "endloop",
            expect![[r#"
                **`endloop`** · WAVE · structured control flow · specification §5.1, §6.13

                Starts the next iteration with the lanes that have not broken; when there are none, ends the loop.

                ```wave-asm
                endloop
                ```

                **Lanes.** After the last iteration all lanes that entered the loop and have not halted reconverge.

                **Example**

                ```wave-asm
                endloop
                ```"#]],
        );
    }

    #[test]
    fn words_around_the_mnemonic() {
        check(
            "device_load.u32.streaming",
            expect![[r#"
                **`device_load.u32`** · WAVE · toolchain `device_load_u32` · memory · specification §6.9

                Loads 4 bytes from device memory into rd.

                ```wave-asm
                device_load.u32 rd, addr
                device_load_u32 rd, addr
                ```

                `.streaming` · The data is used once: let it leave the caches first.

                **Operands**

                - `rd` written: register (`u32`)
                - `addr` read: register or number (`u32 byte address`)

                **Notes**

                - The address need not be aligned; a byte out of range stops the run.

                **Example**

                ```wave-asm
                device_load.u32 r1, r2
                ```

                **Example, in the toolchain's dialect**

                ```wave-asm
                device_load_u32 r1, r2
                ```"#]],
        );
        check(
            "sr_lane_id",
            expect![[r#"
                **`sr_lane_id`** · WAVE · special register

                Number of this lane in its wave, from 0.

                Each lane reads its own value: lanes can diverge at an `if` on it.

                **Example**

                ```wave-asm
                mov_sr r0, sr_lane_id
                ```"#]],
        );
        check(
            "r3.lo",
            expect![[r#"
                **`r3.lo`** · WAVE · half register · 16 bits per lane

                Half of a general register: .lo is bits 15 to 0, .hi is bits 31 to 16.

                **Notes**

                - Both assemblers accept the suffix on every register and ignore it."#]],
        );
        check(
            "p1",
            expect![[r#"
                **`p1`** · WAVE · predicate register · 1 bit per lane

                Predicate register: one bit a lane, false at the start.

                **Notes**

                - There are four, p0 to p3. Comparisons write them; guards, if, break, continue and select read them.
                - The toolchain encodes the guard @p0 as no guard at all: the instruction runs in every active lane. Use p1 to p3 in guards, or @!p0."#]],
        );
        check(
            "workgroup",
            expect![[r#"
            **`workgroup`** · WAVE · scope

            The waves of this workgroup."#]],
        );
        check(
            "ADD",
            expect![[r#"
            **`ADD`** · WAVE · not an instruction

            The instruction-set page describes a machine that was never built; mnemonics are lower case.

            Write `iadd`."#]],
        );
    }
}
