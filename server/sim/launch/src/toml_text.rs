//! Reads TOML into a tree with spans.

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::problem::Problem;
use super::tree::{Key, Node, Value};

/// Reads a whole document.
pub(crate) fn read(text: &str) -> Result<Node, Problem> {
    let document = DeTable::parse(text).map_err(|error| problem(&error, text))?;
    let span = document.span();
    Ok(Node { value: table(document.get_ref())?, span })
}

fn problem(error: &Error, text: &str) -> Problem {
    let at = error.span().unwrap_or(text.len()..text.len());
    // The parser's message may span several lines, because it also shows the source; its first line is the sentence.
    let sentence = error.message().lines().next().unwrap_or("not TOML").to_owned();
    Problem::at(at, format!("invalid TOML: {sentence}"))
}

fn node(value: &Spanned<DeValue<'_>>) -> Result<Node, Problem> {
    let span = value.span();
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => {
            let parsed = i128::from_str_radix(integer.as_str(), integer.radix());
            Value::Integer(parsed.map_err(|_| Problem::at(span.clone(), "this integer is too large"))?)
        }
        DeValue::Float(float) => {
            let parsed = float.as_str().parse();
            Value::Float(parsed.map_err(|_| Problem::at(span.clone(), "invalid number"))?)
        }
        DeValue::Boolean(boolean) => Value::Boolean(*boolean),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(array) => Value::List(array.iter().map(node).collect::<Result<_, _>>()?),
        DeValue::Table(entries) => table(entries)?,
    };
    Ok(Node { value, span })
}

fn table(entries: &DeTable<'_>) -> Result<Value, Problem> {
    let mut list = entries
        .iter()
        .map(|(key, value)| Ok((Key { name: key.get_ref().to_string(), span: key.span() }, node(value)?)))
        .collect::<Result<Vec<_>, Problem>>()?;
    // The crate sorts keys by name, but errors must come in text order.
    list.sort_by_key(|(key, _)| key.span.start);
    Ok(Value::Table(list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_places_and_wide_integers() {
        let text = "b = 18446744073709551615\na = { f = -0x0, g = [nan, 1e3] }";
        let tree = read("b = 18446744073709551615\na = { f = 0xff_ff, g = [inf, 1e3] }").unwrap();
        let entries = tree.table("").unwrap();
        assert_eq!(entries[0].1.value, Value::Integer(18446744073709551615));
        let inner = entries[1].1.table("").unwrap();
        assert_eq!(inner[0].1.value, Value::Integer(0xffff));
        assert_eq!(inner[1].1.list("").unwrap()[0].value, Value::Float(f64::INFINITY));
        assert_eq!(&text[entries[1].0.span.clone()], "a");
    }

    #[test]
    fn a_broken_document_is_one_sentence_at_its_place() {
        let problem = read("a = 1\nb = = 2\n").unwrap_err();
        assert_eq!(problem.line_column("a = 1\nb = = 2\n").unwrap().0, 2);
        assert!(!problem.message.contains('\n'), "{problem}");
    }
}
