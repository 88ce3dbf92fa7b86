// The language server as a module (docs/web.md).
declare module '*/server/web/server.js' {
  export function createServer(options: {
    onMessage: (json: string) => void;
    files?: { read(uri: string): string | Uint8Array | null };
    wasm?: Uint8Array;
  }): Promise<{ send(json: string): void }>;
}
