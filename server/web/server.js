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
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let file = new Uint8Array();
  const bytes = (at, length) => new Uint8Array(exports.memory.buffer, at, length);
  const text = (at, length) => decoder.decode(bytes(at, length));
  const imports = {
    now: () => now(),
    openFile(uri, length) {
      const found = files?.read(text(uri >>> 0, length));
      if (found === null || found === undefined) return -1;
      file = typeof found === 'string' ? encoder.encode(found) : found;
      return file.length;
    },
    readFile(at) {
      bytes(at >>> 0, file.length).set(file);
    },
  };
  const { exports } = await instantiate(wasm, { warplens: imports });

  let hasEnded = false;
  let isScheduled = false;
  let timer;

  const schedule = () => {
    if (isScheduled || hasEnded) return;
    isScheduled = true;
    defer(() => {
      isScheduled = false;
      guarded(work);
    });
  };

  const work = () => {
    clearTimeout(timer);
    const start = performance.now();
    let wait = 0;
    while (wait === 0 && performance.now() - start < SLICE) {
      wait = exports.step();
      deliver();
    }
    if (wait === 0) schedule();
    else if (wait > 0) timer = setTimeout(schedule, wait);
  };

  const deliver = () => {
    for (let length = exports.take_message() >>> 0; length > 0; length = exports.take_message() >>> 0) {
      onMessage(text(exports.message() >>> 0, length));
    }
  };

  /** Ends the server at a trap of the module: its memory may be inconsistent. */
  const guarded = (call) => {
    try {
      call();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      const length = exports.panic_length() >>> 0;
      const reason = length > 0 ? text(exports.panic_message() >>> 0, length) : String(error.message);
      const message = `Warplens has stopped (${reason}); reload the page to start it again`;
      const params = { type: 1, message };
      onMessage(JSON.stringify({ jsonrpc: '2.0', method: 'window/showMessage', params }));
      end(reason);
    }
  };

  const end = (reason) => {
    hasEnded = true;
    clearTimeout(timer);
    onExit?.(reason);
  };

  return {
    /** Sends a JSON message to the server. Answers follow later. */
    send(json) {
      if (hasEnded) return;
      guarded(() => {
        const message = encoder.encode(json);
        const at = exports.allocate(message.length) >>> 0;
        bytes(at, message.length).set(message);
        exports.receive();
        if (exports.has_ended()) end(undefined);
        else schedule();
      });
    },
  };
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
