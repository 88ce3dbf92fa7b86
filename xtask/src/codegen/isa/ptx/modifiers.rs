//! Modifiers: what each means in each class.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, ensure};

use crate::codegen::isa::data::{names, sentence, words};
use crate::codegen::isa::ptx_data::Data;
use crate::codegen::isa::rust;

/// The entries of `modifiers.toml`, with those of the types and state spaces, which serve as modifiers too.
pub(super) struct Modifiers<'a> {
    /// Name and summary.
    entries: Vec<(String, &'a str)>,
    /// The entries of a name; those for certain classes first.
    by_name: BTreeMap<String, Vec<(BTreeSet<&'a str>, usize)>>,
    /// What each class decides.
    pub(super) classes: HashMap<&'a str, &'a str>,
    /// The names of the types.
    pub(super) types: BTreeSet<&'a str>,
    repeatable: &'a str,
    movable: &'a str,
}

impl<'a> Modifiers<'a> {
    /// Whether there is a modifier, type or state space of this name, written without its dot.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(&format!(".{name}"))
    }

    pub(super) fn new(data: &'a Data) -> Result<Self> {
        const FILE: &str = "ptx/modifiers.toml";
        let mut all = Self {
            entries: Vec::new(),
            by_name: BTreeMap::new(),
            classes: HashMap::new(),
            types: data.types.iter().map(|ty| ty.name.as_str()).collect(),
            repeatable: &data.modifiers.repeatable,
            movable: &data.modifiers.movable,
        };
        for modifier in &data.modifiers.modifiers {
            sentence(FILE, &modifier.names, "summary", &modifier.summary)?;
            let classes = words(&modifier.classes);
            for name in names(&modifier.names) {
                all.add(&name, classes.iter().copied().collect(), &modifier.summary);
            }
        }
        for ty in &data.types {
            all.add(&ty.name, BTreeSet::new(), &ty.summary);
        }
        for (name, summary) in (data.spaces.spaces.iter().map(|space| (&space.name, &space.summary)))
            .chain(data.spaces.parts.iter().map(|part| (&part.name, &part.summary)))
        {
            all.add(name, BTreeSet::new(), summary);
        }
        for entries in all.by_name.values_mut() {
            entries.sort_by_key(|(classes, _)| classes.is_empty());
        }
        for class in &data.modifiers.classes {
            sentence(FILE, &class.names, "summary", &class.summary)?;
            for name in words(&class.names) {
                let other = all.classes.insert(name, &class.summary);
                ensure!(other.is_none(), "{FILE}: the class `{name}` comes twice");
            }
        }
        Ok(all)
    }

    fn add(&mut self, name: &str, classes: BTreeSet<&'a str>, summary: &'a str) {
        self.by_name.entry(name.to_owned()).or_default().push((classes, self.entries.len()));
        self.entries.push((name.to_owned(), summary));
    }

    /// What a value means in a class.
    pub(super) fn resolve(&self, class: &str, value: &str) -> Result<usize> {
        self.by_name
            .get(value)
            .and_then(|entries| {
                entries.iter().find(|(classes, _)| classes.is_empty() || classes.contains(class))
            })
            .map(|&(_, index)| index)
            .with_context(|| {
                format!("`{value}` of the class `{class}` is not explained in ptx/modifiers.toml")
            })
    }

    pub(super) fn tables(&self) -> Result<String> {
        let entries: Vec<String> = (self.entries.iter())
            .map(|(name, summary)| {
                format!("Modifier {{ name: {}, summary: {} }}", rust::string(name), rust::string(summary))
            })
            .collect();
        let names: Vec<(&str, String)> = (self.by_name.iter())
            .map(|(name, entries)| {
                let meanings = entries.iter().map(|(_, index)| format!("&MODIFIERS[{index}]"));
                (name.as_str(), rust::slice(meanings))
            })
            .collect();
        let list = |name: &str, list: &str| {
            format!("pub(crate) static {name}: &[&str] = {};\n\n", rust::strings(words(list)))
        };
        Ok(list("REPEATABLE", self.repeatable)
            + &list("MOVABLE", self.movable)
            + &rust::table("MODIFIERS", "Modifier", &entries)
            + &rust::names("MODIFIER_NAMES", "&[&Modifier]", &names)?)
    }
}
