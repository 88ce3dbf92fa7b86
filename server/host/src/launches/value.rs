//! Evaluates constant expressions of C++ and Python by a few rules of arithmetic.

use crate::tokens::{Kind, Token, arguments, group_end};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Integer(i128),
    Float(f64),
    /// A `dim3` or a tuple.
    Extents([i128; 3]),
}

/// What names stand for at some position of a file, and what differs between languages.
pub(crate) trait Names {
    fn text(&self, token: Token) -> &str;
    fn name(&self, name: &str, depth: u32) -> Option<Value>;
    /// The value of a call of a function that the file defines; `None` if it defines none of this name. The inner `None` is a value that is not
    /// known.
    fn call(&self, name: &str, arguments: &[&[Token]], depth: u32) -> Option<Option<Value>>;
    /// The value of `name["key"]`.
    fn entry(&self, name: &str, key: &str, depth: u32) -> Option<Value>;
    /// Whether `/` divides integers without a remainder, and `(type)` converts.
    const IS_C: bool;
}

/// How many names and brackets may be inside each other.
pub(crate) const MAX_DEPTH: u32 = 24;

/// The value of an expression.
pub(crate) fn value<N: Names>(names: &N, tokens: &[Token], depth: u32) -> Option<Value> {
    let mut parser = Parser { names, tokens, at: 0, depth: depth.checked_sub(1)? };
    let value = parser.binary(0)?;
    (parser.at == tokens.len()).then_some(value)
}

impl Value {
    /// The value as a grid or block.
    pub(crate) fn extents(self) -> Option<[i128; 3]> {
        match self {
            Value::Integer(value) => Some([value, 1, 1]),
            Value::Float(_) => None,
            Value::Extents(extents) => Some(extents),
        }
    }

    fn float(self) -> Option<f64> {
        match self {
            Value::Integer(value) => Some(value as f64),
            Value::Float(value) => Some(value),
            Value::Extents(_) => None,
        }
    }

    /// The value in a variable of type `int`.
    pub(crate) fn truncated(self) -> Option<Value> {
        match self {
            Value::Float(value) if value.is_finite() && value.abs() < 1e18 => {
                Some(Value::Integer(value.trunc() as i128))
            }
            Value::Float(_) => None,
            value => Some(value),
        }
    }
}

struct Parser<'n, 't, N> {
    names: &'n N,
    tokens: &'t [Token],
    at: usize,
    depth: u32,
}

/// The binary operators and how tightly they bind. One that starts with another one comes first.
const OPERATORS: [(&str, u8); 19] = [
    ("||", 1),
    ("&&", 2),
    ("<<", 8),
    (">>", 8),
    ("<=", 7),
    (">=", 7),
    ("==", 6),
    ("!=", 6),
    ("//", 10),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

impl<'t, N: Names> Parser<'_, 't, N> {
    fn token(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn is(&self, ahead: usize, byte: u8) -> bool {
        self.token(ahead).is_some_and(|token| token.is(byte))
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        self.token(ahead).filter(|token| token.kind == Kind::Name).map(|token| self.names.text(token))
    }

    /// Whether adjacent characters are here.
    fn is_operator(&self, text: &str) -> bool {
        let mut end = None;
        text.bytes().enumerate().all(|(index, byte)| {
            let found = self.token(index).filter(|token| token.is(byte));
            let is_adjacent = found.is_some_and(|token| end.is_none_or(|end| end == token.start));
            end = found.map(|token| token.end);
            is_adjacent
        })
    }

    fn operator(&self) -> Option<(&'static str, u8)> {
        OPERATORS.iter().find(|(text, _)| self.is_operator(text)).copied()
    }

    fn binary(&mut self, least: u8) -> Option<Value> {
        let mut left = self.unary()?;
        while let Some((operator, binding)) = self.operator().filter(|(_, binding)| *binding > least) {
            self.at += operator.len();
            let right = self.binary(binding)?;
            left = apply(operator, left, right, N::IS_C)?;
        }
        if least == 0 && N::IS_C && self.is(0, b'?') {
            self.at += 1;
            let yes = self.binary(0);
            self.is(0, b':').then_some(())?;
            self.at += 1;
            let no = self.binary(0);
            return if left == Value::Integer(0) { no } else { yes };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Value> {
        let token = self.token(0)?;
        match token.kind {
            Kind::Punctuation(b'-') => {
                self.at += 1;
                match self.unary()? {
                    Value::Integer(value) => Some(Value::Integer(-value)),
                    Value::Float(value) => Some(Value::Float(-value)),
                    Value::Extents(_) => None,
                }
            }
            Kind::Punctuation(b'+') => {
                self.at += 1;
                self.unary()
            }
            Kind::Number => self.number(),
            Kind::Name => self.named(),
            Kind::Punctuation(b'(') => self.group(),
            Kind::Punctuation(b'{') if N::IS_C => self.list(),
            _ => None,
        }
    }

    /// The tokens of the group that starts here, which is skipped.
    fn inside(&mut self) -> Option<&'t [Token]> {
        let end = group_end(self.tokens, self.at);
        let inside = self.tokens.get(self.at + 1..end.checked_sub(1)?)?;
        self.at = end;
        Some(inside)
    }

    fn value(&self, tokens: &[Token]) -> Option<Value> {
        value(self.names, tokens, self.depth)
    }

    /// `(expression)`, `(type)expression`, or a tuple.
    fn group(&mut self) -> Option<Value> {
        let inside = self.inside()?;
        if !N::IS_C {
            let is_tuple = inside.last().is_some_and(|last| last.is(b',')) || arguments(inside).len() > 1;
            return if is_tuple { self.extents(inside) } else { self.value(inside) };
        }
        match type_of(self.names, inside) {
            Some(ty) => {
                let value = self.unary()?;
                ty.convert(value)
            }
            None => self.value(inside),
        }
    }

    /// `{a, b, c}`
    fn list(&mut self) -> Option<Value> {
        let inside = self.inside()?;
        self.extents(inside)
    }

    fn extents(&self, tokens: &[Token]) -> Option<Value> {
        let mut extents = [1; 3];
        let parts = arguments(tokens);
        if parts.len() > 3 {
            return None;
        }
        for (extent, part) in extents.iter_mut().zip(parts) {
            let value = self.value(part)?;
            let value = if N::IS_C { value.truncated()? } else { value };
            let Value::Integer(value) = value else { return None };
            *extent = value;
        }
        Some(Value::Extents(extents))
    }

    fn number(&mut self) -> Option<Value> {
        let first = self.token(0)?;
        let mut text = self.names.text(first).replace(['\'', '_'], "");
        let mut end = first.end;
        self.at += 1;
        // The tokens of Python end at a dot and at a sign.
        while let Some(token) = self.token(0).filter(|token| !N::IS_C && token.start == end) {
            let continues = token.is(b'.')
                || matches!(token.kind, Kind::Number | Kind::Name)
                || matches!(token.kind, Kind::Punctuation(b'-' | b'+')) && text.ends_with(['e', 'E']);
            if !continues {
                break;
            }
            text += self.names.text(token);
            end = token.end;
            self.at += 1;
        }
        // Those of C++ end at the sign of an exponent.
        if N::IS_C && text.ends_with(['e', 'E']) && !text.starts_with("0x") {
            text += self.names.text(self.token(0).filter(|token| token.is(b'-') || token.is(b'+'))?);
            text += self.names.text(self.token(1)?);
            self.at += 2;
        }
        literal(&text)
    }

    fn named(&mut self) -> Option<Value> {
        let mut name = self.word(0)?.to_owned();
        self.at += 1;
        // The last two parts of a qualified name.
        loop {
            if N::IS_C && self.is(0, b':') && self.is(1, b':') {
                let last = name.rsplit("::").next().unwrap_or_default();
                name = format!("{last}::{}", self.word(2)?);
                self.at += 3;
            } else if self.is(0, b'.') && self.word(1).is_some() {
                let member = self.word(1)?.to_owned();
                let is_call = self.is(2, b'(');
                self.at += 2;
                if is_call && !N::IS_C && matches!(name.as_str(), "triton" | "tl" | "math" | "gl") {
                    name = member;
                    continue;
                }
                if is_call || !N::IS_C {
                    return None;
                }
                let Value::Extents(extents) = self.names.name(&name, self.depth)? else { return None };
                let axis = ["x", "y", "z"].iter().position(|axis| *axis == member)?;
                return Some(Value::Integer(extents[axis]));
            } else {
                break;
            }
        }
        match name.as_str() {
            "true" | "True" => return Some(Value::Integer(1)),
            "false" | "False" => return Some(Value::Integer(0)),
            "static_cast" if self.is(0, b'<') => {
                let close = self.tokens[self.at..].iter().position(|token| token.is(b'>'))? + self.at;
                let ty = type_of(self.names, &self.tokens[self.at + 1..close])?;
                self.at = close + 1;
                let inside = self.is(0, b'(').then(|| self.inside())??;
                return ty.convert(self.value(inside)?);
            }
            "dim3" | "uint3" if self.is(0, b'(') || self.is(0, b'{') => return self.list(),
            _ => {}
        }
        if self.is(0, b'(') || N::IS_C && self.is(0, b'{') {
            let inside = self.inside()?;
            return self.call(&name, inside);
        }
        if !N::IS_C && self.is(0, b'[') {
            let [key] = self.inside()? else { return None };
            let key = self.names.text(*key).trim_matches(['"', '\'']).to_owned();
            return self.names.entry(&name, &key, self.depth);
        }
        self.names.name(&name, self.depth)
    }

    fn call(&self, name: &str, inside: &[Token]) -> Option<Value> {
        let parts = arguments(inside);
        let name = name.rsplit("::").next().unwrap_or_default();
        if let Some(defined) = self.names.call(name, &parts, self.depth) {
            return defined;
        }
        if N::IS_C
            && let Some(ty) = Type::of(name)
        {
            return ty.convert(self.value(inside)?);
        }
        if N::IS_C && name == "sizeof" {
            return type_of(self.names, inside).map(|ty| Value::Integer(ty.bytes.into()));
        }
        let values: Option<Vec<Value>> = parts.iter().map(|part| self.value(part)).collect();
        match (plain(name).as_str(), values?.as_slice()) {
            (division, [Value::Integer(one), Value::Integer(other)])
                if DIVISIONS.contains(&division) && *one >= 0 && *other > 0 =>
            {
                Some(Value::Integer((one + other - 1) / other))
            }
            ("min", [Value::Integer(one), Value::Integer(other)]) => Some(Value::Integer(*one.min(other))),
            ("max", [Value::Integer(one), Value::Integer(other)]) => Some(Value::Integer(*one.max(other))),
            ("ceil" | "ceilf", [value]) => rounded(value.float()?.ceil(), N::IS_C),
            ("floor" | "floorf", [value]) => rounded(value.float()?.floor(), N::IS_C),
            ("int", [value]) => value.truncated(),
            ("nextpowerof2", [Value::Integer(value)]) => u32::try_from(*value)
                .ok()?
                .checked_next_power_of_two()
                .map(|value| Value::Integer(value.into())),
            _ => None,
        }
    }
}

/// Whether a call of a function with this name, which the file does not define, has a value.
pub(crate) fn is_builtin(name: &str) -> bool {
    const OTHERS: [&str; 6] = ["min", "max", "ceil", "ceilf", "floor", "floorf"];
    DIVISIONS.contains(&plain(name).as_str()) || OTHERS.contains(&name)
}

/// The names of functions that divide and round up, without underscores.
const DIVISIONS: [&str; 5] = ["cdiv", "ceildiv", "divup", "idivup", "divceil"];

/// A rounded number: C++ leaves it a float.
fn rounded(value: f64, is_c: bool) -> Option<Value> {
    if is_c { Some(Value::Float(value)) } else { Value::Float(value).truncated() }
}

/// `ceil_div`, `CeilDiv` and `CEIL_DIV` as one word.
fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

fn literal(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b"), lower.strip_prefix("0o"))
    {
        (Some(digits), ..) => (digits, 16),
        (_, Some(digits), _) => (digits, 2),
        (.., Some(digits)) => (digits, 8),
        _ => (lower.as_str(), 10),
    };
    let integer = digits.trim_end_matches(['u', 'l', 'z']);
    let is_octal = radix == 10 && integer.len() > 1 && integer.starts_with('0');
    if let Ok(value) = i64::from_str_radix(integer, if is_octal { 8 } else { radix }) {
        return Some(Value::Integer(value.into()));
    }
    lower.trim_end_matches(['f', 'l']).parse().ok().filter(|_| radix == 10).map(Value::Float)
}

fn apply(operator: &str, left: Value, right: Value, is_c: bool) -> Option<Value> {
    let (Value::Integer(one), Value::Integer(other)) = (left, right) else {
        let (one, other) = (left.float()?, right.float()?);
        return Some(match operator {
            "+" => Value::Float(one + other),
            "-" => Value::Float(one - other),
            "*" => Value::Float(one * other),
            "/" => Value::Float(one / other),
            "//" => Value::Float((one / other).floor()),
            "<" => Value::Integer((one < other).into()),
            ">" => Value::Integer((one > other).into()),
            _ => return None,
        });
    };
    let shift = || u32::try_from(other).ok().filter(|by| *by < 63);
    let value = match operator {
        "+" => one.checked_add(other)?,
        "-" => one.checked_sub(other)?,
        "*" => one.checked_mul(other)?,
        "/" if is_c => one.checked_div(other)?,
        "/" => return (other != 0).then(|| Value::Float(one as f64 / other as f64)),
        "//" => (other != 0)
            .then(|| one.div_euclid(other) - i128::from(other < 0 && one.rem_euclid(other) != 0))?,
        "%" if is_c => one.checked_rem(other)?,
        "%" => (other > 0).then(|| one.rem_euclid(other))?,
        "<<" => one.checked_mul(1 << shift()?)?,
        ">>" => one >> shift()?,
        "&" => one & other,
        "|" => one | other,
        "^" => one ^ other,
        "<" => (one < other).into(),
        ">" => (one > other).into(),
        "<=" => (one <= other).into(),
        ">=" => (one >= other).into(),
        "==" => (one == other).into(),
        "!=" => (one != other).into(),
        "&&" => (one != 0 && other != 0).into(),
        "||" => (one != 0 || other != 0).into(),
        _ => return None,
    };
    // Beyond 64 bits the program computes something else.
    i64::try_from(value).ok().map(|value| Value::Integer(value.into()))
}

/// A type of C++ whose size is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type {
    bytes: u8,
    is_float: bool,
    is_scalar: bool,
}

impl Type {
    const fn integer(bytes: u8) -> Type {
        Type { bytes, is_float: false, is_scalar: true }
    }

    /// The type with this name of one word.
    pub(crate) fn of(name: &str) -> Option<Type> {
        Some(match name {
            "char" | "bool" | "int8_t" | "uint8_t" | "int8" | "uint8" => Type::integer(1),
            "short" | "int16_t" | "uint16_t" => Type::integer(2),
            "int" | "unsigned" | "uint" | "int32_t" | "uint32_t" | "signed" => Type::integer(4),
            "long" | "size_t" | "int64_t" | "uint64_t" | "ptrdiff_t" => Type::integer(8),
            "float" => Type { bytes: 4, is_float: true, is_scalar: true },
            "double" => Type { bytes: 8, is_float: true, is_scalar: true },
            "half" | "__half" | "__nv_bfloat16" | "nv_bfloat16" => {
                Type { bytes: 2, is_float: true, is_scalar: false }
            }
            "float2" | "int2" | "uint2" => Type { bytes: 8, is_float: false, is_scalar: false },
            "float4" | "int4" | "uint4" | "double2" => Type { bytes: 16, is_float: false, is_scalar: false },
            _ => return None,
        })
    }

    /// A value of the type from another one.
    fn convert(self, value: Value) -> Option<Value> {
        match value {
            _ if !self.is_scalar => None,
            Value::Extents(_) => None,
            Value::Integer(value) if self.is_float => Some(Value::Float(value as f64)),
            // A number that does not fit wraps.
            Value::Integer(value) if self.bytes < 8 && value.abs() >= 1 << (8 * self.bytes) => None,
            value if self.is_float => Some(value),
            value => value.truncated(),
        }
    }
}

/// The type that some words name: `unsigned int`, `std::size_t`.
pub(crate) fn type_of<N: Names>(names: &N, tokens: &[Token]) -> Option<Type> {
    let mut found: Option<Type> = None;
    for token in tokens {
        match token.kind {
            Kind::Punctuation(b':') => continue,
            Kind::Name => {}
            _ => return None,
        }
        let text = names.text(*token);
        if matches!(text, "std" | "const" | "static" | "constexpr" | "inline") {
            continue;
        }
        let next = Type::of(text)?;
        found = Some(match (found, text) {
            // `long double` has 16 bytes on the host only.
            (Some(_), "double") => return None,
            // `unsigned char`, `long int`
            (Some(before), "int") => before,
            _ => next,
        });
    }
    found
}
