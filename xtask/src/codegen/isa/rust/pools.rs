//! Shared tables of distinct entries.

use std::collections::HashMap;

/// The shared tables, one for each interned type.
pub(crate) struct Pools(pub(super) Vec<Pool>);

pub(super) struct Pool {
    pub(super) ty: &'static str,
    pub(super) table: &'static str,
    pub(super) entries: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Pools {
    /// Empty tables for these types, with the names of the tables.
    pub(super) fn new(interned: &[(&'static str, &'static str)]) -> Self {
        let pool = |&(ty, table)| Pool { ty, table, entries: Vec::new(), numbers: HashMap::new() };
        Self(interned.iter().map(pool).collect())
    }

    /// The table in which entries of a type are interned, and the index of this entry in it.
    pub(super) fn intern(&mut self, ty: &str, entry: &str) -> Option<(&'static str, usize)> {
        let pool = self.0.iter_mut().find(|pool| pool.ty == ty)?;
        let next = pool.numbers.len();
        let number = *pool.numbers.entry(entry.to_owned()).or_insert(next);
        if number == next {
            pool.entries.push(entry.to_owned());
        }
        Some((pool.table, number))
    }
}
