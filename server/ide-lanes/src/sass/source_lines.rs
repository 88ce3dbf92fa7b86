//! The source lines of instructions, from the comments that disassemblers print: `//## File "reduce.cu", line 41`.

use std::sync::Arc;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::sass::{PTX_TEXT, SourceMention, source_mentions};

use crate::program::{FileLine, SourceLine};

/// The name of the PTX that the code was assembled from, in Warplens.
const PTX: &str = "ptx";

/// The source lines in an item of a listing. Offsets are those in the item.
pub(super) struct SourceComments {
    /// By the offset of the comment.
    lines: Vec<(TextSize, Arc<SourceLine>)>,
}

impl SourceComments {
    pub(super) fn of(text: &str) -> SourceComments {
        let mut lines: Vec<(TextSize, Arc<SourceLine>)> = Vec::new();
        let mut chain: Vec<FileLine> = Vec::new();
        let mut offset = TextSize::new(0);
        for line in text.split_inclusive('\n') {
            let start = offset;
            offset += TextSize::of(line);
            let Some(mentions) = source_mentions(line) else {
                chain.clear();
                continue;
            };
            let continues = !chain.is_empty();
            chain.extend(mentions.map(file_line));
            if continues {
                lines.pop();
            }
            lines.extend(innermost(&chain).map(|line| (start, Arc::new(line))));
        }
        SourceComments { lines }
    }

    /// The source line of an instruction of the function at `function`.
    pub(super) fn line(&self, function: TextRange, at: TextSize) -> Option<Arc<SourceLine>> {
        let next = self.lines.partition_point(|(offset, _)| *offset < at);
        let (offset, line) = self.lines.get(next.checked_sub(1)?)?;
        (*offset >= function.start()).then(|| Arc::clone(line))
    }
}

fn file_line(SourceMention { path, line, .. }: SourceMention<'_>) -> FileLine {
    FileLine { file: SmolStr::new(if path == PTX_TEXT { PTX } else { path }), line: line.into() }
}

fn innermost(chain: &[FileLine]) -> Option<SourceLine> {
    let here = chain.first()?.clone();
    let outside = chain.iter().find(|line| &*line.file == PTX || !line.is_in_header());
    Some(SourceLine::new(here, outside.cloned(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_line_outside_of_headers() {
        let text = "\
k:
\t//## File \"/a/reduce.cu\", line 4
        /*0000*/ NOP ;
        /*0010*/ NOP ;
\t//## File \"/x/include/cg.h\", line 7 inlined at \"/a/reduce.cu\", line 9
\t//## File \"/a/reduce.cu\", line 9
        /*0020*/ NOP ;
\t//## File \".nv_debug_ptx_txt\", line 12
        /*0030*/ NOP ;
";
        let comments = SourceComments::of(text);
        let whole = TextRange::up_to(TextSize::of(text));
        let line = |address: &str| {
            let at = TextSize::try_from(text.find(address).expect("an address")).expect("small");
            comments.line(whole, at).map(|line| line.to_string())
        };
        assert_eq!(line("/*0000*/").as_deref(), Some("reduce.cu:4"));
        assert_eq!(line("/*0010*/").as_deref(), Some("reduce.cu:4"));
        assert_eq!(line("/*0020*/").as_deref(), Some("reduce.cu:9 (inlined: cg.h:7)"));
        assert_eq!(line("/*0030*/").as_deref(), Some("ptx:12"));
    }
}
