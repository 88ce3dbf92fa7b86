//! What the instruction sets are: data turned into tables, and no code that reads programs.
