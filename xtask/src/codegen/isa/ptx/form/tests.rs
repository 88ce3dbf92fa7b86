use super::*;
use crate::codegen::isa::rust::Source;

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
        { class = "geom", values = ".1d .a2d", counts = "1 index+3" },
        { class = "hint", values = ".hint", optional = true, needs = "9.4 sm_107f" },
        { class = "shape", values = ".m64n8k16 .m64n16k16" },
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

/// The source of the forms, or the error message.
fn rendered(forms: &str) -> String {
    let mut entry: Instruction = toml::from_str(ENTRY).unwrap();
    entry.form_lines = forms.to_owned();
    let types = |name: &str| ["pred", "shared", "global", "b64"].contains(&name);
    match super::forms(&entry, types) {
        Ok(forms) => {
            let mut source = Source::new(&[("Value", "VAL")]);
            source.table("FORMS", "Form", &forms) + &source.shared_tables()
        }
        Err(why) => format!("{why:#}"),
    }
}

fn has(forms: &str, piece: &str) {
    let source = rendered(forms);
    assert!(source.contains(piece), "{piece}\nis not in\n{source}");
}

#[test]
fn slots_say_their_class_and_whether_they_may_be_absent() {
    has("ld{.ss}.type d", r#"Slot { class: "ss", values: list(&[0, 1, 2]), optional: true, ..Slot::EMPTY }"#);
    has("ld!.lo.type d", r#"Slot { class: "mode", values: list(&[0]), leads: true, ..Slot::EMPTY }"#);
    has("ld{.ss(global shared)}.u32 d, a", r#"text: "ld{.{global,shared}}.u32 d, [a]""#);
}

#[test]
fn operands_take_their_type_and_length_from_the_entry_or_the_form() {
    let vec =
        "length: Length::Product(Product { slots: &[(0, None)], factor: 1, divisor: 1, ..Product::EMPTY })";
    has("ld{.vec}.type d", &format!("ty: OperandType::AtLeast(1), {vec}"));
    has("ld.type d", "ty: OperandType::AtLeast(0), ..FormOperand::EMPTY");
    has("ld.type d:b64*4", "Fixed(\"b64\"), length: Length::Exactly(4)");
    has("ld!.wide.type d:wide(type)", "ty: OperandType::Wide(1)");
    has("ld.type d|p?, b/imm(0..15)?", "second: Some((1, true))");
}

#[test]
fn addresses_have_a_space_or_the_type_of_their_register() {
    has("ld{.ss}.type d, a", "kinds: &[OperandKind::Address], space: FormSpace::Slot(0)");
    has("ld.type d, a:shared", "kinds: &[OperandKind::Address], space: FormSpace::Fixed(\"shared\")");
    has("ld.type d, a:b64", "ty: OperandType::Fixed(\"b64\"), ..FormOperand::EMPTY");
    has("ld{.ss}.type d, b:b64>ss", "ty: OperandType::Fixed(\"b64\"), space: FormSpace::Slot(0)");
}

#[test]
fn lengths_are_computed_from_modifiers() {
    has("ld.shape d*shape.2/4", "slots: &[(0, Some(1))], factor: 1, divisor: 4, ..Product::EMPTY");
    has("ld.shape d*shape.2/4", "words: &[\".m64n8k16\"], numbers: &[64, 8, 16]");
    has("ld{.vec} d*vec*2-1/reg", "slots: &[(0, None)], factor: 2, divisor: 1, less: 1, ..Product::EMPTY");
    has("ld.geom d*geom..", "or_more: true");
    has("ld.type d*{8}", "Length::OneOrBraced(Product { factor: 8");
    has("ld{.vec}.type d*{vec}", "Length::OneOrBraced(Product { slots: &[(0, None)]");
    has("ld.geom d*geom..", "words: &[\".a2d\"], numbers: &[4], indexes: true");
    has("ld.geom d", "words: &[\".a2d\"], ..Value::EMPTY");
}

#[test]
fn constants_have_a_range() {
    has(
        "ld.type d, b/imm(0..15)?",
        "ranges: &[Range { high: Bound::Number(15), step: Step::Multiple(1), ..Range::EMPTY }]",
    );
    has("ld.type d, b/reg+imm(32..1024/32)", "high: Bound::Number(1024), step: Step::Multiple(32)");
    has("ld.type d, b/reg+imm(32..512/2^n)", "step: Step::PowerOfTwo");
    has("ld.type d, b/reg+imm(0..d)", "high: Bound::Operand(0)");
    has("ld.type d, b*2/reg+imm(0..3,0..1)", "..Range::EMPTY }, Range { high: Bound::Number(1)");
}

#[test]
fn operands_are_there_always_or_perhaps_or_with_a_modifier() {
    has("ld.type d, b", "OperandType::Slot(0), ..FormOperand::EMPTY");
    has("ld.type d, b/imm(0..15)?", "presence: Presence::Optional");
    has("ld{.hint}.type d, b?hint", "presence: Presence::With(0)");
    has("ld{.hint}.type d, b/reg?hint", "text: \"ld{.hint}.type d{, b}\"");
    has(
        "ld{.hint} d",
        "words: &[\".hint\"], availability: Availability(&[Requirement { since: Version::new(9, 4)",
    );
}

#[test]
fn brackets_hold_operands() {
    let form = "ld{.hint}.type d, [a:global, b/reg?hint]";
    has(form, "text: \"ld{.hint}.type d, [a{, b}]\"");
    has(form, "inside: &[FormOperand { index: 2, kinds: &[OperandKind::Address]");
    has(form, "presence: Presence::With(0), ..FormOperand::EMPTY }]");
}

#[test]
fn availability_is_alternatives_of_a_version_and_a_target() {
    has("ld.type d", "..Form::EMPTY");
    has(
        "@ 8.0 sm_90\nld.type d",
        "Availability(&[Requirement { since: Version::new(8, 0), target: TargetRequirement::AtLeast(90) }])",
    );
    has(
        "ld.type d @ 9.2 sm_107f | 9.3 sm_120a",
        "target: TargetRequirement::Family(107) }, Requirement { since: Version::new(9, 3)",
    );
    has("ld.type d until 6.4 sm_70", "removed: Some(Requirement { since: Version::new(6, 4)");
}

#[test]
fn every_mistake_names_the_form_and_the_word() {
    let says =
        |form: &str, message: &str| assert_eq!(rendered(form), format!("the form `{form}`: {message}"));
    says("st.type d", "it does not start with `ld`");
    says("ld.s32 d", "`.s32` is neither a class nor a modifier of the entry");
    says("ld.type(s32) d", "`.s32` is not in the class `type`");
    says("ld.lo(x) d", "`lo` is not a class of the entry");
    says("ld{.ss d", "a `{` is not closed");
    says("ld.type d, [a", "the operand `[a`: a `[` is not closed");
    says("ld.type d, b?hint", "the operand `b?hint`: the form has no `hint`");
    says("ld.type d*q", "the operand `d*q`: `q` is not a class of the entry");
    says("ld.type d, b/imm(0..q)", "the operand `b/imm(0..q)`: `q` is not an operand of the entry");
    says("ld.type q", "the operand `q`: `q` is not an operand of the entry");
    says("ld.type d:wide(mode)", "the operand `d:wide(mode)`: the form has no `mode`");
    says("ld.type d @ 8", "`8` is neither a version nor a target");
    assert_eq!(rendered("ld.type d:q32"), "`q32` in a form is neither a class, a type nor a state space");
}
