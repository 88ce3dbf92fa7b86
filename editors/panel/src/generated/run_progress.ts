// Types of messages, generated from the structs of the server: see tests/support/src/typescript.rs.
// docs/lsp-extensions.md documents them.

/** A run in progress. */
export type RunProgress = { entry: string, launch: string,
/** Executed warp instructions of all warps. */
steps: number,
/** The limit of warp instructions. */
maxSteps: number, };
