// The module beside the page that holds the language server (docs/web.md). `cargo xtask web` makes it.

export interface Server {
  /** Sends a message of the language server protocol, without a header. */
  send(json: string): void;
}

export function createServer(options: {
  onMessage: (json: string) => void;
  files?: { read(uri: string): string | null };
  now?: () => number;
}): Server | Promise<Server>;
