// The service worker: answers with the files of one build, which it keeps. A new build has another version and replaces all at once.

/** The version of the build and its files, which the last step of the build puts in here. */
declare const BUILD: { version: string; files: string[] };

interface Extendable extends Event {
  waitUntil(until: Promise<unknown>): void;
}

interface Fetching extends Extendable {
  request: Request;
  respondWith(response: Promise<Response>): void;
}

const scope = self as unknown as {
  addEventListener<E extends Event>(type: string, listener: (event: E) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};

const NAME = `warplens-${BUILD.version}`;

scope.addEventListener<Extendable>('install', (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(BUILD.files)));
});

scope.addEventListener<Extendable>('activate', (event) => {
  const drop = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith('warplens-') && name !== NAME);
    await Promise.all(names.map((name) => caches.delete(name)));
    await scope.clients.claim();
  };
  event.waitUntil(drop());
});

scope.addEventListener<Fetching>('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  const answer = async () => {
    const cache = await caches.open(NAME);
    return (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  };
  event.respondWith(answer());
});
