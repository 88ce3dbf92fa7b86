//! `warplens/listing`: the listing of a file that an editor cannot show as text, printed by the disassembler of the settings.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ls_types::Uri;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use warplens_protocol::jsonrpc::{Id, Result};

use crate::errors::{encoded, refused};
use crate::files::listing_cache::{Kept, ListingCache};
use crate::from_proto;
use crate::settings::Settings;
use crate::state::State;
use warplens_system::disk::read_file;
use warplens_tools::listing::{self, MachineCode, Tool, Tools};

/// The limit of a file with machine code in bytes.
const MAX_BYTES: u64 = 256 << 20;

#[derive(Deserialize)]
struct Params {
    uri: Uri,
}

/// The answer of `warplens/listing`.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Listing {
    text: Arc<str>,
}

impl State {
    pub(crate) fn listing(&mut self, id: &Id, params: Value) -> Result<()> {
        let Params { uri } = from_proto::params(params)?;
        let Some(path) = uri.to_file_path().map(std::borrow::Cow::into_owned) else {
            return Err(refused(format!("{} is not a file on this computer", uri.as_str())));
        };
        let (tools, cache) = (tools(&self.settings), Arc::clone(&self.listings));
        self.start_task(id.clone(), None, move |running| {
            encoded(answer(&path, tools, &cache, &running.stop)?)
        });
        Ok(())
    }
}

fn tools(settings: &Settings) -> Tools {
    let tool = |path: &str, setting| Tool { path: path.trim().into(), setting };
    Tools {
        nvdisasm: tool(&settings.sass.nvdisasm, "the setting `warplens.sass.nvdisasm`"),
        cuobjdump: tool(&settings.sass.cuobjdump, "the setting `warplens.sass.cuobjdump`"),
    }
}

fn answer(path: &Path, tools: Tools, cache: &ListingCache, stop: &AtomicBool) -> Result<Listing> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fails = |reason: String| refused(format!("{name}: {reason}"));
    let bytes =
        read_file::read(path, MAX_BYTES).map_err(|error| fails(format!("cannot be read: {error}")))?;
    if let Some(text) = cache.find(&tools, &bytes) {
        return Ok(Listing { text });
    }
    let Some(kind) = MachineCode::of(&bytes) else {
        let text = String::from_utf8_lossy(&bytes);
        let listing = listing::of_text(&text);
        let listing =
            listing.ok_or_else(|| fails("is neither machine code nor output of nvdisasm".to_owned()))?;
        return Ok(Listing { text: listing.into() });
    };
    let listing = tools.disassemble(&bytes, kind, stop).map_err(|error| fails(error.to_string()))?;
    let text: Arc<str> = listing.into();
    cache.keep(Kept { tools, bytes, listing: Arc::clone(&text) });
    Ok(Listing { text })
}
