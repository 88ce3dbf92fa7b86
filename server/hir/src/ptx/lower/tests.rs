//! Lowering, seen from outside: what names mean, what operands are, what is wrong.

mod edit;
mod headers;
mod names;
mod operands;
mod problems;
mod robust;

use warplens_syntax::parse_item;

use crate::ptx::Function;

fn lower(text: &str) -> Function {
    let parse = parse_item(warplens_syntax::ptx::LANGUAGE, text);
    Function::lower(parse.root()).expect("the text is a function")
}
