//! Lists that grow on access.

/// The element at an index; a list that is too short gets default elements up to it.
#[inline]
pub fn grown<T: Default>(list: &mut Vec<T>, index: u32) -> &mut T {
    let index = index as usize;
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}
