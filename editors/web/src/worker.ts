// The worker of the page: the language server, which answers the messages of the page in their order.
import { createServer } from './server.js';

const server = createServer({
  onMessage: (json) => self.postMessage(json),
  // The page starts another one when it needs it.
  onExit: () => self.postMessage(null),
});

// A rejection would stay in here; an error reaches the page, which says that there is no simulator.
server.catch((error: unknown) =>
  setTimeout(() => {
    throw error;
  }),
);

self.onmessage = async ({ data }: MessageEvent<string>) => (await server).send(data);
