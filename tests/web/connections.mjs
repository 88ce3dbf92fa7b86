// A client of the language server, of the native program or of the module in dist/web, with one interface.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

/** The folder of the built page. */
export const DIST = new URL('dist/web/', ROOT);

/** The native program: `WARPLENS`, or the one of a development build. */
const PROGRAM = process.env.WARPLENS ?? fileURLToPath(new URL('target/debug/warplens', ROOT));

/** What both servers are told about the client, so that they give the same answers. */
const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    diagnostic: {},
    publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true, tagSupport: { valueSet: [1, 2] } },
    hover: { contentFormat: ['markdown'] },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source'] } } },
    definition: { linkSupport: true },
  },
};

/** Requests by id and notifications, over a function that sends a JSON text. */
class Client {
  #send;
  #waiting = new Map();
  #last = 0;
  notifications = [];

  constructor(send) {
    this.#send = send;
  }

  receive(text) {
    const message = JSON.parse(text);
    if (message.method !== undefined) {
      this.notifications.push(message);
      if (message.id !== undefined) this.#send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: null }));
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    waiting?.(message.error === undefined ? { result: message.result } : { error: message.error });
  }

  /** The answer, `{ result }` or `{ error }`. */
  request(method, params) {
    this.#last += 1;
    const id = this.#last;
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  notify(method, params) {
    this.#send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends a text as it is. */
  raw(text) {
    this.#send(text);
  }

  async initialize(options = {}) {
    const params = { processId: null, rootUri: null, capabilities: CAPABILITIES, ...options };
    const { result } = await this.request('initialize', params);
    this.notify('initialized', {});
    return result;
  }

  open(uri, languageId, text) {
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
  }

  close(uri) {
    this.notify('textDocument/didClose', { textDocument: { uri } });
  }
}

/** The module, as a page or an extension loads it. */
export async function web(options = {}) {
  const { createServer } = await import(new URL('server.js', DIST));
  const files = { read: readFile };
  let client;
  const server = await createServer({ onMessage: (json) => client.receive(json), files, ...options });
  client = new Client((json) => server.send(json));
  client.stop = () => client.notify('exit');
  return client;
}

function readFile(uri) {
  try {
    return readFileSync(new URL(uri), 'utf8');
  } catch {
    return null;
  }
}

/** The program, on its standard input and output. */
export async function native() {
  const child = spawn(PROGRAM, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const client = new Client((json) => {
    const bytes = Buffer.from(json);
    child.stdin.write(`Content-Length: ${bytes.length}\r\n\r\n`);
    child.stdin.write(bytes);
  });
  const chunks = [];
  let have = 0;
  let need = 0;
  const take = () => {
    const all = Buffer.concat(chunks);
    let at = 0;
    for (;;) {
      const end = all.indexOf('\r\n\r\n', at);
      if (end < 0) break;
      const length = Number(/Content-Length: (\d+)/i.exec(all.toString('latin1', at, end))[1]);
      need = end + 4 + length - at;
      if (all.length - at < need) break;
      client.receive(all.toString('utf8', end + 4, end + 4 + length));
      at += need;
      need = 0;
    }
    chunks.length = 0;
    chunks.push(all.subarray(at));
    have = all.length - at;
  };
  child.stdout.on('data', (chunk) => {
    chunks.push(chunk);
    have += chunk.length;
    if (have >= need) take();
  });
  client.stop = () => child.kill();
  return client;
}
