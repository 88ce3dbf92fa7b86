//! Signature help: the forms of the instruction whose operands are being typed.

use text_size::TextSize;
use warplens_ide_db::{Database, SignatureHelp};

use super::document::HostDocument;
use crate::ptx::PTX;
use crate::signature_help;

pub(crate) fn signature_help(
    db: &Database,
    document: &HostDocument,
    offset: TextSize,
) -> Option<SignatureHelp> {
    let place = document.statement_at(offset)?;
    signature_help::signature_help(&place.position(db, offset)?, &PTX)
}
