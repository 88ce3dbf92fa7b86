// The worker of the page: the language server, which answers the messages of the page in their order.
import { createServer } from './server.js';

const server = createServer({ onMessage: (json: string) => self.postMessage(json), now: () => performance.now() });

self.onmessage = async ({ data }: MessageEvent<string>) => (await server).send(data);
