//! What lowering produces: the meaning of names, the operands, and the problems.

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
