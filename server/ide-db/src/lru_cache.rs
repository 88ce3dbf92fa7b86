//! Values computed from texts, bounded by the size of the texts.
//!
//! For what is a function of an item's text alone, so that nothing can go stale: the key is the text, by pointer. This
//! is not left to salsa because salsa evicts only when a revision ends, and the first look at a large file asks for
//! every tree in one revision: 10 MB of text would make 80 MB of trees.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// The size of the texts whose values a [`LruCache`] keeps: a few large functions, or some screens of small ones. What is made of
/// them is up to twenty times that, and a look at a whole file is quick as long as it stays in the processor's caches.
const BUDGET: usize = 1 << 17;

/// Values computed from texts, the least recently used evicted first. Cloning a value must be cheap.
pub(crate) struct LruCache<V>(Mutex<State<V>>);

struct State<V> {
    /// By the address of the text.
    entries: FxHashMap<usize, Entry<V>>,
    /// Bytes of all texts in `entries`.
    size: usize,
    clock: u64,
}

struct Entry<V> {
    /// Keeps the address that is the key from being given to another text.
    text: Arc<str>,
    value: V,
    used: u64,
}

impl<V> Default for LruCache<V> {
    fn default() -> LruCache<V> {
        LruCache(Mutex::new(State { entries: FxHashMap::default(), size: 0, clock: 0 }))
    }
}

impl<V: Clone> LruCache<V> {
    /// The value of a text, computed when it is not there. The lock is not held meanwhile: two threads may compute
    /// the same value, and neither waits for the other.
    pub(crate) fn get(&self, text: &Arc<str>, compute: impl FnOnce() -> V) -> V {
        if let Some(value) = self.peek(text) {
            return value;
        }
        let value = compute();
        self.insert(text, value.clone());
        value
    }

    /// The value of a text, if it is there.
    pub(crate) fn peek(&self, text: &Arc<str>) -> Option<V> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let now = state.clock;
        let entry = state.entries.get_mut(&key(text))?;
        entry.used = now;
        Some(entry.value.clone())
    }

    /// Keeps a value, and drops the oldest ones beyond the budget.
    pub(crate) fn insert(&self, text: &Arc<str>, value: V) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let entry = Entry { text: Arc::clone(text), value, used: state.clock };
        state.size += text.len();
        if let Some(old) = state.entries.insert(key(text), entry) {
            state.size -= old.text.len();
        }
        let evicted = if state.size > BUDGET { state.evict() } else { Vec::new() };
        drop(state);
        // Dropping a tree takes time that nobody should wait for.
        drop(evicted);
    }
}

impl<V> State<V> {
    /// Takes out the oldest entries until half of the budget is free again, but never the newest.
    fn evict(&mut self) -> Vec<Entry<V>> {
        let mut ages: Vec<(u64, usize)> =
            self.entries.iter().map(|(key, entry)| (entry.used, *key)).collect();
        ages.sort_unstable();
        ages.pop();
        let mut evicted = Vec::new();
        for (_, key) in ages {
            if self.size <= BUDGET / 2 {
                break;
            }
            let entry = self.entries.remove(&key).expect("the key was just read from the map");
            self.size -= entry.text.len();
            evicted.push(entry);
        }
        evicted
    }
}

fn key(text: &Arc<str>) -> usize {
    Arc::as_ptr(text).cast::<u8>() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_most_recent_within_the_budget() {
        let cache = LruCache::default();
        let texts: Vec<Arc<str>> = (0..8).map(|_| "x".repeat(BUDGET / 4).into()).collect();
        for (number, text) in texts.iter().enumerate() {
            cache.insert(text, number);
            cache.peek(&texts[0]);
        }
        assert_eq!(cache.peek(&texts[0]), Some(0), "used all the time");
        assert_eq!(cache.peek(&texts[7]), Some(7), "the newest");
        assert_eq!(cache.peek(&texts[1]), None, "the oldest");
        assert!(cache.0.lock().unwrap().size <= BUDGET);
    }

    #[test]
    fn one_text_larger_than_the_budget_is_kept() {
        let cache = LruCache::default();
        let text: Arc<str> = "x".repeat(2 * BUDGET).into();
        cache.insert(&text, 1);
        assert_eq!(cache.peek(&text), Some(1));
    }
}
