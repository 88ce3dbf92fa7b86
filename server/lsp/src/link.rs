//! Links of the page (docs/web.md): everything that it shows is in the fragment, version 1: `1.`, then JSON as deflate-raw and base64url.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;
use warplens_ide::Language;
use warplens_ide::lanes::WarpId;
use warplens_sim_launch::{INFERRED, Launch, launch_keys, launch_name};

/// The limit of the JSON in bytes: the page reads no more.
const MAX_BYTES: usize = 1_000_000;

/// The effort of compression, up to 10.
const LEVEL: u8 = 10;

/// What a link holds.
#[derive(Serialize)]
pub struct Link<'s> {
    text: &'s str,
    /// The file extension of the language.
    language: &'static str,
    /// The keys of the launch.
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cta: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warp: Option<u32>,
}

/// Why there is no link.
#[derive(Debug, Error)]
pub enum LinkError {
    #[error("the launch `{launch}` reads the file `{file}`, and a link holds no files")]
    File { launch: String, file: String },
    #[error("the text and its launch have {0} bytes as JSON, and a link holds at most {MAX_BYTES}")]
    TooLarge(usize),
}

impl<'s> Link<'s> {
    /// A text without a launch.
    pub fn of_text(text: &'s str, language: Language) -> Link<'s> {
        let language = language.extensions.first().copied().unwrap_or(language.id);
        Link { text, language, launch: None, cta: None, warp: None }
    }

    /// The same with a launch.
    ///
    /// # Errors
    /// If the launch reads a file.
    pub fn with_launch(self, launch: &Launch) -> Result<Link<'s>, LinkError> {
        // `inferred` is no name that a written launch may have.
        let name = if launch.name == INFERRED { launch_name(launch, |_| false) } else { launch.name.clone() };
        // The text is the only file of the page.
        let launch = launch_keys(&Launch { name: name.clone(), file: None, ..launch.clone() });
        let parts = ["args", "expect"].into_iter().filter_map(|key| launch.get(key));
        if let Some(file) = parts.into_iter().find_map(named_file) {
            return Err(LinkError::File { launch: name, file: file.to_owned() });
        }
        Ok(Link { launch: Some(launch), ..self })
    }

    /// The same with the warp that is shown.
    pub fn with_warp(self, WarpId { cta, warp }: WarpId) -> Link<'s> {
        Link { cta: Some(cta), warp: Some(warp), ..self }
    }

    /// The fragment of the link, without `#`.
    ///
    /// # Errors
    /// If the page would not read it.
    pub fn fragment(&self) -> Result<String, LinkError> {
        let json = serde_json::to_vec(self).expect("text, numbers and maps with names");
        if json.len() > MAX_BYTES {
            return Err(LinkError::TooLarge(json.len()));
        }
        Ok(format!("1.{}", URL_SAFE_NO_PAD.encode(compress_to_vec(&json, LEVEL))))
    }
}

/// The address of a page with a fragment; without an address the fragment itself.
pub fn address(page: &str, fragment: &str) -> String {
    let page = page.split('#').next().unwrap_or_default();
    if page.is_empty() { fragment.to_owned() } else { format!("{page}#{fragment}") }
}

/// The first file that a part of a launch names.
fn named_file(part: &Value) -> Option<&str> {
    match part {
        Value::Array(values) => values.iter().find_map(named_file),
        Value::Object(keys) => {
            keys.get("file").and_then(Value::as_str).or_else(|| keys.values().find_map(named_file))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::inflate::decompress_to_vec;
    use serde_json::json;
    use warplens_ide::lanes::Choice;

    use super::*;
    use crate::language::supported;

    fn launch(json: &str) -> Launch {
        match Choice::from_json(json) {
            Ok(Choice::Given(launch)) => *launch,
            other => panic!("{other:?}"),
        }
    }

    fn state(fragment: &str) -> Value {
        let bytes =
            URL_SAFE_NO_PAD.decode(fragment.strip_prefix("1.").expect("a version")).expect("base64url");
        let json = decompress_to_vec(&bytes).expect("deflate");
        serde_json::from_slice(&json).expect("JSON")
    }

    #[test]
    fn a_link_holds_the_text_its_launch_and_the_warp() {
        let given =
            r#"{ "name": "two", "grid": [2], "block": [64], "args": [{ "buffer": "u32", "len": 64 }] }"#;
        for text in ["", "a", "ab", "// é\n", &"st.global.u32 [%rd1], %r1;\n".repeat(300)] {
            let link =
                Link::of_text(text, supported("wave-asm")).with_launch(&launch(given)).expect("no file");
            let fragment =
                link.with_warp(WarpId { cta: [1, 0, 0], warp: 1 }).fragment().expect("it is small");
            let state = state(&fragment);
            assert_eq!((&state["text"], &state["language"]), (&json!(text), &json!("wave")));
            assert_eq!((&state["cta"], &state["warp"]), (&json!([1, 0, 0]), &json!(1)));
            assert_eq!(json!(launch(&state["launch"].to_string())), json!(launch(given)));
        }
    }

    #[test]
    fn a_launch_with_a_file_and_a_large_text_have_no_link() {
        let reads = launch(r#"{ "name": "data", "args": [{ "buffer": "u8", "file": "in.bin" }] }"#);
        let error = Link::of_text("", supported("ptx")).with_launch(&reads).err().expect("a file");
        assert_eq!(error.to_string(), "the launch `data` reads the file `in.bin`, and a link holds no files");
        let large = "\n".repeat(MAX_BYTES);
        assert!(matches!(Link::of_text(&large, supported("ptx")).fragment(), Err(LinkError::TooLarge(_))));
    }

    #[test]
    fn the_fragment_replaces_that_of_the_address() {
        assert_eq!(address("", "1.x"), "1.x");
        assert_eq!(address("https://example.org/lanes/", "1.x"), "https://example.org/lanes/#1.x");
        assert_eq!(address("https://example.org/?embed#1.y", "1.x"), "https://example.org/?embed#1.x");
    }
}
