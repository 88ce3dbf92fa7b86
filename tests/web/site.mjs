// Serves the built page as any host of static files would: in a subfolder, compressed.
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png', '.wasm': 'application/wasm' };
const FOLDER = '/lessons/warplens/';

export class Site {
  /** By path, the bytes that were sent. */
  sent = new Map();
  #kept = new Map();

  static async start(root) {
    const site = new Site();
    site.root = root;
    site.server = createServer((request, response) => site.#answer(request, response));
    site.server.listen(0, '127.0.0.1');
    await once(site.server, 'listening');
    site.port = site.server.address().port;
    return site;
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  get address() {
    return `${this.origin}${FOLDER}`;
  }

  /** Stops answering; a browser then has what it kept. */
  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  #answer({ url }, response) {
    const { pathname } = new URL(url, this.origin);
    const path = normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    const file = join(this.root, path.slice(FOLDER.length));
    if (!path.startsWith(FOLDER) || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    const body = this.#compressed(file);
    this.sent.set(path, (this.sent.get(path) ?? 0) + body.length);
    const headers = { 'content-type': TYPES[extname(file)] ?? 'text/plain', 'content-encoding': 'gzip', 'cache-control': 'max-age=600' };
    return response.writeHead(200, headers).end(body);
  }

  #compressed(file) {
    if (!this.#kept.has(file)) this.#kept.set(file, gzipSync(readFileSync(file), { level: 9 }));
    return this.#kept.get(file);
  }
}
