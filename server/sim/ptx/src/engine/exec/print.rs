//! Device `printf`: formats arguments as C does.
//!
//! Independent of memory: the caller supplies arguments and strings.

mod conversion;
mod float;
use warplens_sim_cuda::fault::Result;

use self::conversion::Conversion;

/// Maximum field width and precision; a program may request any number.
const MAX_WIDTH: usize = 4096;

pub(crate) trait Arguments {
    /// The next argument, 4 or 8 bytes long; 0 after the last one.
    fn next(&mut self, bytes: u32) -> Result<u64>;
    fn text(&mut self, address: u64) -> Result<Vec<u8>>;
    /// A conversion wrote this many bytes. An error ends the call.
    fn wrote(&mut self, bytes: usize) -> Result;
    fn pointer_bytes(&self) -> u32;
}

/// The most that a call prints, in bytes: as much as the device's buffer holds.
const MAX_PRINTED: usize = 1 << 20;

/// Appends the formatted text to `out`; returns the number of arguments used.
pub(crate) fn print(format: &[u8], arguments: &mut impl Arguments, out: &mut Vec<u8>) -> Result<u32> {
    let mut rest = format;
    let mut taken = 0;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        out.extend_from_slice(&rest[..at]);
        let mut scanner = Scanner { rest: &rest[at + 1..] };
        let before = out.len();
        let conversion = scanner.conversion(arguments, &mut taken)?;
        match conversion.kind {
            b'%' => out.push(b'%'),
            kind if b"diouxXcspnfFeEgGaA".contains(&kind) => {
                taken += 1;
                conversion.write(arguments, out)?;
            }
            // An invalid conversion is copied as written.
            _ => out.extend_from_slice(&rest[at..rest.len() - scanner.rest.len()]),
        }
        arguments.wrote(1 + out.len() - before)?;
        out.truncate(MAX_PRINTED);
        rest = scanner.rest;
    }
    out.extend_from_slice(rest);
    Ok(taken)
}

/// Reads a conversion after the `%`.
struct Scanner<'f> {
    rest: &'f [u8],
}

impl Scanner<'_> {
    fn take(&mut self, byte: u8) -> bool {
        let there = self.rest.first() == Some(&byte);
        self.rest = &self.rest[usize::from(there)..];
        there
    }

    fn conversion(&mut self, arguments: &mut impl Arguments, taken: &mut u32) -> Result<Conversion> {
        let mut conversion = Conversion { bytes: 4, ..Conversion::default() };
        self.flags(&mut conversion);
        if let Some(width) = self.number(arguments, taken)? {
            conversion.pads_right |= width < 0;
            conversion.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
        }
        if self.take(b'.') {
            let precision = self.number(arguments, taken)?.unwrap_or(0);
            // A negative precision counts as omitted.
            conversion.precision = usize::try_from(precision).ok().map(|digits| digits.min(MAX_WIDTH));
        }
        conversion.bytes = self.bytes(arguments);
        if let Some((&kind, rest)) = self.rest.split_first() {
            (conversion.kind, self.rest) = (kind, rest);
        }
        Ok(conversion)
    }

    fn flags(&mut self, conversion: &mut Conversion) {
        while let Some((&flag, rest)) = self.rest.split_first() {
            match flag {
                b'-' => conversion.pads_right = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'#' => conversion.alternate = true,
                b'0' => conversion.zeros = true,
                _ => return,
            }
            self.rest = rest;
        }
    }

    /// A number, or `*` for an argument.
    fn number(&mut self, arguments: &mut impl Arguments, taken: &mut u32) -> Result<Option<i32>> {
        if self.take(b'*') {
            *taken += 1;
            return Ok(Some(arguments.next(4)? as i32));
        }
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let value = number
            .iter()
            .fold(0i32, |value, digit| value.saturating_mul(10).saturating_add(i32::from(digit - b'0')));
        Ok((digits > 0).then_some(value))
    }

    /// The length modifier, as the size of an integer in bytes.
    fn bytes(&mut self, arguments: &impl Arguments) -> u32 {
        if self.take(b'h') {
            return if self.take(b'h') { 1 } else { 2 };
        }
        if self.take(b'l') {
            self.take(b'l');
            return 8;
        }
        if self.take(b'j') || self.take(b'q') || self.take(b'L') {
            return 8;
        }
        if self.take(b'z') || self.take(b't') { arguments.pointer_bytes() } else { 4 }
    }
}

impl Conversion {
    fn write(&self, arguments: &mut impl Arguments, out: &mut Vec<u8>) -> Result {
        match self.kind {
            b'd' | b'i' => {
                let value = arguments.next(self.bytes.max(4))?;
                let unused = 64 - 8 * self.bytes;
                let value = (value << unused) as i64 >> unused;
                self.number(self.sign(value < 0), "", &self.digits(value.unsigned_abs(), 10), out);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = arguments.next(self.bytes.max(4))? & u64::MAX >> (64 - 8 * self.bytes);
                self.unsigned(value, out);
            }
            b'c' => {
                let value = arguments.next(4)? as u8;
                self.pad(&[value], out);
            }
            b's' => {
                let address = arguments.next(arguments.pointer_bytes())?;
                let text = if address == 0 { b"(null)".to_vec() } else { arguments.text(address)? };
                let kept = self.precision.unwrap_or(usize::MAX).min(text.len());
                self.pad(&text[..kept], out);
            }
            b'p' => match arguments.next(arguments.pointer_bytes())? {
                0 => self.pad(b"(nil)", out),
                address => self.number("", "0x", &format!("{address:x}"), out),
            },
            // `%n` writes nothing, as on the device.
            b'n' => {
                arguments.next(arguments.pointer_bytes())?;
            }
            _ => {
                let value = f64::from_bits(arguments.next(8)?);
                float::write(self, value, out);
            }
        }
        Ok(())
    }

    fn unsigned(&self, value: u64, out: &mut Vec<u8>) {
        let radix = match self.kind {
            b'o' => 8,
            b'u' => 10,
            _ => 16,
        };
        let mut digits = self.digits(value, radix);
        if self.kind == b'o' && self.alternate && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let prefix = match self.kind {
            b'x' if self.alternate && value != 0 => "0x",
            b'X' if self.alternate && value != 0 => "0X",
            _ => "",
        };
        self.number("", prefix, &digits, out);
    }

    /// The digits of an integer, at least `precision` of them. Zero with precision 0 has none.
    fn digits(&self, value: u64, radix: u32) -> String {
        let digits = match radix {
            8 => format!("{value:o}"),
            10 => value.to_string(),
            _ if self.kind == b'X' => format!("{value:X}"),
            _ => format!("{value:x}"),
        };
        match self.precision {
            Some(0) if value == 0 => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits,
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        }
    }

    /// Assembles a number; zero padding is inserted between prefix and digits.
    fn number(&self, sign: &str, prefix: &str, digits: &str, out: &mut Vec<u8>) {
        let is_integer = b"diouxXp".contains(&self.kind);
        let finite = digits.bytes().any(|byte| byte.is_ascii_digit());
        let zeros = self.zeros && !self.pads_right && !(is_integer && self.precision.is_some());
        let head = sign.len() + prefix.len();
        let digits = match zeros && (finite || is_integer) {
            true => format!("{digits:0>width$}", width = self.width.saturating_sub(head)),
            false => digits.to_owned(),
        };
        self.pad(format!("{sign}{prefix}{digits}").as_bytes(), out);
    }

    fn pad(&self, text: &[u8], out: &mut Vec<u8>) {
        let padding = self.width.saturating_sub(text.len());
        if !self.pads_right {
            out.resize(out.len() + padding, b' ');
        }
        out.extend_from_slice(text);
        if self.pads_right {
            out.resize(out.len() + padding, b' ');
        }
    }
}

#[cfg(test)]
mod tests;
