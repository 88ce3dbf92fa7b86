//! Source names of names that C++ compilers mangled.

use cpp_demangle::{DemangleOptions, Symbol};

/// `saxpy(int, float*)` for `_Z5saxpyiPf`; `None` if the name is not mangled.
pub fn demangled(name: &str) -> Option<String> {
    parse(name)?.demangle().ok()
}

/// `saxpy` for `_Z5saxpyiPf`; `None` if the name is not mangled.
pub fn source_name(name: &str) -> Option<String> {
    let options = DemangleOptions::new().no_params().no_return_type();
    parse(name)?.demangle_with_options(&options).ok()
}

fn parse(name: &str) -> Option<Symbol<&str>> {
    if !name.starts_with("_Z") {
        return None;
    }
    Symbol::new(name).ok()
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
}
