//! Parses expressions.

use warplens_sim_warp::ScalarType;

/// How deep an expression may nest.
const MAX_DEPTH: u32 = 100;

/// The most characters of a name or a number.
const MAX_WORD: usize = 8192;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParseError {
    /// In bytes.
    pub(crate) offset: usize,
    pub(crate) message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Negate,
    Not,
    Complement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Any,
    All,
    Count,
    Minimum,
    Maximum,
    Absolute,
}

/// The memory that an expression names before its brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemorySpace {
    /// According to the address.
    Any,
    Global,
    Shared,
    Local,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Integer(i128),
    Float(f64),
    Name {
        text: String,
        offset: usize,
    },
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    Call(Function, Box<Node>),
    Memory {
        space: MemorySpace,
        address: Box<Node>,
        ty: ScalarType,
    },
    /// A value read as another type.
    As(Box<Node>, ScalarType),
}

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expression(pub(crate) Node);

impl Expression {
    pub(crate) fn parse(text: &str) -> Result<Expression, ParseError> {
        let mut words = text.split(|character: char| !is_word(character));
        if let Some(long) = words.find(|word| word.len() > MAX_WORD) {
            let offset = long.as_ptr() as usize - text.as_ptr() as usize;
            let message = format!("a name or a number has at most {MAX_WORD} characters");
            return Err(ParseError { offset, message });
        }
        let mut parser = Parser { text, at: 0, depth: 0 };
        let node = parser.binary(0)?;
        parser.skip_space();
        match parser.rest() {
            "" => Ok(Expression(node)),
            _ => Err(parser.error("expected an operator or the end")),
        }
    }

    /// Whether the expression uses the number of the visit.
    pub(crate) fn needs_visit(&self) -> bool {
        fn uses(node: &Node) -> bool {
            match node {
                Node::Integer(_) | Node::Float(_) => false,
                Node::Name { text, .. } => text == "visit",
                Node::Unary(_, one) | Node::Call(_, one) | Node::As(one, _) => uses(one),
                Node::Memory { address, .. } => uses(address),
                Node::Binary(_, left, right) => uses(left) || uses(right),
            }
        }
        uses(&self.0)
    }

    /// The space, the address and the type of the memory that the expression is, if it is memory.
    pub(crate) fn memory(&self) -> Option<(MemorySpace, Expression, ScalarType)> {
        match &self.0 {
            Node::Memory { space, address, ty } => Some((*space, Expression((**address).clone()), *ty)),
            _ => None,
        }
    }

    /// The name, if the expression is one.
    pub(crate) fn name(&self) -> Option<&str> {
        if let Node::Name { text, .. } = &self.0 { Some(text) } else { None }
    }
}

/// Operators by precedence, the weakest first; longer ones before their prefixes.
const LEVELS: [&[(&str, Binary)]; 9] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[
        ("==", Binary::Equal),
        ("!=", Binary::NotEqual),
        ("<=", Binary::LessEqual),
        (">=", Binary::GreaterEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

/// What starts like an operator but is another one.
const LONGER: [&str; 8] = ["||", "&&", "<<", ">>", "<=", ">=", "==", "!="];

/// Whether a character can be in a name or a number.
fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$' | '.')
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn error(&self, message: &str) -> ParseError {
        let found = match self.rest().chars().next() {
            None => "the end".to_owned(),
            Some(character) => format!("`{character}`"),
        };
        ParseError { offset: self.at, message: format!("{message}, found {found}") }
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.take(token) { Ok(()) } else { Err(self.error(&format!("expected `{token}`"))) }
    }

    fn operator(&mut self, level: usize) -> Option<Binary> {
        self.skip_space();
        let rest = self.rest();
        let (token, operator) = LEVELS[level].iter().find(|(token, _)| rest.starts_with(token))?;
        let is_longer = LONGER.iter().any(|longer| longer.len() > token.len() && rest.starts_with(longer));
        if is_longer {
            return None;
        }
        self.at += token.len();
        Some(*operator)
    }

    fn binary(&mut self, level: usize) -> Result<Node, ParseError> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let right = self.binary(level + 1)?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
            self.grow()?;
        }
        Ok(left)
    }

    /// Long chains nest to the left as deep as nested parentheses do.
    fn grow(&mut self) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("the expression has more than {MAX_DEPTH} nested parts: split it");
        Err(ParseError { offset: self.at, message })
    }

    fn unary(&mut self) -> Result<Node, ParseError> {
        self.skip_space();
        let operators = [("-", Unary::Negate), ("!", Unary::Not), ("~", Unary::Complement)];
        for (token, operator) in operators {
            if self.take(token) {
                self.grow()?;
                return Ok(Node::Unary(operator, Box::new(self.unary()?)));
            }
        }
        let mut node = self.primary()?;
        while self.rest().starts_with(':') {
            self.at += 1;
            node = Node::As(Box::new(node), self.scalar_type()?);
        }
        Ok(node)
    }

    fn scalar_type(&mut self) -> Result<ScalarType, ParseError> {
        let start = self.at;
        let name = self.word();
        ScalarType::from_name(name).ok_or_else(|| ParseError {
            offset: start,
            message: format!("unknown type `{name}`; expected one such as u32, s32, f32, b64"),
        })
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn primary(&mut self) -> Result<Node, ParseError> {
        self.skip_space();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Err(self.error("expected a value")) };
        match first {
            '(' => {
                self.at += 1;
                self.grow()?;
                let node = self.binary(0)?;
                self.expect(")")?;
                Ok(node)
            }
            '[' => self.memory(MemorySpace::Any),
            '0'..='9' => self.number(),
            '%' | '$' | '_' | 'a'..='z' | 'A'..='Z' => {
                let name = self.name();
                let function = match name {
                    "any" => Some(Function::Any),
                    "all" => Some(Function::All),
                    "popc" | "count" => Some(Function::Count),
                    "min" => Some(Function::Minimum),
                    "max" => Some(Function::Maximum),
                    "abs" => Some(Function::Absolute),
                    _ => None,
                };
                if let Some(function) = function.filter(|_| self.take("(")) {
                    self.grow()?;
                    let argument = self.binary(0)?;
                    self.expect(")")?;
                    return Ok(Node::Call(function, Box::new(argument)));
                }
                if self.rest().starts_with('[') {
                    let space = match name {
                        "global" => Some(MemorySpace::Global),
                        "shared" => Some(MemorySpace::Shared),
                        "local" => Some(MemorySpace::Local),
                        _ => None,
                    };
                    return match space {
                        Some(space) => self.memory(space),
                        None => Err(self.error("expected an operator; an element is `[name+4*index]:u32`")),
                    };
                }
                Ok(Node::Name { text: name.to_owned(), offset: start })
            }
            _ => Err(self.error("expected a value")),
        }
    }

    /// A name: `%r3`, `%tid.x`, `SR_TID.X`.
    fn name(&mut self) -> &'t str {
        let start = self.at;
        let rest = self.rest();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(|character: char| !is_word(character));
        self.at += end.map_or(rest.len(), |end| end + first);
        &self.text[start..self.at]
    }

    fn memory(&mut self, space: MemorySpace) -> Result<Node, ParseError> {
        self.expect("[")?;
        self.grow()?;
        let address = Box::new(self.binary(0)?);
        self.expect("]")?;
        let ty = match self.rest().starts_with(':') {
            true => {
                self.at += 1;
                self.scalar_type()?
            }
            false => ScalarType::U32,
        };
        Ok(Node::Memory { space, address, ty })
    }

    fn number(&mut self) -> Result<Node, ParseError> {
        let start = self.at;
        let rest = self.rest();
        let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
        let end = rest.find(|character: char| !(character.is_ascii_alphanumeric() || character == '.'));
        let text = &rest[..end.unwrap_or(rest.len())];
        self.at += text.len();
        let integer = match is_hex {
            true => i128::from_str_radix(&text[2..], 16).ok(),
            false => text.parse().ok(),
        };
        let float = || text.parse().ok().filter(|_| text.contains('.')).map(Node::Float);
        let node = integer.map(Node::Integer).or_else(float);
        node.ok_or_else(|| ParseError { offset: start, message: format!("`{text}` is not a number") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (usize, String) {
        let ParseError { offset, message } = Expression::parse(text).expect_err("an error");
        (offset, message)
    }

    #[test]
    fn errors_have_positions() {
        assert_eq!(error("%r3 >"), (5, "expected a value, found the end".to_owned()));
        assert_eq!(error("(1 + 2"), (6, "expected `)`, found the end".to_owned()));
        assert_eq!(error("1 ? 2"), (2, "expected an operator or the end, found `?`".to_owned()));
        assert_eq!(error("[tile]:u33").0, 7);
        assert_eq!(error("0xzz"), (0, "`0xzz` is not a number".to_owned()));
        assert!(error(&"(".repeat(1 << 20)).1.contains("nested"));
        assert!(error(&"1+".repeat(1 << 19)).1.contains("nested"));
        assert!(error(&"!".repeat(1 << 20)).1.contains("nested"));
        let long = format!("1 + {}", "a".repeat(1 << 20));
        assert_eq!(error(&long), (4, "a name or a number has at most 8192 characters".to_owned()));
    }

    #[test]
    fn precedence_is_that_of_c_where_people_agree() {
        let same = |one: &str, other: &str| {
            let parse = |text: &str| {
                let mut node = format!("{:?}", Expression::parse(text).expect("it is valid"));
                // Offsets differ.
                while let Some(at) = node.find("offset: ") {
                    let end = node[at..].find(' ').map_or(node.len(), |length| at + length + 1);
                    let digits = node[end..].find(|character: char| !character.is_ascii_digit()).unwrap_or(0);
                    node.replace_range(at..end + digits, "");
                }
                node
            };
            assert_eq!(parse(one), parse(other));
        };
        same("a + b * c", "a + (b * c)");
        same("a || b && c", "a || (b && c)");
        same("a & 3 == 3", "a & (3 == 3)");
        same("a << 1 < b", "(a << 1) < b");
        same("-a * b", "(-a) * b");
    }
}
