//! A list of values that start as zero. A page of it is allocated when one of its values is written, so that memory that a
//! program declares and never writes costs nothing.

use std::ops::Range;

#[derive(Clone, Debug)]
pub(crate) struct ZeroPages<T, const N: usize> {
    pages: Vec<Option<Box<[T; N]>>>,
    allocated: usize,
}

impl<T, const N: usize> Default for ZeroPages<T, N> {
    fn default() -> Self {
        ZeroPages { pages: Vec::new(), allocated: 0 }
    }
}

impl<T: Copy + Default, const N: usize> ZeroPages<T, N> {
    /// The value at an index; `None` if it is zero because its page was never written.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.page(index / N).map(|page| &page[index % N])
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> &mut T {
        &mut self.page_mut(index / N)[index % N]
    }

    #[inline]
    fn page(&self, page: usize) -> Option<&[T; N]> {
        self.pages.get(page)?.as_deref()
    }

    #[inline]
    fn page_mut(&mut self, page: usize) -> &mut [T; N] {
        if self.page(page).is_none() {
            self.allocate(page);
        }
        self.pages[page].get_or_insert_with(|| Box::new([T::default(); N]))
    }

    #[cold]
    fn allocate(&mut self, page: usize) {
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page] = Some(Box::new([T::default(); N]));
        self.allocated += 1;
    }

    /// The parts of a range, by page; `None` where the page was never written.
    pub(crate) fn parts(&self, range: Range<usize>) -> impl Iterator<Item = Option<&[T]>> {
        pages_of::<N>(range).map(|(page, part)| self.page(page).map(|page| &page[part]))
    }

    /// Applies `f` to the parts of a range, and allocates their pages.
    #[inline]
    pub(crate) fn update(&mut self, range: Range<usize>, f: impl Fn(&mut T)) {
        for (page, part) in pages_of::<N>(range) {
            self.page_mut(page)[part].iter_mut().for_each(&f);
        }
    }

    /// Applies `f`, which keeps zeros, to the parts of a range.
    pub(crate) fn update_written(&mut self, range: Range<usize>, f: impl Fn(&mut T)) {
        for (page, part) in pages_of::<N>(range) {
            if let Some(Some(page)) = self.pages.get_mut(page) {
                page[part].iter_mut().for_each(&f);
            }
        }
    }

    /// The number of values in the pages that either list has written, rounded up to whole pages.
    pub(crate) fn longest(&self, other: &Self) -> usize {
        self.pages.len().max(other.pages.len()) * N
    }

    /// Whether the page of an index is allocated.
    #[inline]
    pub(crate) fn has(&self, index: usize) -> bool {
        self.page(index / N).is_some()
    }

    /// Bytes of host memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.allocated * size_of::<[T; N]>() + size_of_val(self.pages.as_slice())) as u64
    }
}

/// The pages that a range touches, with the part of each.
#[inline]
fn pages_of<const N: usize>(range: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let pages = if range.is_empty() { 0..0 } else { range.start / N..range.end.div_ceil(N) };
    pages.map(move |page| {
        let first = page * N;
        (page, range.start.max(first) - first..range.end.min(first + N) - first)
    })
}
