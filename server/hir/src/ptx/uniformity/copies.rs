//! Finds copies: a value that only passes on one other value is a copy of it, even around loops.
//!
//! Merged values are processed in strong components, after Braun et al. If only one value enters a component
//! from outside, all members are copies of it. Otherwise the members that nothing outside reaches directly
//! are processed again.

use rustc_hash::FxHashSet;

use super::cause::ValueId;
use super::values::{Same, Values};
use crate::graph::strong_components;

/// The maximum depth of such repetitions; loops are not nested deeper.
const DEEPEST: usize = 32;

pub(super) fn find(values: &mut Values<'_>) {
    let mut passing = Vec::new();
    for value in values.ids() {
        if values.passed_on(value).is_some() {
            passing.push(value);
        } else if let Some(constant) = values.constant(value) {
            values[value].same = Same::Constant(constant);
        } else if !values.is_never_written(value) {
            values[value].same = Same::Value(value);
        }
    }
    resolve(values, &passing, 0);
}

fn resolve(values: &mut Values<'_>, passing: &[ValueId], depth: usize) {
    let known = &*values;
    let components = strong_components(passing, |value| {
        known.passed_on(value).unwrap_or_default().iter().map(|used| used.value)
    });
    for component in components {
        let (outside, inner) = around(values, &component);
        match outside[..] {
            [] => {}
            [only] => component.iter().for_each(|value| values[*value].same = only),
            _ => {
                for value in &component {
                    values[*value].same = Same::Value(*value);
                }
                if depth < DEEPEST && inner.len() < component.len() {
                    resolve(values, &inner, depth + 1);
                }
            }
        }
    }
}

/// The values that enter a component from outside (at most two distinct ones), and the members that none of
/// them enters.
fn around(values: &Values<'_>, component: &[ValueId]) -> (Vec<Same>, Vec<ValueId>) {
    // Most components are a single value, for which a set does not pay off.
    let many = (component.len() > 8).then(|| component.iter().copied().collect::<FxHashSet<ValueId>>());
    let is_member = |value: &ValueId| match &many {
        Some(members) => members.contains(value),
        None => component.contains(value),
    };
    let mut outside = Vec::new();
    let mut inner = Vec::new();
    for value in component {
        let mut is_inner = true;
        for used in values.passed_on(*value).unwrap_or_default() {
            if is_member(&used.value) {
                continue;
            }
            is_inner = false;
            let same = values[used.value].same;
            if same != Same::Unset && outside.len() < 2 && !outside.contains(&same) {
                outside.push(same);
            }
        }
        if is_inner {
            inner.push(*value);
        }
    }
    (outside, inner)
}
