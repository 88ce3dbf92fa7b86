//! Caches the forms of mnemonics. A file uses few distinct mnemonics, so the tables are searched once for
//! each of them and not once for each instruction.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Mnemonic, MnemonicForms};

#[derive(Default)]
pub struct FormCache {
    known: RwLock<FxHashMap<Mnemonic, Arc<MnemonicForms>>>,
}

impl FormCache {
    /// Typing adds many incomplete mnemonics, so the cache is cleared when it has this many entries.
    const MOST: usize = 1 << 12;

    pub fn forms(&self, mnemonic: &Mnemonic) -> Arc<MnemonicForms> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(forms) = known.get(mnemonic) {
            return Arc::clone(forms);
        }
        drop(known);
        let forms = Arc::new(mnemonic.forms());
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(mnemonic.clone(), Arc::clone(&forms));
        forms
    }
}
