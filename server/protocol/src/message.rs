//! Encodes messages of the server as bytes, with their header, ready for the output.
//!
//! Values are encoded directly as text. Building a JSON tree first, such as [`serde_json::Value`], takes several times as
//! long.

use ls_types::notification::{Notification, PublishDiagnostics};
use ls_types::{DocumentDiagnosticReportResult, PublishDiagnosticsParams};
use serde::Serialize;
use serde_json::Result;

/// Encodes `textDocument/publishDiagnostics`. Not generic, so that it is compiled, and optimized, in this
/// crate.
///
/// # Errors
/// None is known: every part can be represented in JSON.
pub fn publish_diagnostics(params: &PublishDiagnosticsParams) -> Result<Vec<u8>> {
    notification::<PublishDiagnostics>(params)
}

/// Encodes the result of `textDocument/diagnostic`, for [`answer`]. Not generic, so that it is compiled, and
/// optimized, in this crate.
///
/// # Errors
/// None is known: every part can be represented in JSON.
pub fn diagnostic_report(report: &DocumentDiagnosticReportResult) -> Result<Vec<u8>> {
    serde_json::to_vec(report)
}

/// Encodes the answer to the request with this id. The result is already encoded.
///
/// # Errors
/// If the id cannot be represented in JSON.
pub fn answer(id: &impl Serialize, result: &[u8]) -> Result<Vec<u8>> {
    let id = serde_json::to_vec(id)?;
    Ok(framed(&[br#"{"jsonrpc":"2.0","id":"#, &id, br#","result":"#, result, b"}"]))
}

/// Encodes a notification.
///
/// # Errors
/// If the parameters cannot be represented in JSON.
pub fn notification<N: Notification>(params: &N::Params) -> Result<Vec<u8>> {
    let method = serde_json::to_vec(N::METHOD)?;
    let params = serde_json::to_vec(params)?;
    Ok(framed(&[br#"{"jsonrpc":"2.0","method":"#, &method, br#","params":"#, &params, b"}"]))
}

/// Joins the parts of a message and adds the header.
fn framed(parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let header = format!("Content-Length: {length}\r\n\r\n");
    let mut message = Vec::with_capacity(header.len() + length);
    message.extend_from_slice(header.as_bytes());
    parts.iter().for_each(|part| message.extend_from_slice(part));
    message
}

#[cfg(test)]
mod tests {
    use ls_types::{Diagnostic, DocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport};

    use super::*;

    fn body(message: &[u8]) -> serde_json::Value {
        let message = std::str::from_utf8(message).expect("JSON is UTF-8");
        let (header, body) = message.split_once("\r\n\r\n").expect("a header");
        assert_eq!(header, format!("Content-Length: {}", body.len()));
        serde_json::from_str(body).expect("JSON")
    }

    #[test]
    fn the_length_is_in_bytes() {
        let found = Diagnostic { message: "`\"é𝄞`".into(), ..Diagnostic::default() };
        let uri = "file:///k.ptx".parse().expect("a valid URI");
        let params = PublishDiagnosticsParams { uri, diagnostics: vec![found], version: Some(3) };
        let message = body(&publish_diagnostics(&params).expect("a message"));
        assert_eq!(message["params"]["diagnostics"][0]["message"], "`\"é𝄞`");
        assert_eq!(message["params"]["version"], 3);
        assert_eq!(message["method"], "textDocument/publishDiagnostics");
    }

    #[test]
    fn an_answer_has_the_id_of_its_request() {
        let report = DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(
            RelatedFullDocumentDiagnosticReport::default(),
        ));
        let result = diagnostic_report(&report).expect("JSON");
        for id in [serde_json::json!(7), serde_json::json!("a\"b")] {
            let message = body(&answer(&id, &result).expect("a message"));
            assert_eq!(message["id"], id);
            assert_eq!(message["result"]["kind"], "full");
        }
    }
}
