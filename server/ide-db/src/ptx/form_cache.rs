//! Caches the forms of mnemonics. A file uses few distinct mnemonics, so each is looked up in the tables once for all
//! functions.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Mnemonic, MnemonicForms};

/// The mnemonics seen so far.
#[derive(Default)]
pub struct FormCache {
    known: RwLock<FxHashMap<Mnemonic, Arc<MnemonicForms>>>,
}

impl FormCache {
    /// The maximum number of entries, since typing adds many incomplete mnemonics: beyond it the cache is cleared.
    const MOST: usize = 1 << 12;

    /// The forms of a mnemonic.
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
