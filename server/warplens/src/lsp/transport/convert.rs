//! Ids and errors of the server to those of tower-lsp, and back.

use tower_lsp::jsonrpc as tower;
use warplens_protocol::jsonrpc::{Error, Id};

pub(crate) fn id_from_tower(id: tower::Id) -> Id {
    match id {
        tower::Id::Number(number) => Id::Number(number),
        tower::Id::String(name) => Id::String(name),
        tower::Id::Null => Id::Null,
    }
}

pub(crate) fn id_to_tower(id: Id) -> tower::Id {
    match id {
        Id::Number(number) => tower::Id::Number(number),
        Id::String(name) => tower::Id::String(name),
        Id::Null => tower::Id::Null,
    }
}

pub(crate) fn from_tower(tower::Error { code, message, data }: tower::Error) -> Error {
    Error { code: code.code(), message, data }
}

pub(crate) fn to_tower(Error { code, message, data }: Error) -> tower::Error {
    tower::Error { code: code.into(), message, data }
}
