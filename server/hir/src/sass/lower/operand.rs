//! Lowers tokens to operands.

use smallvec::SmallVec;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_isa::sass as isa;
use warplens_syntax::SyntaxKind::{
    self, AT, BACKQUOTE, BANG, COLON, COMMA, DOT_WORD, FLOAT_NUMBER, IDENT, INT_NUMBER, L_BRACE, L_BRACKET,
    L_PAREN, MINUS, PIPE, PLUS, R_BRACKET, R_PAREN, STAR, TILDE,
};
use warplens_syntax::{Node, Token};

use crate::sass::model::Word;
use crate::sass::operand::{
    Address, AddressTerm, Condition, Constant, Immediate, Operand, Part, RegisterTarget, Symbol, Value,
};
use crate::sass::register::Register;

/// The value of `0x1f` or `31`.
pub(super) fn integer(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The value of a number, negated after a minus sign. Resets `negative` for the next number.
pub(super) fn signed(text: &str, negative: &mut bool) -> i64 {
    let number = integer(text).unwrap_or_default() as i64;
    if std::mem::take(negative) { number.wrapping_neg() } else { number }
}

/// What a number without `0x` and without a decimal point is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decimals {
    Integers,
    /// NVIDIA's tools print the float 1 as `1`.
    Floats,
}

impl Decimals {
    /// The decimals of an opcode. NVIDIA's tools print none in an integer instruction; assemblers and people do.
    pub(super) fn of(opcode: &str) -> Decimals {
        let category = isa::opcode(opcode).map_or("", |entry| entry.category.id);
        let is_float = opcode.trim_start_matches('U').starts_with('F') && !opcode.ends_with("FLO");
        match category {
            "integer" | "move" | "predicate" | "memory" | "control" | "misc" | "video" | "warp" => {
                Decimals::Integers
            }
            "convert" | "uniform" if !is_float => Decimals::Integers,
            _ => Decimals::Floats,
        }
    }
}

impl Operand {
    /// The operand that should follow a comma.
    pub(super) fn missing(at: TextSize) -> Operand {
        Operand::unknown(TextRange::empty(at), 0)
    }

    /// What stands for the operands of a line that is not read.
    pub(super) fn unread(range: TextRange) -> Operand {
        Operand::unknown(range, 0)
    }

    fn unknown(range: TextRange, first_suffix: u32) -> Operand {
        Operand {
            range,
            negated: false,
            inverted: false,
            not: false,
            absolute: false,
            reuse: false,
            value: Value::Unknown,
            first_suffix,
            suffix_count: 0,
        }
    }
}

/// Lowers an operand, appending its suffixes to the words of the function.
pub(super) fn lower(node: Node<'_>, decimals: Decimals, words: &mut Vec<Word>) -> Operand {
    let tokens: SmallVec<[Token<'_>; 16]> = node.tokens().collect();
    let mut reader = Reader { tokens: &tokens, at: 0, decimals };
    let mut operand = Operand::unknown(node.range(), words.len() as u32);
    reader.operators(&mut operand);
    operand.value = reader.value();
    if let Value::Immediate(immediate) = &mut operand.value
        && std::mem::take(&mut operand.negated)
    {
        *immediate = immediate.negated();
    }
    reader.suffixes(&mut operand, words);
    if let Value::Register(register) = operand.value
        && !reader.at_end()
        && let Some(target) = reader.register_target(register, tokens[0].range())
    {
        operand.value = target;
    }
    // More follows without a comma: `CC.EQ 0x28`, or a target such as `R0 c[0x0][0x20]`, which no machine code has.
    let is_followed = match operand.value {
        Value::Condition(_) | Value::Flags => !reader.at_end(),
        Value::Register(_) => reader.kind(0) == Some(IDENT) && reader.kind(1) == Some(L_BRACKET),
        _ => false,
    };
    if is_followed {
        operand.value = Value::Unknown;
    }
    operand
}

struct Reader<'s, 't> {
    tokens: &'s [Token<'t>],
    at: usize,
    decimals: Decimals,
}

impl<'t> Reader<'_, 't> {
    fn kind(&self, ahead: usize) -> Option<SyntaxKind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn eat(&mut self, kind: SyntaxKind) -> Option<Token<'t>> {
        let token = self.tokens.get(self.at).copied().filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    fn word(&mut self) -> Option<&'t str> {
        self.eat(DOT_WORD).map(Token::word)
    }

    fn operators(&mut self, operand: &mut Operand) {
        loop {
            match self.kind(0) {
                Some(MINUS) => operand.negated ^= true,
                Some(TILDE) => operand.inverted = true,
                Some(BANG) => operand.not = true,
                Some(PIPE) => operand.absolute = true,
                Some(PLUS) => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn suffixes(&mut self, operand: &mut Operand, words: &mut Vec<Word>) {
        loop {
            if self.eat(PIPE).is_some() {
                continue;
            }
            let Some(token) = self.eat(DOT_WORD) else { return };
            match token.word() {
                "reuse" => operand.reuse = true,
                text => {
                    operand.suffix_count = operand.suffix_count.saturating_add(1);
                    words.push(word(text, token));
                }
            }
        }
    }

    fn value(&mut self) -> Value {
        let Some(&token) = self.tokens.get(self.at) else { return Value::Unknown };
        match token.kind {
            IDENT => self.identifier(token),
            INT_NUMBER if self.kind(1) == Some(AT) => self.expression(),
            INT_NUMBER => {
                self.at += 1;
                Value::Immediate(number(token.text, self.decimals))
            }
            FLOAT_NUMBER => {
                self.at += 1;
                Value::Immediate(Immediate::Float(token.text.parse().unwrap_or_default()))
            }
            BACKQUOTE | L_PAREN => self.expression(),
            L_BRACKET => self.address("", None),
            L_BRACE => self.set(),
            _ => Value::Unknown,
        }
    }

    fn identifier(&mut self, token: Token<'t>) -> Value {
        let text = token.text;
        if let Some(register) = Register::parse(text) {
            self.at += 1;
            return Value::Register(register);
        }
        if matches!(self.kind(1), Some(AT)) {
            return self.expression();
        }
        self.at += 1;
        if self.kind(0) == Some(L_BRACKET) {
            match text {
                "c" | "cx" => return self.constant(),
                "desc" | "gdesc" | "idesc" => {
                    let descriptor = self.descriptor();
                    return self.address(text, descriptor);
                }
                _ => return self.address(text, None),
            }
        }
        match text {
            "INF" => Value::Immediate(Immediate::Float(f64::INFINITY)),
            "QNAN" => Value::Immediate(Immediate::NotANumber { negative: false, signaling: false }),
            "SNAN" => Value::Immediate(Immediate::NotANumber { negative: false, signaling: true }),
            "CC" => match self.word() {
                Some(test) => {
                    Condition::parse(test).map_or_else(|| Value::UnknownTest(test.into()), Value::Condition)
                }
                None => Value::Flags,
            },
            "REL" | "ABS" if self.kind(0) == Some(COLON) => self.place(text),
            _ if text.starts_with("SR") && (text.starts_with("SR_") || text == "SRZ") => {
                Value::Special(self.special(text))
            }
            _ if is_label(text) => {
                let (name, range) = (text.into(), token.range());
                Value::Symbol(Symbol { name, range, addend: 0, part: Part::Whole, base: None })
            }
            _ => Value::Word(text.into()),
        }
    }

    /// `SR_TID.X`, in which the words after dots belong to the name.
    fn special(&mut self, first: &str) -> SmolStr {
        let words = std::iter::from_fn(|| self.word());
        std::iter::once(first).chain(words).collect::<Vec<_>>().join(".").into()
    }

    /// `REL:0x28`, `ABS:-0x40`
    fn place(&mut self, word: &str) -> Value {
        self.eat(COLON);
        let offset = self.sum().0;
        if word == "REL" { Value::Relative(offset) } else { Value::Absolute(offset) }
    }

    /// `[0x3][R4+0x10]` after `c`, or `[UR4][0x10]` after `cx`.
    fn constant(&mut self) -> Value {
        let mut constant = Constant { bank: None, descriptor: None, register: None, offset: 0, symbol: None };
        self.eat(L_BRACKET);
        let (bank, terms, symbol) = self.sum_with_terms();
        self.eat(R_BRACKET);
        constant.descriptor = terms.first().map(|term| term.register);
        constant.symbol = symbol;
        if constant.descriptor.is_none() && constant.symbol.is_none() {
            constant.bank = u32::try_from(bank).ok();
        }
        if self.eat(L_BRACKET).is_some() {
            let (offset, terms, symbol) = self.sum_with_terms();
            if self.kind(0) == Some(STAR) {
                return Value::Unknown;
            }
            self.eat(R_BRACKET);
            constant.offset = offset;
            constant.register = terms.first().map(|term| term.register);
            constant.symbol = symbol.or(constant.symbol);
        } else if constant.symbol.is_some() {
            constant.offset = bank;
        }
        Value::Constant(constant)
    }

    /// `[UR4]` in `desc[UR4][R2.64]`
    fn descriptor(&mut self) -> Option<Register> {
        self.eat(L_BRACKET);
        let register = self.eat(IDENT).and_then(|token| Register::parse(token.text));
        while self.eat(DOT_WORD).is_some() {}
        self.eat(R_BRACKET);
        register
    }

    fn address(&mut self, prefix: &str, descriptor: Option<Register>) -> Value {
        let (mut terms, mut offset, mut symbol) = (Vec::new(), 0, None);
        if self.eat(L_BRACKET).is_some() {
            (offset, terms, symbol) = self.sum_with_terms();
            // A product that is no scaled register: the rest of the sum is not read.
            if self.kind(0) == Some(STAR) {
                return Value::Unknown;
            }
            self.eat(R_BRACKET);
        }
        Value::Address(Box::new(Address { prefix: prefix.into(), descriptor, terms, offset, symbol }))
    }

    /// The sum of the numbers up to a token that is not part of a sum.
    fn sum(&mut self) -> (i64, bool) {
        let (mut sum, mut negative, mut any) = (0_i64, false, false);
        loop {
            match self.kind(0) {
                Some(PLUS) => {}
                Some(MINUS) => negative ^= true,
                Some(INT_NUMBER) => {
                    sum = sum.wrapping_add(signed(self.tokens[self.at].text, &mut negative));
                    any = true;
                }
                _ => return (sum, any),
            }
            self.at += 1;
        }
    }

    /// The terms up to a bracket or an unknown product: numbers, registers, a symbol.
    fn sum_with_terms(&mut self) -> (i64, Vec<AddressTerm>, Option<Symbol>) {
        let (mut offset, mut terms, mut symbol, mut negated) = (0_i64, Vec::new(), None, false);
        while let Some(&token) = self.tokens.get(self.at) {
            match token.kind {
                R_BRACKET | STAR => break,
                MINUS => negated ^= true,
                INT_NUMBER => offset = offset.wrapping_add(signed(token.text, &mut negated)),
                IDENT => {
                    if let Some(register) = Register::parse(token.text) {
                        self.at += 1;
                        terms.push(self.term(register, token.range(), std::mem::take(&mut negated)));
                        continue;
                    }
                }
                BACKQUOTE | L_PAREN => {
                    if let Value::Symbol(found) = self.expression() {
                        symbol = Some(found);
                    }
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        (offset, terms, symbol)
    }

    fn term(&mut self, register: Register, range: TextRange, negated: bool) -> AddressTerm {
        let mut term = AddressTerm { register, range, negated, is_wide: false, is_unsigned: false, scale: 1 };
        while let Some(word) = self.word() {
            match word {
                "64" => term.is_wide = true,
                "U32" => term.is_unsigned = true,
                "X4" => term.scale = 4,
                "X8" => term.scale = 8,
                "X16" => term.scale = 16,
                _ => {}
            }
        }
        // `R0*4`, as people write `R0.X4`.
        if term.scale == 1
            && let [star, number, ..] = self.tokens[self.at..]
            && star.kind == STAR
            && let Some(scale @ (4 | 8 | 16)) = integer(number.text).filter(|_| number.kind == INT_NUMBER)
        {
            term.scale = scale as _;
            self.at += 2;
        }
        term
    }

    /// `{0,2}`
    fn set(&mut self) -> Value {
        let mut set = 0;
        self.eat(L_BRACE);
        while let Some(&token) = self.tokens.get(self.at) {
            self.at += 1;
            match token.kind {
                INT_NUMBER => {
                    let bit = integer(token.text).and_then(|bit| u32::try_from(bit).ok());
                    set |= bit.and_then(|bit| 1_u32.checked_shl(bit)).unwrap_or_default();
                }
                COMMA => {}
                _ => break,
            }
        }
        Value::Set(set)
    }

    /// `` `(name) ``, `` `((name + 0x10)) ``, `32@lo((fn + .L_x_0@srel))`, `fun@fdesc(name)`.
    fn expression(&mut self) -> Value {
        let (mut part, mut addend, mut negative) = (Part::Whole, 0_i64, false);
        let mut names: SmallVec<[Token<'t>; 2]> = SmallVec::new();
        let mut depth = 0_i32;
        while let Some(&token) = self.tokens.get(self.at) {
            let after_at = self.at > 0 && self.tokens[self.at - 1].kind == AT;
            match token.kind {
                L_PAREN => depth += 1,
                R_PAREN => depth -= 1,
                BACKQUOTE | AT | PLUS => {}
                MINUS => negative = true,
                IDENT if after_at => match token.text {
                    "lo" => part = Part::Low,
                    "hi" => part = Part::High,
                    "fdesc" => part = Part::Descriptor,
                    _ => {}
                },
                IDENT if self.kind(1) == Some(AT) && depth == 0 => {}
                IDENT => names.push(token),
                INT_NUMBER if self.kind(1) == Some(AT) => {}
                INT_NUMBER => addend = addend.wrapping_add(signed(token.text, &mut negative)),
                _ => break,
            }
            self.at += 1;
            if depth == 0 && token.kind == R_PAREN {
                break;
            }
        }
        let (base, name) = match names[..] {
            [] => return Value::Unknown,
            [name] => (None, name),
            [base, name, ..] => (Some(base.text.into()), name),
        };
        Value::Symbol(Symbol { name: name.text.into(), range: name.range(), addend, part, base })
    }

    /// A register with an addend: `R4 -0xb0`, `R5+0x128`, ``R20 `(votes)``, `UR4 [0x10]`.
    fn register_target(&mut self, register: Register, range: TextRange) -> Option<Value> {
        let (mut offset, any) = self.sum();
        let mut symbol = None;
        match self.kind(0) {
            Some(BACKQUOTE | L_PAREN) => match self.expression() {
                Value::Symbol(found) => symbol = Some(found),
                _ => return None,
            },
            Some(L_BRACKET) => {
                self.at += 1;
                offset = self.sum().0;
                self.eat(R_BRACKET);
            }
            _ if !any => return None,
            _ => {}
        }
        Some(Value::RegisterTarget(Box::new(RegisterTarget { register, range, offset, symbol })))
    }
}

impl Immediate {
    pub fn negated(self) -> Immediate {
        match self {
            Immediate::Integer(number) => Immediate::Integer(number.wrapping_neg()),
            Immediate::Float(number) => Immediate::Float(-number),
            Immediate::NotANumber { negative, signaling } => {
                Immediate::NotANumber { negative: !negative, signaling }
            }
        }
    }
}

/// A number with `0x` is an integer; any other may be a float, even without a decimal point.
fn number(text: &str, decimals: Decimals) -> Immediate {
    if text.starts_with("0x") || text.starts_with("0X") || decimals == Decimals::Integers {
        Immediate::Integer(integer(text).unwrap_or_default() as i64)
    } else {
        Immediate::Float(text.parse().unwrap_or_default())
    }
}

/// Whether a bare word is a label of an assembler rather than a word of the instruction set, as far as the
/// two can be distinguished.
fn is_label(text: &str) -> bool {
    let is_other = text.starts_with("Rpc") || text.starts_with("gsb");
    !is_other && (text.starts_with(['.', '$', '_']) || text.bytes().any(|byte| byte.is_ascii_lowercase()))
}

pub(super) fn word(text: &str, token: Token<'_>) -> Word {
    let end = token.range().end();
    Word { text: text.into(), range: TextRange::new(end - TextSize::of(text), end) }
}
