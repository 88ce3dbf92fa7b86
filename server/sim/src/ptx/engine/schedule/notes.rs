//! The notes of a cluster: its tensor copies.

use super::cluster::Cluster;
use crate::StatementId;
use crate::cuda::memory::region::MemoryRegion;
use crate::cuda::memory::spaces::Spaces;
use crate::note::Note;
use crate::ptx::async_ops::copy_log::BoxCopy;

impl Cluster {
    /// What its listed warps did, for hovers. Statements are known in runs with checks.
    pub(crate) fn notes(&self, spaces: &Spaces) -> Vec<Note> {
        let copies = self.asynchronous.copies.all();
        copies
            .into_iter()
            .filter_map(|(statement, count, copy)| self.copy(statement, count, copy, spaces))
            .collect()
    }

    fn copy(&self, statement: u32, count: u64, copy: &BoxCopy, spaces: &Spaces) -> Option<Note> {
        let warps = &self.blocks.get(copy.issuer.rank as usize)?.warps;
        let warp = warps.iter().find(|warp| warp.id.warp == copy.issuer.warp && warp.listed)?;
        let lane = copy.issuer.lanes.trailing_zeros();
        let which = if count > 1 { format!(", the last of {count} copies") } else { String::new() };
        let tile = spaces.common_element(MemoryRegion::Shared, copy.tile as u64, 1);
        Some(Note {
            statements: vec![StatementId(statement)],
            cta: warp.id.cta,
            warp: Some(warp.id.warp),
            title: format!("**Tensor copy** of lane {lane}{which}:"),
            lines: copy.lines(&tile).into_iter().map(|line| (line, Vec::new())).collect(),
        })
    }
}
