// The language server in a worker of a browser or in Node: loads `warplens.wasm`, which lies beside this file. docs/web.md describes the
// interface. Importing this module has no side effect.

/**
 * @typedef {object} Options
 * @property {(message: string) => void} onMessage Receives each JSON message of the server.
 * @property {{ read(uri: string): string | Uint8Array | null | undefined }} [files] The files beside the documents, such as launch files.
 * It must answer at once.
 * @property {() => number} [now] The time in milliseconds since 1970.
 * @property {(reason: string | undefined) => void} [onExit] The server has ended: after `exit` without a reason, or after a failure. The
 * page may create another one.
 * @property {BufferSource | WebAssembly.Module | Response | Promise<Response>} [wasm] The module, if it is not beside this file.
 */

/** How long the server works before the worker can receive messages, in milliseconds. One job may take longer. */
const SLICE = 8;

/**
 * Starts a server.
 * @param {Options} options
 * @returns {Promise<{ send(json: string): void }>}
 */
export async function createServer({ onMessage, files, now = Date.now, onExit, wasm }) {
  const memory = new Memory();
  const { exports } = await instantiate(wasm, { warplens: imports(memory, files, now) });
  memory.exports = exports;
  return new Server(memory, onMessage, onExit);
}

/** The memory of the module. */
class Memory {
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();
  exports;

  bytes(at, length) {
    return new Uint8Array(this.exports.memory.buffer, at, length);
  }

  read(at, length) {
    return this.#decoder.decode(this.bytes(at >>> 0, length >>> 0));
  }

  encode(text) {
    return this.#encoder.encode(text);
  }
}

/** The functions that the module calls. */
function imports(memory, files, now) {
  let file = new Uint8Array();
  return {
    now: () => now(),
    openFile(uri, length) {
      const found = files?.read(memory.read(uri, length));
      if (found === null || found === undefined) return -1;
      file = typeof found === 'string' ? memory.encode(found) : found;
      return file.length;
    },
    readFile(at) {
      memory.bytes(at >>> 0, file.length).set(file);
    },
  };
}

/** Passes messages to the module and lets it work while there are none. */
class Server {
  #memory;
  #exports;
  #onMessage;
  #onExit;
  #hasEnded = false;
  #isScheduled = false;
  #timer;

  constructor(memory, onMessage, onExit) {
    this.#memory = memory;
    this.#exports = memory.exports;
    this.#onMessage = onMessage;
    this.#onExit = onExit;
  }

  /** Sends a JSON message to the server. Answers follow later. */
  send(json) {
    if (this.#hasEnded) return;
    this.#guarded(() => {
      const message = this.#memory.encode(json);
      const at = this.#exports.allocate(message.length) >>> 0;
      this.#memory.bytes(at, message.length).set(message);
      this.#exports.receive();
      if (this.#exports.has_ended()) this.#end(undefined);
      else this.#schedule();
    });
  }

  #schedule() {
    if (this.#isScheduled || this.#hasEnded) return;
    this.#isScheduled = true;
    defer(() => {
      this.#isScheduled = false;
      this.#guarded(() => this.#work());
    });
  }

  #work() {
    clearTimeout(this.#timer);
    const start = performance.now();
    let wait = 0;
    // After an answer the client comes first: its next message may be one that a run should not delay.
    while (wait === 0 && performance.now() - start < SLICE) {
      wait = this.#exports.step();
      if (this.#deliver()) break;
    }
    if (wait === 0) this.#schedule();
    else if (wait > 0) this.#timer = setTimeout(() => this.#schedule(), wait);
  }

  /** Hands over the messages of the server; false if there is none. */
  #deliver() {
    const { take_message: take, message } = this.#exports;
    let hasDelivered = false;
    for (let length = take() >>> 0; length > 0; length = take() >>> 0) {
      this.#onMessage(this.#memory.read(message(), length));
      hasDelivered = true;
    }
    return hasDelivered;
  }

  /** Ends the server at a trap of the module: its memory may be inconsistent. */
  #guarded(call) {
    try {
      call();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      const length = this.#exports.panic_length() >>> 0;
      const reason = length > 0 ? this.#memory.read(this.#exports.panic_message(), length) : String(error.message);
      const message = `Warplens has stopped (${reason}); reload the page to start it again`;
      const params = { type: 1, message };
      this.#onMessage(JSON.stringify({ jsonrpc: '2.0', method: 'window/showMessage', params }));
      this.#end(reason);
    }
  }

  #end(reason) {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#onExit?.(reason);
  }
}

/** Runs a task after the messages that have arrived. */
const defer = (() => {
  if (typeof setImmediate === 'function') return (task) => setImmediate(task);
  let channel;
  const tasks = [];
  return (task) => {
    if (channel === undefined) {
      channel = new MessageChannel();
      channel.port1.onmessage = () => tasks.shift()?.();
    }
    tasks.push(task);
    channel.port2.postMessage(null);
  };
})();

/** Compiles the module while it loads, where that is possible. */
async function instantiate(wasm, imports) {
  const source = (await wasm) ?? (await load(new URL('warplens.wasm', import.meta.url)));
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source, imports);
  if (typeof Response === 'function' && source instanceof Response) {
    const isWasm = source.headers.get('content-type')?.startsWith('application/wasm');
    if (isWasm) return (await WebAssembly.instantiateStreaming(source, imports)).instance;
    return (await WebAssembly.instantiate(await source.arrayBuffer(), imports)).instance;
  }
  return (await WebAssembly.instantiate(source, imports)).instance;
}

/** The module at a URL. Node cannot fetch files. */
async function load(url) {
  if (url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} cannot be loaded: HTTP status ${response.status}`);
  return response;
}
