//! `warplens/listing`: the listing of a file that an editor cannot show as text, from the disassembler of the settings.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Id, Result};
use tower_lsp::ls_types::Uri;

use crate::listing::{self, MachineCode, Tool, Tools};
use crate::lsp::errors::{internal, refused};
use crate::lsp::event::Event;
use crate::lsp::from_proto;
use crate::lsp::listing_cache::{Kept, ListingCache};
use crate::lsp::settings::Settings;
use crate::lsp::state::State;
use crate::panic::panic_message;
use crate::read_file;

/// The method.
pub(crate) const LISTING: &str = "warplens/listing";

/// The limit of a file with machine code in bytes.
const MAX_BYTES: u64 = 256 << 20;

#[derive(Deserialize)]
struct Params {
    /// The file.
    uri: Uri,
}

impl State {
    /// `warplens/listing`. The disassembler runs on a thread of its own. Settings that were requested are awaited: a client that opens
    /// machine code first has not sent the path of the disassembler yet.
    pub(crate) fn listing(&mut self, id: Id, params: Value) {
        if let Some(waiting) = &mut self.waiting_for_settings {
            return waiting.push((id, params));
        }
        let uri = match from_proto::params::<Params>(params) {
            Ok(params) => params.uri,
            Err(error) => return self.answer(&id, Err(error)),
        };
        let Some(path) = uri.to_file_path().map(std::borrow::Cow::into_owned) else {
            let reason = format!("{} is not a file on this computer", uri.as_str());
            return self.answer(&id, Err(refused(reason)));
        };
        let (tools, cache) = (tools(&self.settings), Arc::clone(&self.listings));
        let (events, number) = (self.events.clone(), id.clone());
        let work = move || {
            let made =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| answer(&path, tools, &cache)));
            let answer = made.unwrap_or_else(|panic| Err(internal(&panic_message(&*panic))));
            let _ = events.send(Event::Listed(number, answer));
        };
        if let Err(error) = std::thread::Builder::new().name("listing".to_owned()).spawn(work) {
            self.answer(&id, Err(internal(&error.to_string())));
        }
    }
}

fn tools(settings: &Settings) -> Tools {
    let tool = |path: &str, setting| Tool { path: path.trim().into(), setting };
    Tools {
        nvdisasm: tool(&settings.sass.nvdisasm, "the setting `warplens.sass.nvdisasm`"),
        cuobjdump: tool(&settings.sass.cuobjdump, "the setting `warplens.sass.cuobjdump`"),
    }
}

fn answer(path: &Path, tools: Tools, cache: &ListingCache) -> Result<Value> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fails = |reason: String| refused(format!("{name}: {reason}"));
    let bytes =
        read_file::read(path, MAX_BYTES).map_err(|error| fails(format!("cannot be read: {error}")))?;
    if let Some(listing) = cache.find(&tools, &bytes) {
        return Ok(json!({ "text": &*listing }));
    }
    let Some(kind) = MachineCode::of(&bytes) else {
        let text = String::from_utf8_lossy(&bytes);
        let listing = listing::of_text(&text);
        let listing =
            listing.ok_or_else(|| fails("is neither machine code nor output of nvdisasm".to_owned()))?;
        return Ok(json!({ "text": listing }));
    };
    let listing = listing::disassemble(&bytes, kind, &tools).map_err(|error| fails(error.to_string()))?;
    let listing: Arc<str> = listing.into();
    let answer = json!({ "text": &*listing });
    cache.keep(Kept { tools, bytes, listing });
    Ok(answer)
}
