// The module beside the page that holds the language server (docs/web.md). `cargo xtask web` makes it.

export function createServer(options: { onMessage: (json: string) => void; onExit?: () => void }): Promise<{
  /** Sends a message of the language server protocol, without a header. */
  send(json: string): void;
}>;
