//! The control flow of a function, shared by the checks of its text.

use std::cell::RefCell;
use std::sync::Arc;

use smol_str::SmolStr;
use warplens_hir::cfg::Cfg;
use warplens_hir::ptx::Function;

use crate::db::{Db, File, Item};
use crate::ptx::module::never_returns;

/// The basic blocks, and every input besides the text that they depend on.
struct KnownFlow {
    cfg: Cfg,
    /// The called functions, and whether the module declares that they never return.
    callees: Vec<(SmolStr, bool)>,
}

/// `function` is the lowered function of the item.
pub fn ptx_cfg(db: &dyn Db, file: File, item: Item<'_>, function: &Function) -> Flow {
    let is_noreturn = |name: &str| never_returns(db, file).contains(name);
    let find = || {
        let callees = RefCell::<Vec<_>>::default();
        let cfg = function.cfg(&|name| {
            let found = is_noreturn(name);
            callees.borrow_mut().push((SmolStr::from(name), found));
            found
        });
        Arc::new(KnownFlow { cfg, callees: callees.into_inner() })
    };
    let known = db.cache().of_texts(&item.text(db).0, find);
    let is_valid = known.callees.iter().all(|(name, answer)| is_noreturn(name) == *answer);
    Flow(if is_valid { known } else { find() })
}

pub struct Flow(Arc<KnownFlow>);

impl std::ops::Deref for Flow {
    type Target = Cfg;

    fn deref(&self) -> &Cfg {
        &self.0.cfg
    }
}
