//! Launches in command-line flags: `n=u32:100`, `x=f32[100]:iota`, `y=f32:[1,2,3]`, `z=@x`, `p.8=u32:100`.

use warplens_sim_warp::scalar_type::ScalarType;

use super::json_text;
use super::model::{Alias, Argument, Buffer, Contents, Field, Fill, Number, Passed};
use super::problem::Problem;
use super::read::{hex_bytes, number_word, read_argument};

/// What an argument flag may look like, for messages.
const SHAPES: &str = "n=u32:100, x=f32[100]:iota, y=f32:[1,2,3], b=bytes:00ff or z=@x (the name is optional)";

/// Reads all `--arg` flags in order. Consecutive flags named `p.0`, `p.8` … are the fields of one structure `p`; the
/// number is the byte offset.
pub fn arguments(flags: &[String]) -> Result<Vec<Argument>, Problem> {
    let mut arguments: Vec<Argument> = Vec::with_capacity(flags.len());
    for flag in flags {
        let argument = argument(flag)?;
        let Some((whole, at)) = argument.name.as_deref().and_then(field) else {
            arguments.push(argument);
            continue;
        };
        let whole = Some(whole.to_owned());
        let field = Field { at, argument };
        match arguments.last_mut() {
            Some(Argument { name, passed: Passed::Fields(fields), .. }) if *name == whole => {
                fields.push(field)
            }
            _ => arguments.push(Argument { name: whole, passed: Passed::Fields(vec![field]), at: None }),
        }
    }
    Ok(arguments)
}

/// Splits the name of a field into the structure's name and the byte offset.
fn field(name: &str) -> Option<(&str, u64)> {
    let (whole, at) = name.rsplit_once('.')?;
    Some((whole, at.parse().ok().filter(|_| !whole.is_empty())?))
}

/// Reads one `--arg`.
pub(super) fn argument(flag: &str) -> Result<Argument, Problem> {
    if let Some(argument) = json(flag) {
        return argument;
    }
    let (name, value) = match flag.split_once('=') {
        Some((name, value)) => (Some(name.trim().to_owned()), value.trim()),
        None => (None, flag.trim()),
    };
    if name.as_deref() == Some("") {
        return Err(Problem::anywhere(format!(
            "--arg {flag}: the name before `=` is missing; write {SHAPES}"
        )));
    }
    let wrong = |message: String| Problem::anywhere(format!("--arg {flag}: {message}"));
    Ok(Argument { name, passed: passed(value).map_err(wrong)?, at: None })
}

/// An argument written as JSON, as in a launch file: `NAME={…}` or `{…}`.
fn json(flag: &str) -> Option<Result<Argument, Problem>> {
    let trimmed = flag.trim();
    let (name, text) = match trimmed.split_once('=') {
        _ if trimmed.starts_with('{') => (None, trimmed),
        Some((name, text)) if text.trim_start().starts_with('{') => (Some(name.trim()), text),
        _ => return None,
    };
    let argument = json_text::read(text).and_then(|node| read_argument(&node));
    let named = argument.map(|argument| Argument {
        name: name.filter(|name| !name.is_empty()).map(str::to_owned).or(argument.name),
        at: None,
        passed: argument.passed,
    });
    Some(named.map_err(|problem| Problem::anywhere(format!("--arg {flag}: {}", problem.message))))
}

fn passed(value: &str) -> Result<Passed, String> {
    if let Some(of) = value.strip_prefix('@') {
        return Ok(Passed::Alias(Alias::whole(of)));
    }
    let (head, contents) = match value.split_once(':') {
        Some((head, contents)) => (head.trim(), Some(contents.trim())),
        None => (value, None),
    };
    if head == "bytes" {
        return Ok(Passed::Bytes(hex_bytes(contents.unwrap_or_default())?));
    }
    let (name, len) = match head.strip_suffix(']').and_then(|head| head.split_once('[')) {
        Some((name, len)) => {
            let count = len.trim().parse::<u32>();
            (name, Some(count.map_err(|_| format!("`{len}` is not a number of elements"))?))
        }
        None => (head, None),
    };
    let element =
        ScalarType::of_launches(name).ok_or_else(|| format!("`{name}` is not a type; write {SHAPES}"))?;
    match (len, contents) {
        (Some(len), None) => {
            let contents = Contents::Filled { len: len.into(), fill: Fill::Unset };
            Ok(Passed::Buffer(Buffer::new(element, contents)))
        }
        (Some(len), Some(contents)) => filled(element, len.into(), contents),
        (None, Some(list)) if list.starts_with('[') => values(element, list),
        (None, Some(value)) => Ok(Passed::Scalar(element, number(value)?.bits(element)?)),
        (None, None) => Err(format!("the value is missing; write {SHAPES}")),
    }
}

fn filled(element: ScalarType, len: u64, contents: &str) -> Result<Passed, String> {
    let fill = match contents.split_once(':') {
        Some(("random", seed)) => Fill::Random {
            seed: seed
                .parse()
                .map_err(|_| format!("`{seed}` is not a seed: write a non-negative integer"))?,
        },
        _ => match contents {
            "zero" => Fill::Zero,
            "iota" => Fill::Iota,
            "random" => Fill::Random { seed: 1 },
            "uninitialized" => Fill::Uninitialized,
            value => Fill::Value(number(value)?.bits(element)?),
        },
    };
    Ok(Passed::Buffer(Buffer::new(element, Contents::Filled { len, fill })))
}

fn values(element: ScalarType, list: &str) -> Result<Passed, String> {
    let inner = list.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
    let inner = inner.ok_or("the list of values is not closed with `]`")?.trim();
    let parts = inner.split(',').filter(|_| !inner.is_empty());
    let values = parts.map(|part| number(part.trim())?.bits(element)).collect::<Result<_, _>>()?;
    Ok(Passed::Buffer(Buffer::new(element, Contents::Values(values))))
}

fn number(text: &str) -> Result<Number, String> {
    let plain = text.replace('_', "");
    if let Ok(integer) = plain.parse::<i128>() {
        return Ok(Number::Integer(integer));
    }
    // Rust also parses words such as `infinity` as floats; launches accept fewer words.
    match plain.parse::<f64>() {
        Ok(float) if plain.contains(|c: char| c.is_ascii_digit()) => Ok(Number::Float(float)),
        _ => number_word(text),
    }
}

/// Reads `X[,Y[,Z]]`, the value of `--grid` and `--block`.
pub fn extent(flag: &str) -> Result<[u32; 3], String> {
    let parts: Vec<&str> = flag.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err(format!("`{flag}` has {} numbers: write X, X,Y or X,Y,Z", parts.len()));
    }
    let mut extent = [1; 3];
    for (slot, part) in extent.iter_mut().zip(parts) {
        *slot =
            part.parse().ok().filter(|size| *size > 0).ok_or_else(|| {
                format!("`{part}` is not a size: write positive numbers, such as 2 or 4,2,1")
            })?;
    }
    Ok(extent)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(flag: &str, expect: Expect) {
        let answer = match argument(flag) {
            Ok(argument) => format!("{:?} {:?}", argument.name, argument.passed),
            Err(problem) => problem.message,
        };
        expect.assert_eq(&answer);
    }

    #[test]
    fn scalars() {
        check("n=u32:100", expect![[r#"Some("n") Scalar(U32, 100)"#]]);
        check("f32:1.5", expect!["None Scalar(F32, 1069547520)"]);
        check("f32:nan", expect!["None Scalar(F32, 2143289344)"]);
        check("s8:-1", expect!["None Scalar(S8, 255)"]);
        check("f32:0x7fc00000", expect!["None Scalar(F32, 2143289344)"]);
        check("u32:1.5", expect!["--arg u32:1.5: u32 takes integers, and 1.5 is not an integer"]);
        check("u8:256", expect!["--arg u8:256: 256 does not fit u8, whose range is 0 to 255"]);
        check("p=bytes:00ff10", expect![[r#"Some("p") Bytes([0, 255, 16])"#]]);
    }

    #[test]
    fn fields() {
        let flags = ["n=u32:1", "p.0=f32[4]:iota", "p.8=u32:7", "q.4=@p.0"].map(str::to_owned);
        let arguments = arguments(&flags).expect("they are right");
        let shape: Vec<_> = arguments
            .iter()
            .map(|argument| {
                let fields: Vec<u64> = match &argument.passed {
                    Passed::Fields(fields) => fields.iter().map(|field| field.at).collect(),
                    _ => Vec::new(),
                };
                (argument.name.as_deref().unwrap_or_default(), fields)
            })
            .collect();
        assert_eq!(shape, [("n", vec![]), ("p", vec![0, 8]), ("q", vec![4])]);
    }

    #[test]
    fn buffers() {
        check(
            "x=f32[100]:iota",
            expect![[
                r#"Some("x") Buffer(Buffer { element: F32, contents: Filled { len: 100, fill: Iota }, uninitialized: [], offset: 0, address: None, spans: {} })"#
            ]],
        );
        check(
            "x=u8[4]",
            expect![[
                r#"Some("x") Buffer(Buffer { element: U8, contents: Filled { len: 4, fill: Unset }, uninitialized: [], offset: 0, address: None, spans: {} })"#
            ]],
        );
        check(
            "x=u8[4]:7",
            expect![[
                r#"Some("x") Buffer(Buffer { element: U8, contents: Filled { len: 4, fill: Value(7) }, uninitialized: [], offset: 0, address: None, spans: {} })"#
            ]],
        );
        check(
            "x=f64[4]:random:9",
            expect![[
                r#"Some("x") Buffer(Buffer { element: F64, contents: Filled { len: 4, fill: Random { seed: 9 } }, uninitialized: [], offset: 0, address: None, spans: {} })"#
            ]],
        );
        check(
            "y=f32:[1, 2.5,-3]",
            expect![[
                r#"Some("y") Buffer(Buffer { element: F32, contents: Values([1065353216, 1075838976, 3225419776]), uninitialized: [], offset: 0, address: None, spans: {} })"#
            ]],
        );
        check(
            "y=u8:[]",
            expect![[
                r#"Some("y") Buffer(Buffer { element: U8, contents: Values([]), uninitialized: [], offset: 0, address: None, spans: {} })"#
            ]],
        );
        check("z=@x", expect![[r#"Some("z") Alias(Alias { of: "x", offset: 0, spans: {} })"#]]);
        check("@x", expect![[r#"None Alias(Alias { of: "x", offset: 0, spans: {} })"#]]);
    }

    #[test]
    fn mistakes() {
        check(
            "x",
            expect![
                "--arg x: `x` is not a type; write n=u32:100, x=f32[100]:iota, y=f32:[1,2,3], b=bytes:00ff or z=@x (the name is optional)"
            ],
        );
        check(
            "=u32:1",
            expect![
                "--arg =u32:1: the name before `=` is missing; write n=u32:100, x=f32[100]:iota, y=f32:[1,2,3], b=bytes:00ff or z=@x (the name is optional)"
            ],
        );
        check(
            "x=u32",
            expect![
                "--arg x=u32: the value is missing; write n=u32:100, x=f32[100]:iota, y=f32:[1,2,3], b=bytes:00ff or z=@x (the name is optional)"
            ],
        );
        check("x=f32[ten]:iota", expect!["--arg x=f32[ten]:iota: `ten` is not a number of elements"]);
        check("x=f32:[1,2", expect!["--arg x=f32:[1,2: the list of values is not closed with `]`"]);
        check(
            "x=f32[3]:iotta",
            expect![[
                r#"--arg x=f32[3]:iotta: "iotta" is not a number: write a number, "nan", "inf", "-inf", or bits as "0x…""#
            ]],
        );
        check(
            "x=bytes:0",
            expect![
                "--arg x=bytes:0: `bytes` takes two hex digits per byte, and 1 is an odd number of digits"
            ],
        );
    }

    #[test]
    fn extents() {
        assert_eq!(extent("2"), Ok([2, 1, 1]));
        assert_eq!(extent("4, 2,3"), Ok([4, 2, 3]));
        assert!(extent("1,2,3,4").is_err());
        assert!(extent("0").is_err());
        assert!(extent("").is_err());
    }
}
