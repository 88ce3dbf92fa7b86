//! The names of memory objects and their elements in messages: `sdata[32]`, `tile[17][1]`.
//!
//! A name is shown as in the source: for a mangled name, the name of the variable alone.

use std::fmt::{self, Write};

use smol_str::SmolStr;

/// The longest name in a message; the middle of a longer one is omitted.
const MAX_NAME: usize = 28;

/// The declared shape of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    /// Bytes of an element. 0 means untyped bytes, as compilers declare arrays; the access then decides.
    pub element: u64,
    /// The dimensions, outermost first; empty for a scalar. The first one may be unknown.
    pub dimensions: Vec<u64>,
}

/// An object in a state space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Object {
    pub name: SmolStr,
    /// The address of the first byte.
    pub start: u64,
    pub len: u64,
    pub shape: ArrayShape,
}

impl ArrayShape {
    /// An array of elements of `element` bytes.
    pub fn array(element: u64) -> ArrayShape {
        ArrayShape { element, dimensions: vec![0] }
    }

    /// Bytes of an element, assuming an access of `size` bytes if the type is unknown.
    fn unit(&self, size: u64) -> u64 {
        match self.element {
            0 if self.dimensions.is_empty() => 1,
            0 => size.max(1),
            element => element,
        }
    }

    /// The index in each dimension of the byte at `offset`, for elements of `unit` bytes, and the remaining bytes.
    fn indices(&self, offset: u64, unit: u64) -> (Vec<u64>, u64) {
        let inner = self.dimensions.get(1..).unwrap_or_default();
        let mut indices = Vec::with_capacity(inner.len() + 1);
        let mut left = offset;
        for at in 0..inner.len() {
            let elements = inner[at..].iter().fold(1, |product: u64, count| product.saturating_mul(*count));
            let stride = elements.saturating_mul(self.element.max(1)).max(1);
            indices.push(left / stride);
            left %= stride;
        }
        indices.push(left / unit);
        (indices, left % unit)
    }
}

impl Object {
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.len)
    }

    /// The name as messages show it.
    pub fn display_name(&self) -> SmolStr {
        display_name(&self.name)
    }

    /// The element at `offset` for an access of `size` bytes, in backquotes: `sdata[32]`. The offset may be past the
    /// end.
    pub fn element(&self, offset: u64, size: u64) -> Element<'_> {
        Element { object: self, offset, size }
    }

    /// The size of the object in a message, for accesses of `size` bytes: `which has 64 elements`.
    pub fn extent(&self, size: u64) -> String {
        let Object { name, len, shape: ArrayShape { element, dimensions }, .. } = self;
        if *element != 0 && dimensions.len() > 1 {
            let extents: String = dimensions.iter().map(|extent| format!("[{extent}]")).collect();
            return format!("declared as `{}{extents}`", display_name(name));
        }
        match len / self.shape.unit(size) {
            1 => "which has 1 element".to_owned(),
            elements => format!("which has {} elements", grouped(elements)),
        }
    }

    /// The distance in bytes to an access of `span` bytes at `address`; 0 if they overlap.
    pub fn distance(&self, address: u64, span: u64) -> u64 {
        let after = address.saturating_sub(self.end().saturating_sub(1).max(self.start));
        self.start.saturating_sub(address.saturating_add(span.max(1) - 1)).max(after)
    }
}

/// An element of an object.
#[derive(Clone, Copy, Debug)]
pub struct Element<'o> {
    object: &'o Object,
    offset: u64,
    size: u64,
}

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Element { object: Object { name, len, shape, .. }, offset, size } = *self;
        let unit = shape.unit(size);
        let (indices, rest) = shape.indices(offset, unit);
        let (indices, rest) =
            if shape.element == 0 && rest != 0 { (Vec::new(), offset) } else { (indices, rest) };
        write!(f, "`{}", display_name(name))?;
        if *len != unit || offset >= unit {
            indices.iter().try_for_each(|index| write!(f, "[{index}]"))?;
        }
        f.write_char('`')?;
        if rest == 0 { Ok(()) } else { write!(f, " + {}", bytes(rest)) }
    }
}

/// A name as messages show it: the innermost part of a mangled name, shortened to fit in a message.
pub fn display_name(name: &str) -> SmolStr {
    let short = name.strip_prefix("_Z").and_then(source_name).unwrap_or_else(|| name.into());
    match short.char_indices().nth(MAX_NAME) {
        None => short,
        Some(_) => {
            let chars: Vec<char> = short.chars().collect();
            let half = MAX_NAME / 2;
            let (start, end) = (&chars[..half - 1], &chars[chars.len() - half..]);
            start.iter().copied().chain(['…']).chain(end.iter().copied()).collect()
        }
    }
}

/// The source name of a mangled name without its `_Z`: `tile` in `Z9transposePfE4tile`, `grid_group::sync` in
/// `N18cooperative_groups10grid_group4syncEv`, `param_0` in `9transposePf_param_0`.
fn source_name(mangled: &str) -> Option<SmolStr> {
    if let Some(at) = mangled.rfind("_param_") {
        return Some(mangled[at + 1..].into());
    }
    // A variable of a function follows the encoding of the function.
    if mangled.starts_with('Z') {
        let local = mangled.match_indices('E').map(|(at, _)| &mangled[at + 1..]);
        return local
            .filter_map(identifier)
            .find(|(_, rest)| is_discriminator(rest))
            .map(|(name, _)| name.into());
    }
    let Some(nested) = mangled.strip_prefix('N') else {
        return identifier(mangled).map(|(name, _)| name.into());
    };
    let mut left = nested.trim_start_matches(['r', 'V', 'K']);
    let mut names: Vec<&str> = Vec::new();
    while let Some((name, rest)) = identifier(left) {
        names.push(name);
        left = rest;
    }
    match names[..] {
        [] => None,
        [only] => Some(only.into()),
        [.., outer, inner] => Some(smol_str::format_smolstr!("{outer}::{inner}")),
    }
}

/// A length followed by that many characters: `4tile`.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let len: usize = text[..digits].parse().ok()?;
    text[digits..].split_at_checked(len).filter(|(name, _)| !name.is_empty())
}

/// The suffix that distinguishes variables of the same name in a function: `_0`.
fn is_discriminator(rest: &str) -> bool {
    rest.is_empty()
        || rest
            .strip_prefix('_')
            .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit() || b == b'_'))
}

/// `once`, `5 times`
pub fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// A number of bytes: `1 byte`, `1,024 bytes`.
pub fn bytes(number: u64) -> String {
    format!("{} byte{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number with its digits in groups of three: `1,024`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at != 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(shape: ArrayShape, len: u64, offset: u64, size: u64) -> String {
        Object { name: "x".into(), start: 0, len, shape }.element(offset, size).to_string()
    }

    #[test]
    fn elements_of_arrays() {
        let array = |element, dimensions: &[u64]| ArrayShape { element, dimensions: dimensions.into() };
        assert_eq!(element(array(4, &[64]), 256, 128, 4), "`x[32]`");
        assert_eq!(element(array(4, &[64]), 256, 256, 4), "`x[64]`");
        assert_eq!(element(array(4, &[64]), 256, 130, 2), "`x[32]` + 2 bytes");
        assert_eq!(element(array(4, &[32, 33]), 4224, 4 * (17 * 33 + 1), 4), "`x[17][1]`");
        assert_eq!(element(array(4, &[2, 3, 4]), 96, 4 * 23, 4), "`x[1][2][3]`");
        assert_eq!(element(array(16, &[4]), 64, 20, 4), "`x[1]` + 4 bytes");
        assert_eq!(element(array(4, &[]), 4, 0, 4), "`x`");
        assert_eq!(element(array(4, &[]), 4, 4, 4), "`x[1]`");
        assert_eq!(element(array(4, &[1]), 4, 0, 4), "`x`");
    }

    #[test]
    fn the_access_decides_the_elements_of_bytes() {
        let shape = |dimensions: &[u64]| ArrayShape { element: 0, dimensions: dimensions.into() };
        assert_eq!(element(shape(&[256]), 256, 128, 4), "`x[32]`");
        assert_eq!(element(shape(&[256]), 256, 127, 1), "`x[127]`");
        assert_eq!(element(shape(&[256]), 256, 127, 2), "`x` + 127 bytes");
        assert_eq!(element(shape(&[32, 132]), 4224, 17 * 132 + 4, 4), "`x[17][1]`");
    }

    #[test]
    fn distances() {
        let object = Object { name: "x".into(), start: 100, len: 10, shape: ArrayShape::default() };
        assert_eq!([object.distance(104, 4), object.distance(96, 4), object.distance(90, 4)], [0, 1, 7]);
        assert_eq!([object.distance(109, 4), object.distance(110, 4), object.distance(120, 4)], [0, 1, 11]);
    }

    #[test]
    fn mangled_names() {
        let check = |name: &str, expected: &str| assert_eq!(display_name(name), expected);
        check("sdata", "sdata");
        check("_ZZ9transposePfPKfE4tile", "tile");
        check("_ZZN3foo3barEvE4tile_0", "tile");
        check("_Z9transposePfPKf_param_0", "param_0");
        check("_Z9transposePfPKf", "transpose");
        check("_ZN18cooperative_groups4__v110grid_group4syncEv", "grid_group::sync");
        check("_ZN1a1bE", "a::b");
        check("_Z", "_Z");
        check("_Z99x", "_Z99x");
        check("_ZZ3fooE", "_ZZ3fooE");
        check("a_very_long_name_of_a_variable_in_a_kernel", "a_very_long_n…le_in_a_kernel");
    }

    #[test]
    fn numbers_in_groups() {
        assert_eq!([0, 999, 1024, 1234567].map(grouped), ["0", "999", "1,024", "1,234,567"]);
    }
}
