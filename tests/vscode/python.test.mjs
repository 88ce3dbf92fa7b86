// A Python file with a Triton kernel: the lens runs it without a GPU, and the findings are at its lines.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { ROOT, reportFailure, SCREENSHOTS, skip, skipped, startWorkbench } from './session.mjs';
import { until } from './workbench.mjs';

/** An interpreter with Triton: that of the tests of the Python package. */
const ENVIRONMENT = process.env.VIRTUAL_ENV ?? join(ROOT, 'target', 'python', 'tests');
const missing = existsSync(ENVIRONMENT) ? false : skipped('there is no interpreter with Triton');

describe('a script with Triton kernels', { skip: skip || missing, timeout: 300_000 }, () => {
  let bench;

  before(async () => {
    Object.assign(process.env, { VIRTUAL_ENV: ENVIRONMENT, PYTHONPATH: join(ROOT, 'python') });
    bench = await startWorkbench();
    await bench.open('vector_add.py');
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  test('a click runs it, and its findings are underlined', async () => {
    const errors = bench.page.locator('.squiggly-error');
    assert.equal(await errors.count(), 0);
    await bench.lens('Run without a GPU').first().click();
    await until('the findings are there', async () => (await errors.count()) === 3, 60);
    await bench.page.setViewportSize({ width: 1024, height: 700 });
    await bench.command('View: Toggle Problems');
    const problem = bench.page.locator('.markers-panel .monaco-list-row', { hasText: 'Out of bounds' }).first();
    assert.match(await problem.innerText(), /x_ptr\[1000\].* is beyond .*Warplens.*out-of-bounds.*Ln 16/s);
    await bench.screenshot(join(SCREENSHOTS, 'python-findings.png'));
  });
});
