//! The strip before each line: which lanes of the shown warp executed it, drawn with block characters.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use ropey::Rope;
use warplens_ide::lanes::LaneView;
use warplens_ide::lanes::text::blocks;
use warplens_sim_warp::Mask;

const STRIP: Style = AnsiColor::Cyan.on_default();

#[derive(Default)]
pub(super) struct Strips {
    /// By line.
    strips: BTreeMap<usize, String>,
    /// Columns of a strip and the space after it; 0 if there are none.
    pub(super) width: usize,
}

impl Strips {
    pub(super) fn new(shown: &LaneView, text: &Rope) -> Strips {
        let mut lanes: BTreeMap<usize, Mask> = BTreeMap::new();
        for statement in shown.statements() {
            let line = text.byte_to_line(usize::from(statement.range.end()).min(text.len_bytes()));
            *lanes.entry(line).or_default() |= statement.trace.map_or(0, |trace| trace.executed);
        }
        let strips: BTreeMap<usize, String> =
            lanes.into_iter().map(|(line, lanes)| (line, blocks(lanes, shown.width()))).collect();
        let cells = strips.values().next().map_or(0, |strip| strip.chars().count());
        Strips { strips, width: if cells == 0 { 0 } else { cells + 2 } }
    }

    /// Writes the strip of a line, or the space for one.
    pub(super) fn write(&self, line: usize, out: &mut dyn Write) -> io::Result<()> {
        match self.strips.get(&line) {
            Some(strip) => write!(out, "{STRIP}{strip}{STRIP:#}  "),
            None => write!(out, "{:1$}", "", self.width),
        }
    }
}
