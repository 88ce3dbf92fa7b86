//! One value of each type, created on first use. Languages keep caches here that the database does not know.

use std::any::{Any, TypeId};
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

#[derive(Default)]
pub(crate) struct Shared(RwLock<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Shared {
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let id = TypeId::of::<T>();
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        let value = known.unwrap_or_else(|| {
            let mut values = self.0.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(values.entry(id).or_insert_with(|| Arc::new(T::default())))
        });
        value.downcast().unwrap_or_else(|_| unreachable!("the key is the type of the value"))
    }

    /// Drops all values; the next use creates them again.
    pub(crate) fn clear(&self) {
        let values = std::mem::take(&mut *self.0.write().unwrap_or_else(PoisonError::into_inner));
        drop(values);
    }
}
