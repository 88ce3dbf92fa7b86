//! A cache of values computed from texts, limited by the size of the texts.
//!
//! It is for values that depend on an item's text only, so that they cannot become stale: the key is the text, by pointer.
//! salsa is not used here because it evicts only at the end of a revision, and the first check of a large file needs
//! every tree in one revision: 10 MB of text have 80 MB of trees.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// The maximum size of the texts in a [`LruCache`]: a few large functions, or some screens of small ones. Their values take
/// up to twenty times that size, and the check of a whole file is fast as long as they fit the processor's caches.
const BUDGET: usize = 1 << 17;

/// The length of a text from which its value is kept beside the others: each edit of a very large function needs the tree before the
/// edit, and the small items of its file would evict it in between.
const LARGE: usize = 1 << 20;

/// The number of uses of the cache after which a large text counts as abandoned.
const ABANDONED: u64 = 1 << 12;

/// Values computed from texts, the least recently used evicted first. Cloning a value must be cheap.
pub(crate) struct LruCache<V>(Mutex<State<V>>);

struct State<V> {
    /// By the address of the text.
    entries: FxHashMap<usize, Entry<V>>,
    /// The last large text.
    large: Option<Entry<V>>,
    /// Bytes of all texts in `entries`.
    size: usize,
    clock: u64,
}

struct Entry<V> {
    /// Keeps the text alive, whose address is the key.
    text: Arc<str>,
    value: V,
    used: u64,
}

impl<V> Default for LruCache<V> {
    fn default() -> LruCache<V> {
        LruCache(Mutex::new(State { entries: FxHashMap::default(), large: None, size: 0, clock: 0 }))
    }
}

impl<V: Clone> LruCache<V> {
    /// The value of a text, computed if it is not cached. The lock is not held during the computation: two threads may
    /// compute the same value, and neither waits for the other.
    pub(crate) fn get(&self, text: &Arc<str>, compute: impl FnOnce() -> V) -> V {
        if let Some(value) = self.peek(text) {
            return value;
        }
        let value = compute();
        self.insert(text, value.clone());
        value
    }

    /// The value of a text, if it is cached.
    pub(crate) fn peek(&self, text: &Arc<str>) -> Option<V> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let now = state.clock;
        let large = state.large.as_mut().filter(|large| Arc::ptr_eq(&large.text, text));
        let entry = match large {
            Some(large) => large,
            None => state.entries.get_mut(&key(text))?,
        };
        entry.used = now;
        Some(entry.value.clone())
    }

    /// Drops all values, except those of a large text and of one that is larger than the budget.
    pub(crate) fn clear(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.size > BUDGET {
            return;
        }
        let entries = std::mem::take(&mut state.entries);
        state.size = 0;
        drop(state);
        drop(entries);
    }

    /// The value of a text that an edit has replaced, if it is cached. That of a large text is removed, so that the caller can use its
    /// memory again.
    pub(crate) fn take(&self, text: &Arc<str>) -> Option<V> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let large = state.large.take_if(|large| Arc::ptr_eq(&large.text, text));
        drop(state);
        large.map_or_else(|| self.peek(text), |large| Some(large.value))
    }

    /// Inserts a value, and drops the oldest ones beyond the budget.
    pub(crate) fn insert(&self, text: &Arc<str>, value: V) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let entry = Entry { text: Arc::clone(text), value, used: state.clock };
        let evicted = state.insert(entry);
        drop(state);
        // Dropping a tree takes time, so it is done without the lock.
        drop(evicted);
    }
}

impl<V> State<V> {
    /// Inserts an entry, and removes those that it displaces.
    fn insert(&mut self, entry: Entry<V>) -> Vec<Entry<V>> {
        if entry.text.len() >= LARGE {
            return self.large.replace(entry).into_iter().collect();
        }
        let (key, size) = (key(&entry.text), entry.text.len());
        self.size += size;
        let old = self.entries.insert(key, entry);
        self.size -= old.as_ref().map_or(0, |old| old.text.len());
        let mut evicted = if self.size > BUDGET { self.evict() } else { Vec::new() };
        evicted.extend(old);
        let now = self.clock;
        evicted.extend(self.large.take_if(|large| now - large.used > ABANDONED));
        evicted
    }

    /// Removes the oldest entries until half of the budget is free, but never the newest.
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
    fn the_last_large_text_is_kept_beside_small_ones_while_it_is_used() {
        let cache = LruCache::default();
        let [old, large]: [Arc<str>; 2] = std::array::from_fn(|_| "x".repeat(LARGE).into());
        cache.insert(&old, 0);
        cache.insert(&large, 1);
        assert_eq!(cache.peek(&old), None, "only the last one");
        let small: Arc<str> = "x".repeat(BUDGET).into();
        cache.insert(&small, 2);
        cache.insert(&Arc::from("y"), 3);
        assert_eq!(cache.peek(&large), Some(1), "small ones do not evict it");
        for _ in 0..=ABANDONED {
            cache.peek(&small);
        }
        cache.insert(&Arc::from("z"), 4);
        assert_eq!(cache.peek(&large), None, "nothing has used it for long");
    }

    #[test]
    fn one_text_larger_than_the_budget_is_kept() {
        let cache = LruCache::default();
        let text: Arc<str> = "x".repeat(2 * BUDGET).into();
        cache.insert(&text, 1);
        assert_eq!(cache.peek(&text), Some(1));
    }
}
