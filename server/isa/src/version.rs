//! Version numbers of an instruction set.

use std::fmt;

/// A version such as 8.6. Versions compare in release order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    pub major: u8,
    pub minor: u8,
}

impl Version {
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_compare_by_number_and_print_with_a_dot() {
        assert!(Version::new(8, 6) < Version::new(9, 0));
        assert!(Version::new(7, 8) < Version::new(7, 10));
        assert_eq!(Version::new(2, 3).to_string(), "2.3");
    }
}
