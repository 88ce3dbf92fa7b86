//! The registry: the only list of the languages.

use warplens_syntax::{Language, ptx, wave};

/// NVIDIA PTX.
pub const PTX: Language = ptx::LANGUAGE;
/// WAVE assembly.
pub const WAVE: Language = wave::LANGUAGE;
/// All languages.
pub const LANGUAGES: [Language; 2] = [PTX, WAVE];

/// A language of the registry, where code is chosen by language.
pub enum Known {
    Ptx,
    Wave,
}

impl Known {
    pub fn of(language: Language) -> Known {
        if language == PTX { Known::Ptx } else { Known::Wave }
    }
}
