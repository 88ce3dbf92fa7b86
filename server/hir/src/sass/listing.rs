//! A listing: the functions of all items of a file, with the targets and facts that other items state.

use std::sync::Arc;

use text_size::TextSize;

use super::info::{Facts, facts};
use super::model::{Code, Function};
use super::section::Section;
use super::target::{Generation, Target};

#[derive(Debug, Default)]
pub struct Listing {
    items: Vec<(Arc<Code>, TextSize)>,
    functions: Vec<Listed>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The index of the item that contains it.
    pub item: usize,
    /// The index among the functions of the item.
    pub index: usize,
    /// The function's own target, or the last one stated before it.
    pub target: Option<Target>,
    /// The generation of the target, or one guessed from the text.
    pub generation: Generation,
    /// Whether it is a kernel. A function counts as a kernel unless the text says otherwise.
    pub is_kernel: bool,
    /// The facts about the function from other sections.
    pub facts: Facts,
}

impl Listing {
    /// Joins the items of a file, each with its start.
    pub fn new(mut items: Vec<(Arc<Code>, TextSize)>) -> Listing {
        let mut functions = Vec::new();
        let mut stated: Option<Target> = None;
        for (item, (code, _)) in items.iter_mut().enumerate() {
            *code = std::mem::take(code).for_target(stated.as_ref());
            if let Some(found) = &code.stated {
                stated = Some(found.target.clone());
            }
            for (index, function) in code.functions.iter().enumerate() {
                let target = function.target.clone().or_else(|| stated.clone());
                let generation = target.as_ref().map_or(function.generation, Target::generation);
                let is_kernel = function.is_kernel.unwrap_or(true);
                let facts = Facts::default();
                functions.push(Listed { item, index, target, generation, is_kernel, facts });
            }
        }
        let mut listing = Listing { items, functions };
        let all = facts(listing.sections().map(|(section, _)| section));
        for listed in &mut listing.functions {
            let function = &listing.items[listed.item].0.functions[listed.index];
            let name = function.name.as_ref().map_or("", |name| name.text.as_str());
            let stated = all.iter().find(|(known, _)| known == name);
            listed.facts = stated.map(|(_, facts)| facts.clone()).unwrap_or_default();
            listed.facts.registers = listed.facts.registers.or(function.registers);
            listed.facts.barriers = listed.facts.barriers.or(function.barriers);
        }
        listing
    }

    pub fn functions(&self) -> &[Listed] {
        &self.functions
    }

    pub fn function(&self, listed: &Listed) -> &Function {
        &self.items[listed.item].0.functions[listed.index]
    }

    /// The offset in the file at which the item of a function starts.
    pub fn start(&self, listed: &Listed) -> TextSize {
        self.items[listed.item].1
    }

    pub fn named(&self, name: &str) -> Option<&Listed> {
        let is_named =
            |listed: &&Listed| self.function(listed).name.as_ref().is_some_and(|known| known.text == name);
        self.functions.iter().find(is_named)
    }

    /// The sections without code, each with the start of its item in the file.
    pub fn sections(&self) -> impl Iterator<Item = (&Section, TextSize)> {
        self.items.iter().filter_map(|(code, start)| Some((code.section.as_ref()?, *start)))
    }

    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections().map(|(section, _)| section).find(|section| section.name == name)
    }

    /// The section that holds a constant bank for a function: the function's own, or the module's.
    pub fn constant_bank(&self, function: &str, bank: u32) -> Option<&Section> {
        let own = self.section(&format!(".nv.constant{bank}.{function}"));
        own.or_else(|| self.section(&format!(".nv.constant{bank}")))
    }
}
