//! Renders table entries as Rust source.
//!
//! Entries of the types named in [`Source::new`] are interned: equal entries are written once, in a shared table, and lists
//! contain their indexes. (References instead of indexes would cost rustc half of its time for the tables.) A field that is
//! not written has its value in the constant `EMPTY` of its type.

mod literal;
mod pools;

use anyhow::{Result, bail};

pub(crate) use literal::{Literal, newtype, structure, variant};
pub(crate) use pools::Pools;

/// Renders entries, and collects the shared tables that they refer to.
pub(super) struct Source {
    pools: Pools,
}

/// An expression that is rendered unchanged.
#[derive(Default, Clone)]
pub(super) struct Expression(pub(super) String);

impl Literal for Expression {
    fn literal(&self, _: &mut Pools) -> String {
        self.0.clone()
    }
}

impl Source {
    /// Interns the entries of these types, each of which has a table with a name.
    pub(super) fn new(interned: &[(&'static str, &'static str)]) -> Self {
        Self { pools: Pools::new(interned) }
    }

    /// Renders `pub(crate) static NAME: [TYPE; n] = [...];`.
    pub(super) fn table<T: Literal>(&mut self, name: &str, ty: &str, entries: &[T]) -> String {
        let entries: Vec<String> = entries.iter().map(|entry| entry.literal(&mut self.pools)).collect();
        table(name, ty, &entries)
    }

    /// Renders a table, and the one that finds its entries by name: `TYPE_NAMES` for `TYPES`.
    pub(super) fn named_table<T: Literal>(
        &mut self,
        table: &str,
        ty: &str,
        entries: &[T],
        name: impl Fn(&T) -> &str,
    ) -> Result<String> {
        let named: Vec<(&str, usize)> =
            entries.iter().enumerate().map(|(index, entry)| (name(entry), index)).collect();
        let names = format!("{}_NAMES", table.trim_end_matches('S'));
        Ok(self.table(table, ty, entries) + &self::names(&names, &named)?)
    }

    pub(super) fn shared_tables(&self) -> String {
        self.pools.0.iter().map(|pool| entry_a_line(&table(pool.table, pool.ty, &pool.entries))).collect()
    }
}

fn table(name: &str, ty: &str, entries: &[String]) -> String {
    format!("pub(crate) static {name}: [{ty}; {}] = [{}];\n\n", entries.len(), entries.join(",\n"))
}

/// Keeps a line for each entry of a table, however long: a changed entry is then one changed line.
fn entry_a_line(table: &str) -> String {
    format!("#[rustfmt::skip]\n{table}")
}

/// Renders `pub(crate) static NAME: &[&str] = &[...];`.
pub(super) fn strings<S: AsRef<str>>(name: &str, texts: impl IntoIterator<Item = S>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| format!("{:?}", text.as_ref())).collect();
    format!("pub(crate) static {name}: &[&str] = &[{}];\n\n", texts.join(", "))
}

/// Renders `pub(crate) static NAME: Names`, which maps names to indexes.
pub(super) fn names(name: &str, entries: &[(&str, usize)]) -> Result<String> {
    let mut entries = entries.to_vec();
    entries.sort_unstable();
    if let Some([(key, _), _]) = entries.array_windows().find(|[(one, _), (other, _)]| one == other) {
        bail!("`{key}` is twice in {name}");
    }
    Ok(format!("pub(crate) static {name}: Names = Names(&{entries:?});\n\n"))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_are_sorted_and_distinct() {
        let sorted = names("NAMES", &[("b", 0), ("a", 1)]).unwrap();
        assert_eq!(sorted, "pub(crate) static NAMES: Names = Names(&[(\"a\", 1), (\"b\", 0)]);\n\n");
        assert!(names("NAMES", &[("a", 0), ("b", 1), ("a", 2)]).is_err());
    }
}
