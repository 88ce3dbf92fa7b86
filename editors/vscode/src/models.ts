// The divergence models, as the status bar and its pick list show them.

/** A model of the list in the server's capabilities; docs/lsp-extensions.md documents it. */
export interface Model {
  name: string;
  /** The id of the language that it applies to. */
  language: string;
  /** Its rule, in one line. */
  rule: string;
}
