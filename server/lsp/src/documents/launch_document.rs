//! An open launch file.

use std::path::Path;

use ls_types::{TextDocumentContentChangeEvent, TextDocumentItem};
use ropey::Rope;
use warplens_ide::lanes::launch_text::LaunchHome;

use crate::documents::document::{MAX_TEXT, replace};
use crate::documents::launch_text::LaunchText;
use crate::launch_file;
use warplens_protocol::position::{Encoding, text_range};

/// An open launch file.
pub(crate) struct LaunchDocument {
    pub(crate) version: i32,
    text: Rope,
    home: LaunchHome<'static>,
}

impl LaunchDocument {
    /// The document, if it has the name of a launch file.
    pub(crate) fn open(item: &TextDocumentItem) -> Option<LaunchDocument> {
        let format = launch_file::format_of(Path::new(item.uri.path().as_str()))?;
        let text = if item.text.len() <= MAX_TEXT { Rope::from_str(&item.text) } else { Rope::new() };
        Some(LaunchDocument { version: item.version, text, home: LaunchHome::File(format) })
    }

    /// Applies the changes of one notification in order.
    pub(crate) fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        self.version = version;
        for change in changes {
            let Some(range) = change.range else {
                self.text = Rope::from_str(&change.text);
                continue;
            };
            let Some(range) = text_range(&self.text, range, encoding) else {
                tracing::warn!("an edit is outside the launch file");
                continue;
            };
            replace(&mut self.text, range, &change.text);
        }
    }

    pub(crate) fn launches(&self, encoding: Encoding) -> LaunchText<'_> {
        LaunchText::whole(&self.text, encoding, self.home)
    }
}
