// The worker: the language server as a WebAssembly module, which the extension sends first, and the files that it may read.
import { createServer } from '../../../../server/web/server.js';
import { mapAddresses, toClient, toServer } from './addresses';

/** From the extension; anything else is a message of the language server protocol. */
export type ToWorker = { wasm: Uint8Array } | { file: string; bytes?: Uint8Array };

declare const self: { postMessage(message: unknown): void; onmessage: (event: { data: ToWorker | object }) => void };

/** By address, without escapes: the server and VS Code escape other characters. */
const files = new Map<string, Uint8Array>();
let server: Promise<{ send(json: string): void }> | undefined;

function start(wasm: Uint8Array): Promise<{ send(json: string): void }> {
  return createServer({
    wasm,
    files: { read: (uri) => files.get(decodeURIComponent(uri)) ?? null },
    onMessage: (json) => self.postMessage(mapAddresses(JSON.parse(json), toClient)),
  });
}

self.onmessage = async ({ data }) => {
  if ('wasm' in data) server = start(data.wasm);
  else if ('file' in data) {
    if (data.bytes) files.set(decodeURIComponent(data.file), data.bytes);
    else files.delete(decodeURIComponent(data.file));
  } else (await server)?.send(JSON.stringify(mapAddresses(data, toServer)));
};
