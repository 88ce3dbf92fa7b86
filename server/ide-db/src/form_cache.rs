//! What the tables say about mnemonics. Files repeat few of them often, so each is compared with the tables once, whatever
//! function it stands in.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Mnemonic, MnemonicForms};

/// The mnemonics seen so far.
#[derive(Default)]
pub struct FormCache {
    known: RwLock<FxHashMap<Mnemonic, Arc<MnemonicForms>>>,
}

impl FormCache {
    /// Against mnemonics that are typed letter by letter: beyond this many, all are forgotten.
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
