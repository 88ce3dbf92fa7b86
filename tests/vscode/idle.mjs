// What the extension costs where it has nothing to do: it is not active without its languages, starts quickly, and uses no processor
// time while nothing happens.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { until } from './workbench.mjs';

const PERIOD = 3000;

/** The processes of a workbench whose program or arguments match. */
function processes(home, pattern) {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      const command = `${readlinkSync(`/proc/${id}/exe`)} ${readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')}`;
      return pattern.test(command) && `${command} ${readFileSync(`/proc/${id}/environ`, 'utf8')}`.includes(home);
    } catch {
      return false; // another user's, or it has ended
    }
  });
}

/** The processor time that a process has used, in clock ticks of 10 ms. */
function ticks(id) {
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** The processor time in milliseconds that a process uses in a period without events. */
async function usedBy(id) {
  const before = ticks(id);
  await new Promise((resolve) => setTimeout(resolve, PERIOD));
  return (ticks(id) - before) * 10;
}

/** The tests; `given()` returns the shared workbench and the function that writes screenshots. */
export function idleTests(given) {
  const servers = () => processes(given().bench.home, /server\/warplens .*lsp/);
  const hosts = () => processes(given().bench.home, /type=extensionHost/);
  const running = () => given().bench.page.locator('.runtime-extensions-editor .monaco-list-row');

  async function showRunning() {
    const { bench } = given();
    await bench.command('Developer: Show Running Extensions');
    await running().first().waitFor();
  }

  describe('a window without its languages', () => {
    before(() => {
      const { bench } = given();
      bench.write('plain/note.txt', 'a note\n');
      bench.write('plain/k.ptx', bench.read('saxpy.ptx'));
      return bench.open('note.txt', 'plain');
    });

    test('does not activate the extension', async () => {
      const { bench, shot } = given();
      await bench.page.locator('.statusbar-item', { hasText: 'Plain Text' }).waitFor();
      await showRunning();
      assert.equal(
        await running()
          .filter({ hasText: /warplens/i })
          .count(),
        0,
      );
      assert.deepEqual(servers(), []);
      const [host] = await until('there is one host', () => hosts().length > 0 && hosts().slice(-1));
      console.log(`idle without the extension: extension host ${await usedBy(host)} ms of processor time in ${PERIOD} ms`);
      await shot('accept-8-not-active');
    });

    test('activates it for a file of its languages', async () => {
      const { bench, shot } = given();
      await bench.open('k.ptx', 'plain');
      await bench.lens('Run').first().waitFor();
      await showRunning();
      const row = running().filter({ hasText: /warplens/i });
      await row.first().waitFor();
      console.log(`activation: ${/\d+ms/.exec(await row.first().innerText())?.[0]} of host time`);
      assert.equal(servers().length, 1);
      await shot('accept-8-activation');
    });
  });

  test('an idle editor with lanes uses no processor time', async () => {
    const { bench } = given();
    await bench.open('k.ptx', 'plain');
    await bench.showLanes('Run');
    const [server] = await until('there is one server', () => servers().length === 1 && servers());
    const [host] = await until('there is one host', () => hosts().length > 0 && hosts().slice(-1));
    // What follows the opening of a file takes a while.
    const used = await until(
      'the server is idle',
      async () => {
        const [ofServer, ofHost] = await Promise.all([usedBy(server), usedBy(host)]);
        if (ofServer > 0) throw new Error(`${ofServer} ms of processor time in ${PERIOD} ms`);
        return { ofServer, ofHost };
      },
      60,
    );
    console.log(`idle with lanes: server ${used.ofServer} ms, extension host ${used.ofHost} ms of processor time in ${PERIOD} ms`);
  });
}
