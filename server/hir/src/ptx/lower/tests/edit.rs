//! Functions that are adapted to edits equal those that are lowered as a whole.

use std::fmt::Write as _;
use std::sync::Arc;

use fastrand::Rng;
use warplens_syntax::ptx::LANGUAGE;
use warplens_syntax::{Parse, parse_item, reparse_item};

use crate::ptx::{Function, NameId, Operand, Resolution, SymbolKind};

/// A kernel of more than 64 KB with blocks, some of them longer than a chunk.
fn long_kernel() -> String {
    let mut text = String::from(
        ".entry long(.param .u64 values, .param .b32 q<3>) {\n.reg .pred %p<9>; .reg .b32 %r<99>, single; .reg .b64 %rd<20>;
.shared .b32 buffer[4]; .param .b32 out;\n",
    );
    for part in 0..150 {
        if part % 50 == 10 {
            text.push_str("{ .reg .f32 deep;\n");
        }
        let next = part + 1;
        _ = write!(
            text,
            "$L{part}:\n\t.loc 1 {part} 3\n\tadd.s32 %r1, %r{part}, {part};\n\t@%p1 bra $L{next};
\tld.global.v2.u32 {{%r3, %r04}}, [%rd2+{part}];\n\t{{ .reg .b32 %r<5>, inner;\n\tmov.u32 inner, %tid.x;
\tmov.u32 %r2, buffer;\n$M:\n\t@!%p2 bra $N; bra $M;\n\tadd.s32 %r77, %r4, -%r5;\n$N:\n\t}}
\tcall (out), f{part}, (%r1, {part});\n\tsetp.lt.and.s32 %p1|%p2, %r1, 1.5, !%p3;
\ttex.2d.v4.f32.f32 {{%r1, %r2, single, _}}, [t, {{%r1, %r2}}];\n\tst.u32 [buffer+4], 0x{part};
T{part}: .branchtargets $L{part}, $L{next};\n\tbrx.idx %r{part}, T{part};\n"
        );
        if part % 50 == 48 {
            text.push_str("}\nP: .callprototype (.param .b32 _) _ (.param .b32 a);\n");
        }
    }
    text.push_str("\tret;\n}\n");
    text
}

const INSERTED: [&str; 34] = [
    "q",
    "1",
    "7",
    "%r7",
    "%r07",
    "%r200",
    " ",
    "\n",
    "$L3",
    "$N",
    "single",
    "@%p1 ",
    "[",
    "]",
    "{",
    "}",
    ";",
    "\"",
    "/*",
    "//",
    "%tid",
    "other",
    ", ",
    "-",
    "+4",
    ".reg .b32 single;",
    "$K:",
    "!",
    "|",
    "inner",
    "buffer",
    "add.s32 %r1, %r2, 5;\n",
    "\n\tmov.b64 {%r1, %r99}, %rd4;",
    "ret",
];

/// Names of the function: some are used by its body too.
const NAMES: [&str; 9] = ["q", "long", "another", "f7", "%tid", "single", "t", "$L3", "P"];

/// All that can be asked of a function, without the numbers of entries of its tables.
fn describe(function: &Function) -> String {
    let mut out = format!(
        "{:?} {:?} {:?} {:?}\n",
        function.name, function.name_range, function.body, function.signature
    );
    let name = |id: NameId| {
        let found = function.name(id);
        let at = match found.resolution {
            Resolution::Symbol(symbol) | Resolution::Indexed { symbol, .. } => symbol.index(),
            _ => usize::MAX,
        };
        format!("{}@{id:?} {at} {:?} {:?}", function.referent_text(found.referent), found.range, found.role)
    };
    fn operand(function: &Function, one: Operand, name: &dyn Fn(NameId) -> String) -> String {
        let all = |list| {
            let inner: Vec<String> =
                function.operands(list).iter().map(|inner| operand(function, *inner, name)).collect();
            inner.join(", ")
        };
        match one {
            Operand::Register { name: id, component } => format!("register {} {component:?}", name(id)),
            Operand::Special { name: id, component } => format!("special {} {component:?}", name(id)),
            Operand::Symbol(id) => format!("symbol {}", name(id)),
            Operand::Constant(id) => format!("{:?}", function.constant(id)),
            Operand::Vector(list) => format!("vector {}", all(list)),
            Operand::Arguments(list) => format!("arguments {}", all(list)),
            Operand::Pair(list) => format!("pair {}", all(list)),
            Operand::Not(list) => format!("not {}", all(list)),
            Operand::Negated(list) => format!("negated {}", all(list)),
            Operand::Address { form, parts } => format!("{form:?} {}", all(parts)),
            Operand::Sink | Operand::Missing => format!("{one:?}"),
        }
    }
    for instruction in function.instructions() {
        let operands: Vec<String> =
            instruction.operands().iter().map(|one| operand(function, *one, &name)).collect();
        let guard = instruction.guard().map(|guard| (name(guard.name), guard.negated));
        _ = writeln!(
            out,
            "{:?} {:?} {:?} {:?} {operands:?} {guard:?} {:?}",
            instruction.id(),
            instruction.range(),
            instruction.opcode_range(),
            instruction.mnemonic(),
            instruction.scope()
        );
    }
    (0..function.names().len()).for_each(|index| _ = writeln!(out, "{}", name(NameId::new(index))));
    _ = writeln!(out, "{:?}", function.scopes());
    for symbol in function.symbols() {
        _ = writeln!(out, "{symbol:?}");
        if let SymbolKind::Table { targets, .. } = &symbol.kind {
            targets.iter().for_each(|target| out.push_str(&name(*target)));
        }
    }
    let outside: Vec<&str> = function.externals().map(|(_, name)| name).collect();
    let special: Vec<_> =
        function.special_registers().map(|register| function.referent_text(register)).collect();
    _ = writeln!(out, "{:?} {:?} {outside:?} {special:?}", function.problems(), function.source_locations());
    out
}

/// Makes edits one after the other, and returns how many were adapted to.
fn edit_at_random(seed: u64, edits: usize) -> usize {
    let mut random = Rng::with_seed(seed);
    let original = long_kernel();
    let mut text = original.clone();
    let parse = |text: &str| parse_item(LANGUAGE, text);
    let lower = |parse: &Parse| Arc::new(Function::lower(parse.root()).expect("a function"));
    let mut tree = parse(&text);
    let mut function = lower(&tree);
    let mut adapted = 0;
    for step in 0..edits {
        if step % 8 == 7 {
            // A text with many mistakes has little left that can be adapted.
            text.clone_from(&original);
            tree = parse(&text);
            function = lower(&tree);
        }
        if random.usize(..4) == 0 {
            let end = text.find('(').unwrap_or(0);
            let start = text[..end].rfind(' ').map_or(0, |space| space + 1);
            text.replace_range(start..end, NAMES[random.usize(..NAMES.len())]);
        } else {
            let start = 200 + random.usize(..text.len() - 300);
            let end = start + [0, 0, 1, 1, 2, 6][random.usize(..6)];
            text.replace_range(start..end, INSERTED[random.usize(..INSERTED.len())]);
        }
        let (next, edit) = reparse_item(LANGUAGE, tree, &text.as_str().into(), None);
        tree = next;
        let held = random.bool().then(|| Arc::clone(&function));
        let found = edit.and_then(|edit| Function::lower_edit(function, tree.root(), &edit));
        drop(held);
        let whole = lower(&tree);
        function = match found {
            Some(found) => {
                adapted += 1;
                let (found, whole) = (Arc::new(found), describe(&whole));
                let described = describe(&found);
                let mut lines = described.lines().zip(whole.lines());
                let differs = lines.find(|(one, other)| one != other);
                let differs = differs.map(|(one, other)| format!("{one:.300}, not {other:.300}"));
                assert!(described == whole, "seed {seed}, step {step}: {differs:?}");
                found
            }
            None => whole,
        };
    }
    adapted
}

#[test]
fn edited_functions_equal_those_lowered_as_a_whole() {
    let seeds = std::env::var("EDIT_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(2);
    let adapted: usize = (0..seeds).map(|seed| edit_at_random(seed, 24)).sum();
    assert!(adapted > 4 * seeds as usize, "only {adapted} edits were adapted to");
}
