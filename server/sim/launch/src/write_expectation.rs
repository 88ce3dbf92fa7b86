//! Writes what a buffer held after a run into the text of its launch, as what it must hold.

use serde_json::Value;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

use super::draft::inline;
use super::expectation::verify;
use super::model::{Expectation, Launch, Number, Wanted};
use super::problem::Span;
use super::read::Format;

/// The expectation that a buffer holds `bytes`: as numbers, or as hex digits if numbers cannot express them.
pub fn expectation_of(name: &str, element: ScalarType, bytes: &[u8]) -> Expectation {
    let numbers = bytes.chunks_exact(element.bytes()).map(|bytes| number(element, element.read(bytes)));
    let expectation = |wanted| Expectation {
        name: name.to_owned(),
        wanted,
        tolerance: 0.0,
        at: None,
        values_at: std::sync::Arc::default(),
    };
    let as_numbers = expectation(Wanted::Values(numbers.collect()));
    match verify(&as_numbers, element, bytes) {
        Ok(()) => as_numbers,
        Err(_) => expectation(Wanted::Bytes(bytes.to_vec())),
    }
}

fn number(element: ScalarType, bits: u64) -> Number {
    if element.class() != Class::Float {
        return Number::Integer(element.integer_of_bits(bits));
    }
    let value = element.float_of_bits(bits);
    // `0.1`, not the `f64` next to the `f32`.
    let short = || format!("{:?}", value as f32).parse().unwrap_or(value);
    Number::Float(if element == ScalarType::F64 { value } else { short() })
}

/// The edit of `text` after which a launch that was read from it has an expectation, instead of another one about the same buffer, whose
/// tolerance it keeps. `None` if the launch has its expectations in tables of their own, `[[launch.expect]]`.
pub fn write_expectation(
    text: &str,
    format: Format,
    launch: &Launch,
    mut expectation: Expectation,
) -> Option<(Span, String)> {
    let before = launch.expect.iter().find(|other| other.name == expectation.name);
    expectation.tolerance = before.map_or(0.0, |before| before.tolerance);
    let entry = written(&serde_json::to_value(&expectation).ok()?, format);
    let is_open = |span: &Span, bracket: char| text[span.clone()].starts_with(bracket);
    if let Some(before) = before {
        let at = before.at.clone().filter(|at| is_open(at, '{'))?;
        return Some((at, entry));
    }
    if let Some(list) = launch.spans.keys.get("expect") {
        let last = launch.expect.iter().filter_map(|other| other.at.clone()).map(|at| at.end).max();
        let is_list = is_open(list, '[') && !text[list.clone()].starts_with("[[");
        let at = last.unwrap_or(list.start + 1);
        let separator = if last.is_some() { ", " } else { "" };
        return is_list.then(|| (at..at, format!("{separator}{entry}")));
    }
    let whole = launch.spans.launch.clone()?;
    let key = match format {
        Format::Toml => format!("expect = [{entry}]"),
        Format::Json => format!("\"expect\": [{entry}]"),
    };
    if is_open(&whole, '{') {
        let inside = text[whole.start + 1..whole.end - 1].trim_end();
        let at = whole.start + 1 + inside.len();
        let separator = if inside.trim().is_empty() || inside.ends_with(',') { " " } else { ", " };
        return Some((at..at, format!("{separator}{key}")));
    }
    let at = last_line(text, launch)?;
    Some((at..at, format!("\n{key}")))
}

/// The end of the last line with a key of a table `[[launch]]`. Keys of tables inside it follow their own heads.
fn last_line(text: &str, launch: &Launch) -> Option<usize> {
    let is_key = |(name, at): &(&String, &Span)| {
        let line = text[..at.start].rsplit('\n').next().unwrap_or_default();
        let key = line.split('=').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        line.contains('=') && key == name.as_str()
    };
    let last = launch.spans.keys.iter().filter(is_key).map(|(_, at)| at.end).max()?;
    Some(text[last..].find(['\r', '\n']).map_or(text.len(), |end| last + end))
}

fn written(entry: &Value, format: Format) -> String {
    match format {
        Format::Toml => inline(entry),
        Format::Json => entry.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{in_comments, launches};

    /// Writes an expectation of the buffer `y` into a launch, and reads it again.
    fn written_to(text: &str, read: &dyn Fn(&str) -> Launch, format: Format) -> String {
        let bytes: Vec<u8> = [1.5f32, 0.1, -0.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let expectation = expectation_of("y", ScalarType::F32, &bytes);
        let (at, new) = write_expectation(text, format, &read(text), expectation).expect("an edit");
        let mut changed = text.to_owned();
        changed.replace_range(at, &new);
        let launch = read(&changed);
        let read_again = launch.expect.iter().filter(|expected| expected.name == "y").collect::<Vec<_>>();
        assert_eq!(read_again.len(), 1, "{changed}");
        assert_eq!(verify(read_again[0], ScalarType::F32, &bytes), Ok(()), "{changed}");
        changed
    }

    fn first(text: &str) -> Launch {
        launches(text, Format::Toml).expect("a launch file").remove(0).usable().expect("a launch")
    }

    const ENTRY: &str = "{ name = \"y\", values = [1.5, 0.1, -0.0] }";

    #[test]
    fn a_table_gets_a_line_after_its_last_key() {
        let head = "[[launch]]\nname = \"a\"\nfile = \"k.ptx\"\nblock = [32] # a warp";
        let rest = "\n\n[launch.registers]\nr1 = 4\n\n[[launch]]\nname = \"b\"\nfile = \"k.ptx\"\n";
        let text = format!("{head}{rest}");
        assert_eq!(written_to(&text, &first, Format::Toml), format!("{head}\nexpect = [{ENTRY}]{rest}"));
    }

    #[test]
    fn a_list_gets_another_entry_and_an_entry_is_replaced() {
        let launch =
            |expect: &str| format!("[[launch]]\nname = \"a\"\nfile = \"k.ptx\"\nexpect = {expect}\n");
        let other = "{ name = \"x\", values = [1] }";
        let cases = [
            ("[]".to_owned(), format!("[{ENTRY}]")),
            (format!("[{other}]"), format!("[{other}, {ENTRY}]")),
            (format!("[\n  {other},\n]"), format!("[\n  {other}, {ENTRY},\n]")),
            ("[{ name = \"y\", bytes = \"00\" }]".to_owned(), format!("[{ENTRY}]")),
            (
                "[{ name = \"y\", values = [2], tolerance = 0.5 }]".to_owned(),
                "[{ name = \"y\", tolerance = 0.5, values = [1.5, 0.1, -0.0] }]".to_owned(),
            ),
        ];
        for (before, after) in cases {
            assert_eq!(written_to(&launch(&before), &first, Format::Toml), launch(&after));
        }
    }

    #[test]
    fn a_comment_and_a_json_object_get_a_key() {
        let comment = |text: &str| in_comments(text, &["//"]).remove(0).listed.usable().expect("a launch");
        assert_eq!(
            written_to("// @launch { block = [32] }\nk", &comment, Format::Toml),
            format!("// @launch {{ block = [32], expect = [{ENTRY}] }}\nk")
        );
        assert_eq!(
            written_to("// @launch {}\n", &comment, Format::Toml),
            format!("// @launch {{ expect = [{ENTRY}]}}\n")
        );
        let json =
            |text: &str| launches(text, Format::Json).expect("a file").remove(0).usable().expect("a launch");
        assert_eq!(
            written_to(r#"{"launch": [{"name": "a", "file": "k.ptx"}]}"#, &json, Format::Json),
            r#"{"launch": [{"name": "a", "file": "k.ptx", "expect": [{"name":"y","values":[1.5,0.1,-0.0]}]}]}"#
        );
    }

    #[test]
    fn tables_of_their_own_are_left_alone() {
        let text =
            "[[launch]]\nname = \"a\"\nfile = \"k.ptx\"\n[[launch.expect]]\nname = \"x\"\nvalues = [1]\n";
        let launch = first(text);
        for name in ["x", "y"] {
            let expectation = expectation_of(name, ScalarType::U32, &[1, 0, 0, 0]);
            assert_eq!(write_expectation(text, Format::Toml, &launch, expectation), None);
        }
    }

    #[test]
    fn values_are_those_of_the_type() {
        let wanted = |element, bytes: &[u8]| {
            serde_json::to_value(expectation_of("y", element, bytes)).expect("JSON")["values"].clone()
        };
        assert_eq!(wanted(ScalarType::S16, &[0xff, 0xff]), serde_json::json!([-1]));
        assert_eq!(wanted(ScalarType::U64, &[0xff; 8]), serde_json::json!([u64::MAX]));
        assert_eq!(wanted(ScalarType::F32, &f32::NAN.to_le_bytes()), serde_json::json!(["nan"]));
        assert_eq!(wanted(ScalarType::F16, &[0x66, 0x2e]), serde_json::json!([0.099975586]));
    }
}
