//! The files of the SASS data.

use anyhow::Result;

use super::data::{self, categories, list};
use super::schema::sass::{
    ConditionTest, Instruction, LaunchConstant, OperandWord, Sequence, SpecialRegister,
};

pub(crate) type Category = data::Category<Instruction>;

/// All SASS data.
pub(crate) struct Data {
    pub(crate) categories: Vec<Category>,
    pub(crate) conditions: Vec<ConditionTest>,
    pub(crate) registers: Vec<SpecialRegister>,
    pub(crate) constants: Vec<LaunchConstant>,
    pub(crate) words: Vec<OperandWord>,
    pub(crate) sequences: Vec<Sequence>,
}

/// Reads all SASS data.
pub(crate) fn load() -> Result<Data> {
    Ok(Data {
        categories: categories("sass/instructions", |_| Vec::new())?,
        conditions: list("sass/conditions.toml", "condition")?,
        registers: list("sass/special-registers.toml", "register")?,
        constants: list("sass/launch-constants.toml", "constant")?,
        words: list("sass/words.toml", "word")?,
        sequences: list("sass/sequences.toml", "sequence")?,
    })
}
