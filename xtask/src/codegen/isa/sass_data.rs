//! Reads the files of the SASS data.

use std::collections::HashMap;

use anyhow::{Context, Result};

use super::data::{self, categories, list};
use super::schema::sass::{
    ConditionTest, Instruction, LaunchConstant, OperandWord, Sequence, SpecialRegister,
};

pub(crate) type Category = data::Category<Instruction>;

pub(crate) struct Data {
    pub(crate) categories: Vec<Category>,
    pub(crate) conditions: Vec<ConditionTest>,
    pub(crate) registers: Vec<SpecialRegister>,
    pub(crate) constants: Vec<LaunchConstant>,
    pub(crate) words: Vec<OperandWord>,
    pub(crate) sequences: Vec<Sequence>,
}

pub(crate) fn load() -> Result<Data> {
    let mut instructions = categories("sass/instructions", |_| Vec::new())?;
    share_effects(&mut instructions)?;
    Ok(Data {
        categories: instructions,
        conditions: list("sass/conditions.toml", "condition")?,
        registers: list("sass/special-registers.toml", "register")?,
        constants: list("sass/launch-constants.toml", "constant")?,
        words: list("sass/words.toml", "word")?,
        sequences: list("sass/sequences.toml", "sequence")?,
    })
}

/// Replaces the effect `@OPCODE` with the effect of that opcode.
fn share_effects(categories: &mut [Category]) -> Result<()> {
    let all = categories.iter().flat_map(|category| &category.instructions);
    let effects: HashMap<String, String> = all.map(|it| (it.opcode.clone(), it.effect.clone())).collect();
    for instruction in categories.iter_mut().flat_map(|category| &mut category.instructions) {
        let Some(other) = instruction.effect.strip_prefix('@') else { continue };
        let effect = effects.get(other).filter(|effect| !effect.starts_with('@'));
        let context = || format!("{}: no opcode `{other}` with an effect of its own", instruction.opcode);
        instruction.effect = effect.cloned().with_context(context)?;
    }
    Ok(())
}
