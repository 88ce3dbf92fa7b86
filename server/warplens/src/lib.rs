//! How the world reaches Warplens: the language server and the command line.
