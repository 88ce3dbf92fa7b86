//! Lays out the minimal perfect hash tables that `server/isa/src/tables.rs` searches.

#[path = "../../../../server/isa/src/hash.rs"]
mod function;

use anyhow::{Result, bail};
use function::Hash;

/// The layout of a table: a seed for each bucket, and the index of the key in each slot.
pub(super) struct Layout {
    pub(super) seeds: Vec<u32>,
    pub(super) slots: Vec<usize>,
}

/// Finds a layout for distinct keys.
pub(super) fn layout(keys: &[&str]) -> Result<Layout> {
    if keys.is_empty() {
        return Ok(Layout { seeds: Vec::new(), slots: Vec::new() });
    }
    let mut buckets = vec![Vec::new(); keys.len().div_ceil(3)];
    for (key, text) in keys.iter().enumerate() {
        let bucket = Hash::of(text).slot(0, buckets.len());
        buckets[bucket].push(key);
    }
    let mut order: Vec<usize> = (0..buckets.len()).collect();
    order.sort_by_key(|&bucket| std::cmp::Reverse(buckets[bucket].len()));

    let mut seeds = vec![0; buckets.len()];
    let mut slots: Vec<Option<usize>> = vec![None; keys.len()];
    for bucket in order {
        let Some((seed, places)) =
            (1..1_000_000).find_map(|seed| Some((seed, places(&buckets[bucket], keys, seed, &slots)?)))
        else {
            bail!("no perfect hash for {} names: is one duplicated?", keys.len());
        };
        seeds[bucket] = seed;
        for (&key, place) in buckets[bucket].iter().zip(places) {
            slots[place] = Some(key);
        }
    }
    Ok(Layout { seeds, slots: slots.into_iter().flatten().collect() })
}

/// The slots of a bucket's keys under `seed`, if they are free and distinct.
fn places(bucket: &[usize], keys: &[&str], seed: u32, slots: &[Option<usize>]) -> Option<Vec<usize>> {
    let mut places = Vec::with_capacity(bucket.len());
    for &key in bucket {
        let place = Hash::of(keys[key]).slot(seed, slots.len());
        if slots[place].is_some() || places.contains(&place) {
            return None;
        }
        places.push(place);
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_gets_a_slot_of_its_own() {
        let names: Vec<String> = (0..500).map(|i| format!("name{i}")).collect();
        let keys: Vec<&str> = names.iter().map(String::as_str).collect();
        let layout = layout(&keys).unwrap();
        let mut slots = layout.slots.clone();
        slots.sort_unstable();
        assert_eq!(slots, (0..500).collect::<Vec<_>>());
        for (key, text) in keys.iter().enumerate() {
            let hash = Hash::of(text);
            let seed = layout.seeds[hash.slot(0, layout.seeds.len())];
            assert_eq!(layout.slots[hash.slot(seed, keys.len())], key);
        }
    }

    #[test]
    fn a_name_that_comes_twice_is_an_error() {
        assert!(layout(&["a", "b", "a"]).is_err());
    }
}
