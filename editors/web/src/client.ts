// The connection to the language server in its worker. Ending the worker is the only way to stop a run that does not yield.
import { LSPClient, type Transport } from '@codemirror/lsp-client';
import type { RunProgress } from '../../panel/src/generated/run_progress';
import type { Model } from '../../vscode/src/generated/messages';

/** A run may take long, and the page has a button that stops it. The longest time of a timer. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** What the page can do besides what its library says of itself. */
const CAPABILITIES = {
  textDocument: {
    diagnostic: { relatedInformation: true, codeDescriptionSupport: true },
    publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } }, isPreferredSupport: true },
    semanticTokens: { requests: { range: true }, tokenTypes: [], tokenModifiers: [], formats: ['relative'] },
  },
};

export interface Events {
  lanesChanged(uri: string): void;
  progress(uri: string, running: RunProgress | null): void;
  /** The server, or a message of it. */
  message(text: string): void;
}

/** The settings that the page has. */
export interface Settings {
  maxSteps: number;
}

export class Client {
  readonly lsp: LSPClient;
  private worker?: Worker;
  /** Whether the server has ended by itself, after a fault. */
  hasEnded = false;
  private settings: Settings = { maxSteps: 10_000_000 };

  constructor(private readonly events: Events) {
    this.lsp = new LSPClient({
      rootUri: ROOT,
      timeout: NO_TIMEOUT,
      initializationOptions: { lenses: 'extension', lanesChanged: true, runProgress: true, laneStrip: true },
      notificationHandlers: {
        'warplens/lanesChanged': (_, { uri }: { uri: string }) => {
          this.events.lanesChanged(uri);
          return true;
        },
        'warplens/runProgress': (_, { uri, running }: { uri: string; running: RunProgress | null }) => {
          this.events.progress(uri, running);
          return true;
        },
        'window/showMessage': (_, { message }: { message: string }) => {
          this.events.message(message);
          return true;
        },
      },
      sanitizeHTML: sanitized,
      extensions: [{ clientCapabilities: CAPABILITIES }],
    });
  }

  /** The divergence models of all languages. */
  get models(): readonly Model[] {
    const capabilities = this.lsp.serverCapabilities as { experimental?: { models?: Model[] } } | null;
    return capabilities?.experimental?.models ?? [];
  }

  /** Starts the server, or replaces it: documents are opened again, and requests in progress are never answered. */
  async start(): Promise<void> {
    const worker = new Worker('worker.js', { type: 'module' });
    worker.onerror = () => this.events.message('The simulator could not be loaded. Reload the page.');
    worker.addEventListener('message', ({ data }) => {
      if (data === null) this.hasEnded = true;
    });
    this.hasEnded = false;
    if (this.worker) {
      this.worker.terminate();
      this.lsp.disconnect();
    }
    this.worker = worker;
    this.lsp.connect(transport(worker));
    await this.lsp.initializing;
    this.configure(this.settings);
  }

  configure(settings: Settings): void {
    this.settings = settings;
    const warplens = { simulation: { maxSteps: settings.maxSteps } };
    this.lsp.notification('workspace/didChangeConfiguration', { settings: { warplens } });
  }

  /** Sends a request about the present text. */
  request<T>(method: string, params: object): Promise<T> {
    this.lsp.sync();
    return this.lsp.request<object, T>(method, params);
  }

  execute<T>(command: string, argument: object): Promise<T> {
    return this.request<T>('workspace/executeCommand', { command, arguments: [argument] });
  }
}

/** The folder of the page's documents, which exists only here. */
export const ROOT = 'file:///page';

function transport(worker: Worker): Transport {
  const handlers = new Map<(value: string) => void, (event: MessageEvent<string | null>) => void>();
  return {
    send: (message) => worker.postMessage(message),
    subscribe(handler) {
      const listener = ({ data }: MessageEvent<string | null>) => {
        if (data !== null) handler(data);
      };
      handlers.set(handler, listener);
      worker.addEventListener('message', listener);
    },
    unsubscribe(handler) {
      const listener = handlers.get(handler);
      if (listener) worker.removeEventListener('message', listener);
    },
  };
}

/** What Markdown becomes. Names in a kernel could contain anything else. */
const TAGS = new Set(
  'A B BLOCKQUOTE BR CODE DEL EM H1 H2 H3 H4 H5 H6 HR I LI OL P PRE SPAN STRONG TABLE TBODY TD TH THEAD TR UL'.split(' '),
);

/** The HTML with known tags and without attributes, but classes and links to pages. */
function sanitized(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const element of [...body.querySelectorAll('*')]) {
    if (!TAGS.has(element.tagName)) element.replaceWith(element.textContent);
    for (const { name, value } of [...element.attributes]) {
      const isLink = name === 'href' && /^(https?:|docs\/|\.\/)/.test(value);
      if (name !== 'class' && !isLink) element.removeAttribute(name);
      if (isLink) for (const [key, set] of Object.entries({ target: '_blank', rel: 'noopener' })) element.setAttribute(key, set);
    }
  }
  return body.innerHTML;
}
