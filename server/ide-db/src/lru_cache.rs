//! A cache of values computed from texts, limited by the size of the texts.
//!
//! A value depends only on the text of an item, so it cannot become stale: the key is the text, by pointer.
//! salsa would evict only at the end of a revision, but the first check of a large file needs every tree in
//! one revision, and the trees of 10 MB of text take 80 MB.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// The maximum total size of the texts in an [`LruCache`]: a few large functions, or a few screens of small
/// ones. Their values are up to twenty times larger, and checking a whole file is fast only while they fit
/// the CPU caches.
const BUDGET: usize = 1 << 17;

/// Longer texts count as this size, so that a very long function stays cached together with the small items
/// of its file: each edit needs the tree before the edit.
const MAX_SIZE: usize = BUDGET / 4 * 3;

/// Evicts the least recently used value first. Cloning a value must be cheap.
pub(crate) struct LruCache<V>(Mutex<State<V>>);

struct State<V> {
    /// By address of the text.
    entries: FxHashMap<usize, Entry<V>>,
    size: usize,
    clock: u64,
}

struct Entry<V> {
    /// Keeps the text alive, because its address is the key.
    text: Arc<str>,
    value: V,
    used: u64,
}

impl<V> Entry<V> {
    fn size(&self) -> usize {
        self.text.len().min(MAX_SIZE)
    }
}

impl<V> Default for LruCache<V> {
    fn default() -> LruCache<V> {
        LruCache(Mutex::new(State { entries: FxHashMap::default(), size: 0, clock: 0 }))
    }
}

impl<V: Clone> LruCache<V> {
    /// Returns the cached value of a text, or computes it. The lock is released during the computation: two
    /// threads may compute the same value, and neither waits for the other.
    pub(crate) fn get(&self, text: &Arc<str>, compute: impl FnOnce() -> V) -> V {
        if let Some(value) = self.peek(text) {
            return value;
        }
        let value = compute();
        self.insert(text, value.clone());
        value
    }

    pub(crate) fn peek(&self, text: &Arc<str>) -> Option<V> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let now = state.clock;
        let entry = state.entries.get_mut(&key(text))?;
        entry.used = now;
        Some(entry.value.clone())
    }

    /// Removes the value of a text that an edit replaced, so that the caller can reuse its memory.
    pub(crate) fn take(&self, text: &Arc<str>) -> Option<V> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(state.remove(key(text))?.value)
    }

    pub(crate) fn clear(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = std::mem::take(&mut state.entries);
        state.size = 0;
        drop(state);
        // Dropping a tree takes time, so it happens without the lock.
        drop(entries);
    }

    /// Inserts a value, and drops the oldest values over the budget.
    pub(crate) fn insert(&self, text: &Arc<str>, value: V) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let entry = Entry { text: Arc::clone(text), value, used: state.clock };
        let evicted = state.insert(entry);
        drop(state);
        drop(evicted);
    }
}

impl<V> State<V> {
    /// Inserts an entry, and returns the entries that it displaces.
    fn insert(&mut self, entry: Entry<V>) -> Vec<Entry<V>> {
        let key = key(&entry.text);
        let old = self.remove(key);
        self.size += entry.size();
        self.entries.insert(key, entry);
        let mut evicted = if self.size > BUDGET { self.evict() } else { Vec::new() };
        evicted.extend(old);
        evicted
    }

    fn remove(&mut self, key: usize) -> Option<Entry<V>> {
        let entry = self.entries.remove(&key)?;
        self.size -= entry.size();
        Some(entry)
    }

    /// Removes the oldest entries until half of the budget is free, but keeps the newest one.
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
            evicted.extend(self.remove(key));
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
    fn the_last_long_text_stays_beside_small_ones() {
        let cache = LruCache::default();
        let [old, long]: [Arc<str>; 2] = std::array::from_fn(|_| "x".repeat(4 * BUDGET).into());
        cache.insert(&old, 0);
        cache.insert(&long, 1);
        assert_eq!(cache.peek(&old), None, "only the last one");
        let small: Arc<str> = "x".repeat(BUDGET / 8).into();
        cache.insert(&small, 2);
        cache.insert(&Arc::from("y"), 3);
        assert_eq!([cache.peek(&long), cache.peek(&small)], [Some(1), Some(2)]);
        assert_eq!([cache.take(&long), cache.take(&long)], [Some(1), None]);
        assert_eq!(cache.0.lock().unwrap().size, BUDGET / 8 + 1);
    }

    #[test]
    fn one_text_larger_than_the_budget_is_kept() {
        let cache = LruCache::default();
        let text: Arc<str> = "x".repeat(2 * BUDGET).into();
        cache.insert(&text, 1);
        assert_eq!(cache.peek(&text), Some(1));
        cache.clear();
        assert_eq!(cache.peek(&text), None);
    }
}
