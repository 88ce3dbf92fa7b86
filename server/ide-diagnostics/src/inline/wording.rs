//! Problems of PTX in the words of the host: its placeholders, and those of other hosts.

use warplens_host::{Dialect, Statement};
use warplens_ide_db::Diagnostic;

use super::encoding::placeholder;
use super::module::register;
use crate::codes;

/// The problem with operands as the host writes them. `rest` is the document from the problem on, `before` what precedes it.
pub(super) fn in_words_of_host(
    statement: &Statement,
    before: &str,
    rest: &str,
    found: Diagnostic,
) -> Diagnostic {
    if found.code == codes::UNRESOLVED_NAME
        && let Some(index) = operand_of_another_host(statement, rest)
    {
        let message = format!(
            "operand {index} is written `{}` here; `{}` is the form of another host",
            placeholder(statement, index),
            &rest[..1 + digits(&rest[1..])]
        );
        return Diagnostic { code: codes::ASM_OPERAND_INDEX, message, fixes: Vec::new(), ..found };
    }
    let is_doubled = rest.starts_with("%%") || rest.starts_with('%') && before.ends_with('%');
    if found.code == codes::SYNTAX && is_doubled {
        let message = match statement.dialect {
            Dialect::Gcc => {
                "`%%` stands for `%` only in a statement with a colon; write one `%`, or add `:` after the text"
            }
            _ => "`%%` does not stand for `%` here; write one `%`",
        };
        return Diagnostic { message: message.to_owned(), fixes: Vec::new(), ..found };
    }
    Diagnostic { message: with_placeholders(statement, found.message.clone()), ..found }
}

/// A text about the document of a statement, with the placeholders of the host for the names of the registers that hold the operands.
pub fn with_placeholders(statement: &Statement, text: String) -> String {
    (0..statement.operands.len()).fold(text, |text, index| {
        let (name, written) = (register(statement, index), placeholder(statement, index));
        if name == written { text } else { text.replace(&format!("`{name}`"), &format!("`{written}`")) }
    })
}

/// The operand that `%0` or `$0` means in other hosts.
fn operand_of_another_host(statement: &Statement, text: &str) -> Option<usize> {
    let sign = match statement.dialect {
        Dialect::Gcc | Dialect::PtxAsm => ['$', '$'],
        Dialect::Triton | Dialect::Cute | Dialect::Llvm => ['%', '%'],
        Dialect::Rust => ['%', '$'],
    };
    let number = text.strip_prefix(sign)?;
    let index = number[..digits(number)].parse().ok()?;
    (index < statement.operands.len()).then_some(index)
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}
