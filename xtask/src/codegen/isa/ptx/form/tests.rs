use super::*;

const ENTRY: &str = r#"
    id = "ld"
    section = "1"
    since = "1.0"
    target = "sm_10"
    simulation = "simulated"
    summary = "Loads."
    syntax = ["ld{.ss}{.vec}.type d, [a]"]
    modifiers = [
        { class = "ss", values = ".global .shared .shared::cta", optional = true },
        { class = "vec", values = ".v2 .v4", optional = true },
        { class = "mode", values = ".lo .wide" },
        { class = "type", values = ".u32 .f32" },
    ]
    operands = [
        { name = "d", role = "write", kinds = "reg", type = "type+*vec" },
        { name = "p", role = "write", kinds = "pred" },
        { name = "a", role = "read", kinds = "address" },
        { name = "b", role = "read", kinds = "reg imm" },
    ]
    semantics = "d = *a"
    measured = [{ code = "ld.u32 %r1, [a];", since = "2.3", target = "sm_20" }]
    example = { target = "sm_75", version = "6.3", code = "ld.u32 %r1, [a];" }
"#;

/// The source of the forms, or the mistake in them.
fn rendered(forms: &str) -> String {
    let mut entry: Instruction = toml::from_str(ENTRY).unwrap();
    entry.forms = forms.to_owned();
    match Shared::default().forms(&entry, "ld", |name| ["pred", "shared", "b64"].contains(&name)) {
        Ok(source) => source,
        Err(why) => format!("{why:#}"),
    }
}

fn has(forms: &str, piece: &str) {
    let source = rendered(forms);
    assert!(source.contains(piece), "{piece}\nis not in\n{source}");
}

#[test]
fn slots_say_their_class_and_whether_they_may_be_absent() {
    has("ld{.ss}.type d", r#"Slot { class: "ss", values: &VALUES_0, optional: true, leads: false }"#);
    has("ld!.lo.type d", r#"Slot { class: "mode", values: &VALUES_0, optional: false, leads: true }"#);
    has("ld{.ss(global shared)}.u32 d, a", r#"text: "ld{.{global,shared}}.u32 d, [a]""#);
}

#[test]
fn operands_take_their_type_and_length_from_the_entry_or_the_form() {
    has("ld{.vec}.type d", "ty: OperandType::AtLeast(1), length: Length::Slot(0, 1)");
    has("ld.type d", "ty: OperandType::AtLeast(0), length: Length::One");
    has("ld.type d:b64*4", "ty: OperandType::Fixed(\"b64\"), length: Length::Exactly(4)");
    has("ld!.wide.type d:wide(type)", "ty: OperandType::Wide(1)");
    has("ld{.ss}.type d, a", "kinds: &[OperandKind::Address], ty: OperandType::Slot(0)");
    has("ld.type d, a:shared", "ty: OperandType::Fixed(\"shared\")");
    has("ld.type d|p?, b/imm(0..15)?", "second: Some((1, true))");
    has("ld.type d|p?, b/imm(0..15)?", "optional: true, range: Some((0, 15)), step: 1");
    has("ld.type d, b/reg+imm(32..1024/32)", "range: Some((32, 1024)), step: 32");
}

#[test]
fn gates_are_alternatives_of_a_version_and_a_target() {
    has("ld.type d", "gate: Gate(&[])");
    has(
        "@ 8.0 sm_90\nld.type d",
        "Gate(&[Need { since: Version::new(8, 0), target: TargetNeed::AtLeast(90) }])",
    );
    has(
        "ld.type d @ 9.2 sm_107f | 9.3 sm_120a",
        "target: TargetNeed::Family(107) }, Need { since: Version::new(9, 3)",
    );
    has("ld.type d until 6.4 sm_70", "removed: Some(Need { since: Version::new(6, 4)");
}

#[test]
fn every_mistake_names_the_form_and_the_word() {
    let says =
        |form: &str, message: &str| assert_eq!(rendered(form), format!("the form `{form}`: {message}"));
    says("st.type d", "it does not begin with `ld`");
    says("ld.s32 d", "`.s32` is neither a class nor a modifier of the entry");
    says("ld.type(s32) d", "`.s32` is not in the class `type`");
    says("ld.lo(x) d", "`lo` is no class of the entry");
    says("ld{.ss d", "a `{` is not closed");
    says("ld.type q", "the operand `q`: `q` is no operand of the entry");
    says("ld.type d:wide(mode)", "the operand `d:wide(mode)`: the form has no `mode`");
    says("ld.type d @ 8", "`8` is neither a version nor a target");
    assert_eq!(rendered("ld.type d:q32"), "`q32` in a form is neither a class, a type nor a state space");
}
