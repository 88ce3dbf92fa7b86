// A VS Code workbench with the packed extension, on a copy of a folder, driven through its page.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { drawnLines } from './drawn.mjs';

/** For repeatable tests: no animations or tips, no network access. */
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Dark Modern',
  'window.restoreWindows': 'none',
  'extensions.autoUpdate': false,
  'telemetry.telemetryLevel': 'off',
  'editor.wordBasedSuggestions': 'off',
  'editor.minimap.enabled': false,
  'editor.fontSize': 13,
  // Its lines would cover the code that a test clicks.
  'editor.stickyScroll.enabled': false,
  'security.workspace.trust.enabled': false,
  // Texts are read from the lines; strip.test.mjs tests the strips.
  'warplens.lanes.display': 'text',
};

const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--enable-precise-memory-info',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

export class Workbench {
  /** Starts everything; `folder` is copied, so a test may type into it. */
  static async start({ hostEntry, vsix, folder, browserPath, settings = {} }) {
    const home = mkdtempSync(join(tmpdir(), 'warplens-vscode-'));
    const bench = new Workbench(home);
    try {
      bench.workspace = join(home, 'workspace');
      cpSync(folder, bench.workspace, { recursive: true });
      const userData = join(home, 'data');
      bench.settings = ['User', 'Machine'].map((scope) => join(userData, scope, 'settings.json'));
      bench.configure(settings);
      const directories = ['--user-data-dir', userData, '--extensions-dir', join(home, 'extensions')];
      const env = { ...process.env, HOME: home, EXTENSIONS_GALLERY: '{"serviceUrl":"http://127.0.0.1:9"}' };
      execFileSync(process.execPath, [hostEntry, ...directories, '--install-extension', vsix], { env, stdio: 'pipe' });
      await bench.#serve(hostEntry, directories, env);
      await bench.#browse(browserPath);
      return bench;
    } catch (error) {
      await bench.close();
      throw error;
    }
  }

  constructor(home) {
    this.home = home;
  }

  /**
   * Writes the user's settings: those above and these. They apply when the page is loaded, which takes seconds; those of a workspace are
   * cheaper. VS Code reads settings of a machine, such as paths of programs, from the file of the machine that the page is connected to.
   */
  configure(settings) {
    const text = JSON.stringify({ ...SETTINGS, ...settings });
    if (text === this.configured) return;
    this.configured = text;
    this.loaded = undefined;
    for (const file of this.settings) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** The saved text of a file of the workspace. */
  read(file) {
    return readFileSync(join(this.workspace, file), 'utf8');
  }

  /** Writes the settings of the workspace, which VS Code applies at once. */
  configureWorkspace(settings) {
    this.write('.vscode/settings.json', JSON.stringify(settings));
  }

  /** Writes a file of the workspace. */
  write(file, text) {
    mkdirSync(dirname(join(this.workspace, file)), { recursive: true });
    writeFileSync(join(this.workspace, file), text);
  }

  /** Loads the page with a file of the workspace, in whatever editor it has. */
  async show(file, within = '') {
    const folder = this.#folder(within);
    const address = `vscode-remote://127.0.0.1:${this.port}${folder}/${file}`;
    const payload = encodeURIComponent(JSON.stringify([['openFile', address]]));
    await this.page.goto(`http://127.0.0.1:${this.port}/?folder=${folder}&payload=${payload}`);
    this.loaded = { folder, file };
  }

  /**
   * Opens a file of the workspace and waits for its editor. The page of the same folder stays as it is, since loading it takes seconds of
   * both cores; it is loaded for a file that it shows already, after new settings, and if it does not open the file.
   */
  async open(file, within = '') {
    this.editor = this.#editorOf(file, within);
    const stays = this.loaded?.folder === this.#folder(within) && this.loaded.file !== file;
    if (stays && (await this.#opensHere(file, within))) return;
    await this.load(file, within);
  }

  /** Loads the page with a file of the workspace and waits for its editor. */
  async load(file, within = '') {
    await this.show(file, within);
    this.editor = this.#editorOf(file, within);
    await this.editor.locator('.view-line').first().waitFor();
  }

  /** Opens a file as the only one, so that findings of other files are no longer shown. */
  async openAlone(file) {
    if (this.loaded) await this.command('View: Close All Editors');
    await this.open(file);
  }

  #editorOf(file, within) {
    return this.page.locator(`.monaco-editor[data-uri$="${this.#folder(within)}/${file}"]`);
  }

  #folder(within) {
    return within ? `${this.workspace}/${within}` : this.workspace;
  }

  /** Opens a file in the page as it is; false if it has no editor after some seconds. */
  async #opensHere(file, within) {
    try {
      await this.openHere(file, within, 5000);
      await this.editor.locator('.view-line').first().waitFor({ timeout: 5000 });
      return true;
    } catch {
      return false;
    }
  }

  /** The lines on the page from top to bottom, as text with the hints at their ends. */
  async lines() {
    const lines = await this.editor.locator('.view-lines > .view-line').evaluateAll((elements) =>
      elements
        .map((element) => ({ top: parseFloat(element.style.top), text: element.textContent ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map((line) => line.text),
    );
    return lines.map((line) => line.replaceAll('\u00a0', ' '));
  }

  /** The first line on the page that contains `part`. */
  async lineWith(part) {
    return (await this.lines()).find((line) => line.includes(part));
  }

  /** The word `word` in the first line that contains `part`. */
  word(part, word) {
    return this.editor
      .locator('.view-line', { hasText: part })
      .first()
      .locator('span span')
      .filter({ hasText: new RegExp(`${escaped(word)}`) })
      .last();
  }

  /**
   * Hovers a word until the hover contains all that is expected. The first hover may not, if the server has not received the last edit
   * or if a code lens that is drawn late moves the line.
   */
  async hover(part, word, ...expected) {
    await until(`the hover of ${word} matches ${expected.join(' and ')}`, async () => {
      const text = await this.#hovered(part, word);
      if (expected.every((pattern) => pattern.test(text))) return true;
      throw new Error(`its text is: ${text}`);
    });
  }

  async #hovered(part, word) {
    const timeout = 5000;
    await this.page.mouse.move(0, 0);
    await this.word(part, word).hover({ timeout });
    const box = this.page.locator('.monaco-hover:not(.hidden) .hover-contents, .monaco-hover:not(.hidden) .markdown-hover');
    await box.first().waitFor({ timeout });
    await this.page.waitForTimeout(500); // it fades in
    return (await box.allInnerTexts()).join('\n');
  }

  /** Moves the mouse away, so that no hover covers the code. */
  async closeHover() {
    await this.page.mouse.move(0, 0);
    await until('no hover is open', async () => (await this.page.locator('.monaco-hover:not(.hidden):visible').count()) === 0);
  }

  lens(text) {
    return this.page.locator('.codelens-decoration a', { hasText: text });
  }

  /** The lens of a run that has ended. */
  endedRun() {
    return this.lens(/^[✓○⚠✗]/);
  }

  /** Whether lanes are shown after the code. */
  async lanesAreShown() {
    return (await this.strips()).length > 0 || (await this.lines()).some((line) => /split \d+ \| \d+/.test(line));
  }

  /** The lines on the page from top to bottom, with what is drawn in them. */
  async drawn(editor = this.editor) {
    // After a frame, in which VS Code draws what has changed.
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
    return editor.locator('.view-lines').first().evaluate(drawnLines);
  }

  /** The strips on the page from top to bottom: the text of the line, the whole label, the image, where it begins, and its colours. */
  async strips() {
    const lines = (await this.drawn()).filter(({ cells }) => cells);
    return lines.map(({ text, cells, labels }) => ({
      text,
      label: labels.find((label) => !label.text.endsWith('…'))?.text ?? '',
      labels: labels.map((label) => label.text),
      image: cells.image,
      x: Math.round(cells.left * 10) / 10,
      cells: cells.color,
      letters: labels[0]?.color ?? '',
    }));
  }

  /** The strip of the first line that contains `part`. */
  async stripOf(part) {
    return (await this.strips()).find((strip) => strip.text.includes(part));
  }

  /** Clicks a code lens. A lens that is redrawn loses the click, so it is clicked until lanes are shown. */
  async showLanes(lens) {
    await until('lanes are shown', async () => {
      // The lanes of an earlier page are shown again.
      if (await this.lanesAreShown()) return true;
      await this.lens(lens).first().click({ timeout: 2000 });
      return until('the click shows lanes', () => this.lanesAreShown(), 5);
    });
  }

  /** Opens a file of the workspace by its name or path in the page as it is: the extension runs already. */
  async openHere(file, within = '', timeout = 30_000) {
    await this.page.keyboard.press('Escape');
    await this.page.keyboard.press('Control+P');
    const path = join(this.#folder(within), file);
    await this.page.locator('.quick-input-widget input').fill(existsSync(path) ? path : file, { timeout });
    const found = { hasText: basename(file) };
    await this.page.locator('.quick-input-list .monaco-list-row.focused', found).waitFor({ timeout });
    await this.page.keyboard.press('Enter');
    if (this.loaded) this.loaded.file = file;
  }

  /** Runs a command by its title, when the command palette lists it first: until it is filtered, another command is first. */
  async command(title) {
    const { keyboard } = this.page;
    await until(`the palette lists ${title}`, async () => {
      await keyboard.press('F1');
      try {
        await this.page.locator('.quick-input-widget input').fill(`>${title}`, { timeout: 3000 });
        await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title }).waitFor({ timeout: 3000 });
      } catch (error) {
        // An open palette keeps its list, so a command that has become available since is only in the list of another one.
        await keyboard.press('Escape');
        throw error;
      }
      await keyboard.press('Enter');
      return true;
    });
  }

  /** What the page shows, for the report of a failed test. */
  async report() {
    const texts = async (selector) => (await this.page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    const focus = await this.page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.className}`);
    const shown = {
      tabs: await texts('.tab'),
      status: await texts('.statusbar-item:visible'),
      lists: await texts('.monaco-list-row.focused:visible'),
      notifications: await texts('.notification-list-item-message:visible'),
      lenses: await texts('.codelens-decoration:visible'),
    };
    const lines = Object.entries(shown).map(([what, found]) => `  ${what}: ${found.filter((text) => text !== '').join(' | ')}`);
    return ['The page shows', ...lines, `  focus: ${focus}`].join('\n');
  }

  /** Runs the server of the extension as a command line in the workspace; its output. */
  run(...args) {
    const extensions = join(this.home, 'extensions');
    const extension = readdirSync(extensions).find((name) => name.startsWith('warplens.warplens-'));
    return execFileSync(join(extensions, extension, 'server', 'warplens'), args, {
      cwd: this.workspace,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
  }

  /** Ends the language server of this workbench; false if there is none. */
  killServer() {
    const programs = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const server = programs.find((id) => {
      try {
        return readlinkSync(`/proc/${id}/exe`).startsWith(this.home);
      } catch {
        return false; // another user's, or it has ended
      }
    });
    if (server) process.kill(Number(server), 'SIGKILL');
    return server !== undefined;
  }

  /** Writes a screenshot of the page. */
  async screenshot(path) {
    await this.page.screenshot({ path });
  }

  async close() {
    await this.context?.close();
    await this.#stop();
    // Child processes of the server may still write files.
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  async #stop() {
    if (!this.server || this.server.exitCode !== null || this.server.signalCode !== null) return;
    const ended = once(this.server, 'exit');
    this.server.kill();
    await ended;
  }

  async #serve(hostEntry, directories, env) {
    this.port = await freePort();
    const flags = ['--auth', 'none', '--bind-addr', `127.0.0.1:${this.port}`, '--disable-telemetry', '--disable-update-check'];
    const quiet = ['--disable-workspace-trust', '--disable-getting-started-override'];
    this.server = spawn(process.execPath, [hostEntry, ...flags, ...quiet, ...directories], { env, stdio: 'ignore' });
    await until('code-server answers', async () => (await fetch(`http://127.0.0.1:${this.port}/healthz`)).ok);
  }

  async #browse(executablePath) {
    this.context = await chromium.launchPersistentContext(join(this.home, 'browser'), {
      executablePath,
      headless: true,
      args: BROWSER_ARGS,
      viewport: { width: 1280, height: 1400 },
    });
    this.page = this.context.pages()[0] ?? (await this.context.newPage());
    this.page.setDefaultTimeout(30_000);
  }
}

/** Waits until `condition` returns a true value; an exception counts as false. */
export async function until(what, condition, seconds = 30) {
  const end = Date.now() + seconds * 1000;
  let last;
  while (Date.now() < end) {
    try {
      last = await condition();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`timeout after ${seconds} s: ${what} (last: ${last})`);
}

/** For `until`: whether what `read` returns is as expected; otherwise an exception with the difference. */
export async function agrees(read, expected) {
  assert.deepEqual(await read(), expected);
  return true;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
