//! Black-box tests: transcripts, corpora, oracles and real editors.
