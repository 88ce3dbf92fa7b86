// Works without a network after the first visit: the service worker keeps the files of the page.

/** Registers the service worker once the page needs the network no more. */
export async function keepOffline(): Promise<void> {
  if (!('serviceWorker' in navigator) || !isSecureContext) return;
  // Some browsers have none in private windows; the page works all the same.
  await navigator.serviceWorker.register('sw.js').catch(() => undefined);
}
