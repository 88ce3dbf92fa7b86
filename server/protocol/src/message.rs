//! Messages of the server as bytes: with their header, so that they can be written to the output as they are.
//!
//! A value is encoded as text directly. A tree of JSON in between, as [`serde_json::Value`], takes several times as long.

use ls_types::notification::{Notification, PublishDiagnostics};
use ls_types::{DocumentDiagnosticReportResult, PublishDiagnosticsParams};
use serde::Serialize;
use serde_json::Result;

/// `textDocument/publishDiagnostics`. Not generic, so that it is compiled in this crate.
///
/// # Errors
/// None is known: all of it has a form in JSON.
pub fn publish_diagnostics(params: &PublishDiagnosticsParams) -> Result<Vec<u8>> {
    notification::<PublishDiagnostics>(params)
}

/// The result of `textDocument/diagnostic`, for [`answer`]. Not generic, so that it is compiled in this crate.
///
/// # Errors
/// None is known: all of it has a form in JSON.
pub fn diagnostic_report(report: &DocumentDiagnosticReportResult) -> Result<Vec<u8>> {
    serde_json::to_vec(report)
}

/// The answer to the request with this id. The result is encoded.
///
/// # Errors
/// If the id has no form in JSON.
pub fn answer(id: &impl Serialize, result: &[u8]) -> Result<Vec<u8>> {
    let id = serde_json::to_vec(id)?;
    Ok(framed(&[br#"{"jsonrpc":"2.0","id":"#, &id, br#","result":"#, result, b"}"]))
}

/// A notification.
///
/// # Errors
/// If the parameters have no form in JSON.
pub fn notification<N: Notification>(params: &N::Params) -> Result<Vec<u8>> {
    let method = serde_json::to_vec(N::METHOD)?;
    let params = serde_json::to_vec(params)?;
    Ok(framed(&[br#"{"jsonrpc":"2.0","method":"#, &method, br#","params":"#, &params, b"}"]))
}

/// A message with its header.
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
