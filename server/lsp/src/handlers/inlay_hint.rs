//! `textDocument/inlayHint`: the lanes at the end of each line, and the hints that the settings enable.

use ls_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, Position};
use text_size::{TextRange, TextSize};
use warplens_ide::InlayHintKinds;
use warplens_ide::lanes::text;

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::settings::Display;

pub(crate) fn inlay_hints(snapshot: &Snapshot, params: &InlayHintParams) -> NullableAnswer<Vec<InlayHint>> {
    let range = snapshot.text_range(params.range);
    let settings = &snapshot.settings.inlay_hints;
    let kinds = InlayHintKinds {
        register_types: settings.register_types,
        parameter_names: settings.parameter_names,
        sequences: settings.sequences,
        live_registers: settings.live_registers,
    };
    let mut hints = lanes(snapshot, range);
    for found in snapshot.analysis.inlay_hints(snapshot.file, range, kinds)? {
        let (kind, padding_left, padding_right) = match found.kind {
            warplens_ide::InlayHintKind::Type => (Some(InlayHintKind::TYPE), None, Some(false)),
            warplens_ide::InlayHintKind::Parameter => (Some(InlayHintKind::PARAMETER), None, Some(true)),
            warplens_ide::InlayHintKind::LineEnd => (None, Some(true), None),
        };
        let hint = hint(snapshot, found.offset, found.label);
        hints.push(InlayHint { kind, padding_left, padding_right, ..hint });
    }
    Ok(Some(hints))
}

/// The lanes at the ends of the lines in a range.
fn lanes(snapshot: &Snapshot, range: TextRange) -> Vec<InlayHint> {
    let settings = &snapshot.settings.lanes;
    if snapshot.capabilities.lane_strip && settings.display == Display::Strip {
        return vec![];
    }
    let Some(lanes) = snapshot.lanes() else { return vec![] };
    let style = text::Style { format: settings.format, full: settings.show_full, values: settings.values };
    let line_end =
        |offset: TextSize| snapshot.offset(Position { line: snapshot.line(offset), character: u32::MAX });
    let start = Position { line: snapshot.line(range.start()), character: 0 };
    let range = TextRange::new(snapshot.offset(start), line_end(range.end()));
    let hints = lanes.shown.hints(range, style, &line_end).into_iter();
    // A bar separates the lanes from the code, because in some languages `100 16/32` reads as an operand.
    let bar = if snapshot.capabilities.lane_strip { "│ " } else { "" };
    let lanes = |found: warplens_ide::lanes::LaneHint| InlayHint {
        padding_left: Some(true),
        ..hint(snapshot, found.offset, format!("{bar}{}", found.text))
    };
    hints.map(lanes).collect()
}

fn hint(snapshot: &Snapshot, offset: TextSize, label: String) -> InlayHint {
    InlayHint {
        position: snapshot.range(TextRange::empty(offset)).start,
        label: InlayHintLabel::String(label),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: None,
        data: None,
    }
}
