// A browser with the page, and what tests do in it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Scripts may use the clipboard of Firefox without a click. */
const CLIPBOARD = { 'dom.events.testing.asyncClipboard': true };

/** Waits until `check` returns something that is not falsy, and returns it. */
export async function until(what, check, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${what}: not within ${seconds} s`);
}

export class Bench {
  /** What the page's policy blocked, and errors of its scripts. */
  problems = [];

  static async start(browser, executablePath) {
    const bench = new Bench();
    const args = browser === 'chrome' ? ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] : [];
    bench.browser = await puppeteer.launch({ browser, executablePath, headless: true, args, extraPrefsFirefox: CLIPBOARD });
    return bench;
  }

  /** Opens an address in a new page, and waits for the lanes of its kernel unless a selector of something else is given. */
  async open(address, { width = 1024, height = 700, shown = '.strip' } = {}) {
    await this.page?.close();
    this.problems.length = 0;
    const context = this.browser.defaultBrowserContext();
    // Firefox has no such permissions.
    await context.overridePermissions(new URL(address).origin, ['clipboard-read', 'clipboard-sanitized-write']).catch(() => undefined);
    this.page = await this.browser.newPage();
    await this.page.setViewport({ width, height });
    this.page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    this.page.on('pageerror', (error) => this.problems.push(String(error)));
    await this.page.goto(address, { waitUntil: 'load' });
    await this.page.waitForSelector(shown);
    await this.idle();
    return this.page;
  }

  /** Waits until no run is in progress. */
  idle() {
    return until('the page is idle', () => this.page.$eval('#page-run', (run) => !run.disabled));
  }

  text(selector) {
    return this.page.$eval(selector, (element) => element.innerText ?? element.value);
  }

  value(selector) {
    return this.page.$eval(selector, (element) => element.value);
  }

  texts(selector) {
    return this.page.$$eval(selector, (elements) => elements.map((element) => element.textContent));
  }

  /** Waits until the text of an element matches. */
  shows(selector, pattern, seconds) {
    return until(`${selector} matches ${pattern}`, async () => pattern.test(await this.text(selector)), seconds);
  }

  /** The lanes of the drawn lines, as they are read to who does not see them. */
  strips() {
    return this.page.$$eval('#page-editor [data-testid=strip]', (strips) => strips.map((strip) => strip.getAttribute('aria-label')));
  }

  /** The text of the editor: it draws what is near the visible lines. */
  editorText() {
    return this.page.$$eval('#page-editor .cm-line', (lines) =>
      lines
        .map((line) => {
          const copy = line.cloneNode(true);
          for (const drawn of copy.querySelectorAll('.strip, .strip-rest')) drawn.remove();
          return copy.textContent;
        })
        .join('\n'),
    );
  }

  /** Replaces the text of a field and confirms it. */
  async fill(selector, text) {
    await this.page.$eval(selector, (field) => field.select());
    await this.page.type(selector, text);
    await this.page.keyboard.press('Enter');
  }

  /** Puts a text in the place of the kernel, as a paste does. */
  async paste(text) {
    await this.page.focus('#page-editor .cm-content');
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('a');
    await this.page.keyboard.up('Control');
    await this.page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('v');
    await this.page.keyboard.up('Control');
  }

  /** The focused element. */
  focused() {
    return this.page.evaluate(() => {
      const { id, className } = document.activeElement;
      return id || `.${className}`;
    });
  }

  /** What axe-core finds that is serious or worse. */
  async violations() {
    // The policy forbids scripts of others, so the test evaluates it.
    await this.page.evaluate(`if (!window.axe) { ${readFileSync(AXE, 'utf8')} }`);
    const { violations } = await this.page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`));
  }
}
