//! Text to lossless tree: one grammar a language, no instruction known by name.
