// Serves VS Code with the packed extension to a browser, on a copy of the examples, until it is interrupted. `cargo xtask demo --web` runs it.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureHost } from './host.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const PORT = Number(process.env.WARPLENS_PORT ?? 8181);
const vsix = process.env.WARPLENS_VSIX;
if (!vsix) throw new Error('set WARPLENS_VSIX to the packed extension, as `cargo xtask demo --web` does');

const entry = ensureHost(join(ROOT, 'target', 'vscode-host'));
const home = mkdtempSync(join(tmpdir(), 'warplens-demo-'));
const workspace = join(home, 'examples');
cpSync(join(ROOT, 'examples'), workspace, { recursive: true });
const data = join(home, 'data');
mkdirSync(join(data, 'User'), { recursive: true });
writeFileSync(
  join(data, 'User', 'settings.json'),
  JSON.stringify({ 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off' }),
);
const folders = ['--user-data-dir', data, '--extensions-dir', join(home, 'extensions')];
const env = { ...process.env, HOME: home };
execFileSync(process.execPath, [entry, ...folders, '--install-extension', vsix], { env, stdio: 'pipe' });

const quiet = [
  '--auth',
  'none',
  '--disable-telemetry',
  '--disable-update-check',
  '--disable-workspace-trust',
  '--disable-getting-started-override',
];
const server = spawn(process.execPath, [entry, '--bind-addr', `127.0.0.1:${PORT}`, ...quiet, ...folders], {
  env,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const file = `vscode-remote://127.0.0.1:${PORT}${workspace}/divergence.ptx`;
const payload = encodeURIComponent(JSON.stringify([['openFile', file]]));
let answers = false;
for (let tries = 0; tries < 300 && !answers && server.exitCode === null; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  answers = await fetch(`http://127.0.0.1:${PORT}/healthz`).then(
    (response) => response.ok,
    () => false,
  );
}
if (answers) {
  console.log(
    `\nOpen this address, and select the code lens “Run one warp” (Ctrl+C ends the demo):\n\n  http://127.0.0.1:${PORT}/?folder=${workspace}&payload=${payload}\n`,
  );
} else {
  console.error(`VS Code does not answer on port ${PORT}; set WARPLENS_PORT to a port that is free.`);
  server.kill();
}
process.on('SIGINT', () => server.kill());
process.on('SIGTERM', () => server.kill());
server.on('exit', () => {
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  process.exit(answers ? 0 : 1);
});
