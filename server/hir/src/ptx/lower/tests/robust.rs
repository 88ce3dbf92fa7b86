//! Lowering returns consistent tables for any text.

use proptest::prelude::*;
use warplens_syntax::{ItemKind, ItemList, parse_item};

use crate::ptx::{Function, Header, ModuleKind, ModuleNames, Operand};

const PIECES: &[&str] = &[
    ".entry k",
    ".func ",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    "|",
    "!",
    "-",
    "+",
    "<",
    ">",
    "=",
    "@p",
    "@!",
    ".reg ",
    ".b32 ",
    ".pred ",
    ".shared ",
    ".param ",
    ".align 3 ",
    ".v4 ",
    "r<9>",
    "r<4294967296>",
    "r1",
    "r01",
    "r",
    "p",
    "L",
    "L:",
    "_",
    "%tid",
    ".x",
    "WARP_SZ",
    "bra ",
    "call ",
    "ret;",
    "brx.idx ",
    "T: .branchtargets ",
    "L<3>",
    "P: .callprototype ",
    "mov.u32 ",
    "st.global.v2.f32 ",
    "ld.param.u64 ",
    "1",
    "0f3F800000",
    "1.5",
    "/ 0",
    "<< 99 ",
    "? 1 : 2",
    "(.u64)",
    "{r1, r2}",
    "[r1+4]",
    "s[r1+4]",
    "generic(r1)",
    "0xff(s)",
    ".loc 1 1 1, function_name L ",
    ".maxntid 1,2 ",
    ".noreturn ",
    ".global ",
    ".extern ",
    ".alias a, b;",
    ".section .debug { L: .b8 1 }",
    "\n",
    "// c\n",
];

fn hold_together(function: &Function, text: &str) {
    let mut last = 0.into();
    for name in function.names() {
        assert!(name.range.start() >= last);
        assert!(usize::from(name.range.end()) <= text.len());
        last = name.range.start();
    }
    for instruction in function.instructions() {
        instruction.operands().iter().for_each(|operand| walk(function, *operand));
        assert_eq!(&text[instruction.opcode_range()], instruction.opcode());
        assert_eq!(
            function.instruction_at(instruction.opcode_range().start()).map(|found| found.id()),
            Some(instruction.id())
        );
        let scope = function.scopes()[instruction.scope().index()];
        assert!(scope.range.contains_range(instruction.range()));
    }
    let cfg = function.cfg(&|_| false);
    let joins = function.post_dominators(&cfg);
    let reachable = cfg.reachable();
    for id in cfg.ids() {
        assert!(joins.immediate(id).is_none() || reachable[id.index()]);
    }
}

fn walk(function: &Function, operand: Operand) {
    match operand {
        Operand::Register { name, .. } | Operand::Special { name, .. } | Operand::Symbol(name) => {
            function.name(name);
        }
        Operand::Constant(id) => {
            function.constant(id);
        }
        Operand::Vector(list)
        | Operand::Arguments(list)
        | Operand::Pair(list)
        | Operand::Not(list)
        | Operand::Negated(list) => {
            function.operands(list).iter().for_each(|operand| walk(function, *operand));
        }
        Operand::Address { .. } => {
            let address = function.address(operand).expect("an address operand is an address");
            walk(function, address.base);
            address
                .index
                .into_iter()
                .chain(address.rest.iter().copied())
                .for_each(|operand| walk(function, operand));
        }
        Operand::Sink | Operand::Missing => {}
    }
}

fn check(text: &str) {
    let items = ItemList::new(warplens_syntax::ptx::LANGUAGE, text);
    let mut headers = Vec::new();
    for item in items.iter() {
        let parse = parse_item(warplens_syntax::ptx::LANGUAGE, &item.text);
        let header = Header::lower(parse.root());
        if matches!(item.kind, ItemKind::Function | ItemKind::Kernel) {
            let outside =
                parse_item(warplens_syntax::ptx::LANGUAGE, warplens_syntax::ptx::outside(&item.text));
            assert_eq!(header, Header::lower(outside.root()), "the outside says all that others see");
        }
        headers.push(header);
        if let Some(function) = Function::lower(parse.root()) {
            hold_together(&function, &item.text);
        }
    }
    let module = ModuleNames::of_headers(&headers);
    for symbol in module.symbols().iter().filter(|symbol| !is_range(symbol.kind)) {
        assert!(module.is_visible(&symbol.name, symbol.item));
    }
}

fn is_range(kind: ModuleKind) -> bool {
    matches!(kind, ModuleKind::Variable { range_count: Some(_), .. })
}

proptest! {
    #[test]
    fn pieces_in_any_order(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        check(&pieces.concat());
        check(&format!(".func f() {{ .reg .b32 r<9>; .reg .pred p; .shared .b32 s[4];\n{}", pieces.join(" ")));
    }
}

#[test]
fn depth_is_bounded() {
    for (open, close) in [("{", "}"), ("(", ")"), ("[", "]"), ("-", ""), ("!", ""), ("1+", "")] {
        let deep = format!("{}r{}", open.repeat(5000), close.repeat(5000));
        check(&format!(".func f() {{ .reg .b32 r; mov.b32 r, {deep}; {deep}; }}"));
        check(&format!(".global .b32 a[] = {deep};"));
    }
    check(&format!(".func f() {{ {} {} }}", "{".repeat(5000), "}".repeat(5000)));
}

#[test]
fn a_brace_before_the_header_does_not_open_the_body() {
    check("({.shared ={r1, r2}.entry k");
}
