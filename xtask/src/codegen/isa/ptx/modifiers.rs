//! The meaning of each modifier in each class.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, ensure};

use crate::codegen::isa::data::{names, sentence};
use crate::codegen::isa::ptx_data::Data;
use crate::codegen::isa::rust::{self, Source, strings};
use crate::codegen::isa::schema::ptx::Modifier;
use crate::codegen::isa::schema::storage::Words;

/// The entries of `modifiers.toml`, and those of types and state spaces, which also serve as modifiers.
pub(super) struct Modifiers<'a> {
    /// The meanings of a name; meanings in specific classes are first.
    by_name: BTreeMap<String, Vec<(BTreeSet<&'a str>, Modifier)>>,
    /// What each class decides.
    pub(super) classes: HashMap<&'a str, &'a str>,
    pub(super) types: BTreeSet<&'a str>,
    repeatable: &'a Words,
    movable: &'a Words,
}

impl<'a> Modifiers<'a> {
    /// Whether a modifier, type or state space has this name, written without its dot.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(&format!(".{name}"))
    }

    pub(super) fn new(data: &'a Data) -> Result<Self> {
        const FILE: &str = "ptx/modifiers.toml";
        let mut all = Self {
            by_name: BTreeMap::new(),
            classes: HashMap::new(),
            types: data.types.iter().map(|ty| ty.name.as_str()).collect(),
            repeatable: &data.modifiers.repeatable,
            movable: &data.modifiers.movable,
        };
        for modifier in &data.modifiers.modifiers {
            sentence(FILE, &modifier.names, "summary", &modifier.summary)?;
            for name in names(&modifier.names) {
                all.add(&name, modifier.classes.iter().map(String::as_str).collect(), &modifier.summary);
            }
        }
        for (name, summary) in (data.types.iter().map(|ty| (&ty.name, &ty.summary)))
            .chain(data.spaces.spaces.iter().map(|space| (&space.name, &space.summary)))
            .chain(data.spaces.parts.iter().map(|part| (&part.name, &part.summary)))
        {
            all.add(name, BTreeSet::new(), summary);
        }
        for meanings in all.by_name.values_mut() {
            meanings.sort_by_key(|(classes, _)| classes.is_empty());
        }
        for class in &data.modifiers.classes {
            for name in class.names.iter() {
                sentence(FILE, name, "summary", &class.summary)?;
                let other = all.classes.insert(name, &class.summary);
                ensure!(other.is_none(), "{FILE}: duplicate class `{name}`");
            }
        }
        Ok(all)
    }

    fn add(&mut self, name: &str, classes: BTreeSet<&'a str>, summary: &str) {
        let meaning = Modifier { name: name.to_owned(), summary: summary.to_owned() };
        self.by_name.entry(name.to_owned()).or_default().push((classes, meaning));
    }

    /// The meaning of a value in a class.
    pub(super) fn resolve(&self, class: &str, value: &str) -> Result<Modifier> {
        self.by_name
            .get(value)
            .and_then(|meanings| {
                meanings.iter().find(|(classes, _)| classes.is_empty() || classes.contains(class))
            })
            .map(|(_, meaning)| meaning.clone())
            .with_context(|| {
                format!("`{value}` of the class `{class}` is not explained in ptx/modifiers.toml")
            })
    }

    pub(super) fn tables(&self, source: &mut Source) -> Result<String> {
        let names: Vec<(&str, usize)> = self.by_name.keys().map(String::as_str).zip(0..).collect();
        let meanings: Vec<Vec<&Modifier>> = (self.by_name.values())
            .map(|meanings| meanings.iter().map(|(_, meaning)| meaning).collect())
            .collect();
        Ok(strings("REPEATABLE", self.repeatable.iter())
            + &strings("MOVABLE", self.movable.iter())
            + &rust::names("MODIFIER_NAMES", &names)?
            + &source.table("MEANINGS", "List<Modifier>", &meanings))
    }
}
