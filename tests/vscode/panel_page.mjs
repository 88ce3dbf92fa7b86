// The page of the lanes panel in a workbench: a frame in a frame.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { until } from './workbench.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The panel as VS Code shows it at first, in windows of 1440x900 and of 1024x700 with the side bar. */
export const FIRST_SIZES = [
  { width: 1092, height: 210 },
  { width: 676, height: 198 },
];

/** In a page with a panel: the controls that are not in view, the lanes that the time line cuts, and whether the page scrolls. */
export function cutParts() {
  const name = (element) => `${element.id || element.className || element.tagName}`;
  const controls = [...document.querySelectorAll('#warplens-panel :is(.bar, .caption) :is(button, #sentence, .facts)')];
  const isInside = ({ left, right, top, bottom }) => left >= 0 && top >= 0 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
  const cut = controls.filter((element) => !isInside(element.getBoundingClientRect())).map(name);
  const view = document.querySelector('#view').getBoundingClientRect();
  const lanes = document.querySelector('#view #lanes')?.getBoundingClientRect();
  if (lanes && (lanes.bottom > view.bottom + 1 || lanes.right > view.right + 1)) cut.push('lanes');
  const isCutIn = (frame) => (part) => part.getBoundingClientRect().right > frame.getBoundingClientRect().right + 1;
  const list = document.querySelector('[role="tablist"]');
  cut.push(...[...list.children].filter(isCutIn(list)).map(name));
  const heads = document.querySelectorAll('#view table.lanes :is(th, .chosen)');
  cut.push(...[...heads].filter(isCutIn(document.querySelector('#view'))).map((head) => `${name(head)} ${head.textContent}`));
  if (view.height < 100) cut.push(`the view has ${view.height} pixels`);
  const { scrollHeight, scrollWidth } = document.documentElement;
  if (scrollHeight > innerHeight || scrollWidth > innerWidth) cut.push('the page scrolls');
  const table = document.querySelector('#view .worst');
  if (table && table.scrollWidth > table.parentElement.clientWidth + 1) cut.push('the table of accesses');
  return cut;
}

export class PanelPage {
  /** What the policy of the page blocked, and errors of its scripts. */
  problems = [];

  constructor(bench) {
    this.bench = bench;
    bench.page.on('console', (message) => {
      const text = message.text();
      if (/content security policy/i.test(text) && /warplens|panel|vscode-webview/i.test(`${text} ${message.location().url}`))
        this.problems.push(text);
    });
    bench.page.on('pageerror', (error) => this.problems.push(String(error)));
  }

  /** The frame with the panel; VS Code replaces it when the panel is shown again. */
  async frame() {
    return until('the panel has a page', async () => {
      for (const frame of this.bench.page.frames()) {
        if (
          await frame
            .locator('#warplens-panel')
            .count()
            .catch(() => 0)
        )
          return frame;
      }
      return undefined;
    });
  }

  /** Opens the panel through its command, and waits for a run. */
  async open() {
    await this.bench.command('Warplens: Show Lanes Panel');
    await this.find('#step');
  }

  /** Runs a launch through its lens, and opens the panel. */
  async run(lens, timeout = 90_000) {
    const { bench } = this;
    await bench.lens(lens).first().waitFor();
    if ((await bench.lens('instr').count()) === 0) await bench.lens(lens).first().click();
    await bench.endedRun().first().waitFor({ timeout });
    await this.open();
  }

  /** The memory of the scripts of the page, in bytes. */
  async memory() {
    return (await this.frame()).evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  }

  /** Prints the times that the panel measured, and its memory. */
  async printTimes() {
    const frame = await this.frame();
    const entries = await frame.evaluate(() => performance.getEntriesByType('measure').map(({ name, duration }) => [name, duration]));
    for (const name of new Set(entries.map(([name]) => name))) {
      const sorted = entries
        .filter(([other]) => other === name)
        .map(([, duration]) => duration)
        .sort((a, b) => a - b);
      console.log(
        `${name}: ${sorted.length} times, median ${sorted[sorted.length >> 1].toFixed(1)} ms, longest ${sorted.at(-1).toFixed(1)} ms`,
      );
    }
    console.log(`memory of the page: ${((await this.memory()) / 1e6).toFixed(0)} MB`);
  }

  /** An element of the panel, once it is there. */
  async find(selector) {
    const found = (await this.frame()).locator(selector);
    await found.first().waitFor();
    return found;
  }

  async text(selector) {
    return (await this.find(selector)).first().innerText();
  }

  async click(selector) {
    await (await this.find(selector)).first().click();
  }

  /** Clicks an element until another one is there: what is drawn again between the press and the release of the button loses a click. */
  async clickUntil(selector, shown) {
    await until(`${shown} is there`, async () => {
      const frame = await this.frame();
      if ((await frame.locator(shown).count()) > 0) return true;
      await frame.locator(selector).first().click({ timeout: 3000 });
      return frame
        .locator(shown)
        .first()
        .waitFor({ timeout: 3000 })
        .then(
          () => true,
          () => false,
        );
    });
  }

  /** Waits until the text of an element matches. */
  async shows(selector, pattern, seconds = 30) {
    const matches = async () => {
      const text = await (await this.frame()).locator(selector).first().innerText({ timeout: 2000 });
      if (pattern.test(text)) return true;
      throw new Error(text);
    };
    await until(`${selector} matches ${pattern}`, matches, seconds);
  }

  async tab(name) {
    await this.click(`#tab-${name}`);
    await this.find(`#view[data-tab="${name}"]`);
  }

  /** Gives the panel a height, by dragging its upper edge. */
  async resize(height) {
    const { page } = this.bench;
    const part = page.locator('.part.panel');
    await part.waitFor();
    const box = await part.boundingBox();
    const bottom = box.y + box.height;
    await page.mouse.move(box.x + box.width / 2, box.y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, bottom - height, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(300);
  }

  /** What axe-core finds that is serious or worse. */
  async violations() {
    const frame = await this.frame();
    // The policy forbids scripts of others, so the test evaluates it.
    await frame.evaluate(`if (!window.axe) { ${readFileSync(AXE, 'utf8')} }`);
    const results = await frame.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    return results.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`));
  }
}
