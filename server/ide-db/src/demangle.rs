//! Source names of names that C++ compilers mangled.
//!
//! A mangled name of n characters can stand for 2^n: each part may repeat all earlier ones. Such a name is shown as
//! written.

use std::fmt;

use cpp_demangle::{DemangleOptions, DemangleWrite, ParseOptions, Symbol};

/// The longest source name, in bytes.
const MAX_LEN: usize = 4096;

/// Names of real kernels nest up to 30 levels; the parser's time grows exponentially with the levels it tries.
const MAX_DEPTH: u32 = 64;

/// `saxpy(int, float*)` for `_Z5saxpyiPf`; `None` if the name is not mangled, or its source name is too long.
pub fn demangled(name: &str) -> Option<String> {
    demangled_with(name, DemangleOptions::new())
}

/// `saxpy` for `_Z5saxpyiPf`; `None` if the name is not mangled, or its source name is too long.
pub fn source_name(name: &str) -> Option<String> {
    demangled_with(name, DemangleOptions::new().no_params().no_return_type())
}

fn demangled_with(name: &str, options: DemangleOptions) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > MAX_LEN {
        return None;
    }
    let symbol = Symbol::new_with_options(name, &ParseOptions::default().recursion_limit(MAX_DEPTH)).ok()?;
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// A text of at most `MAX_LEN` bytes; writing more is an error, which ends the demangling.
struct Bounded(String);

impl DemangleWrite for Bounded {
    fn write_string(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > MAX_LEN {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers() {
        assert_eq!(demangled("_Z5saxpyifPKfPf").as_deref(), Some("saxpy(int, float, float const*, float*)"));
        assert_eq!(source_name("_Z5saxpyifPKfPf").as_deref(), Some("saxpy"));
        assert_eq!(source_name("_ZN4cuda6reduceIfLi256EEEvPT_").as_deref(), Some("cuda::reduce<float, 256>"));
        assert_eq!(demangled("saxpy"), None);
        assert_eq!(demangled("_Z"), None);
        assert_eq!(demangled("_Z5saxpyi$local"), None);
    }

    #[test]
    fn a_name_whose_parts_double_is_shown_as_written() {
        // Each part names the one before it twice.
        let templates = |ids: &str| {
            let parts = ids.chars().map(|id| format!("S0_IS{id}_S{id}_E"));
            format!("_Z1f1A1BIS_S_E{}", parts.collect::<String>())
        };
        assert_eq!(demangled(&templates("1")).as_deref(), Some("f(A, B<A, A>, B<B<A, A>, B<A, A> >)"));
        assert_eq!(demangled(&templates("123456789ABCDEFGHIJKL")), None);
        assert_eq!(source_name(&templates("123456789ABCDEFGHIJKL")).as_deref(), Some("f"));

        let functions = |ids: &str| {
            let parts = ids.chars().map(|id| format!("PFvS{id}_S{id}_E"));
            format!("_Z1f1APFvS_S_E{}", parts.collect::<String>())
        };
        assert_eq!(
            demangled(&functions("1")).as_deref(),
            Some("f(A, void (*)(A, A), void (*)(void (*)(A, A), void (*)(A, A)))")
        );
        assert_eq!(demangled(&functions("13579BDFHJLNPRTVXZ")), None);

        assert_eq!(demangled(&format!("_Z1fIJ{}EEvDpT_", "i".repeat(4000))), None);
    }

    #[test]
    fn a_name_that_the_parser_would_try_in_many_ways_ends_soon() {
        assert_eq!(demangled(&format!("_Z1f1A1BIS_S_E{}", "f".repeat(20) + &"S0_If".repeat(200))), None);
    }
}
