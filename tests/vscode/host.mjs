// Installs the editor that the tests drive: the VS Code workbench of code-server, from npm packages only.
// The native modules that its skipped install scripts would build are built here, with the headers of the running Node.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const VERSION = '4.100.3';

/** The code-server entry script below `folder`, installing it first if needed (about a minute). */
export function ensureHost(folder) {
  const root = join(folder, 'node_modules', 'code-server');
  const entry = join(root, 'out', 'node', 'entry.js');
  const stamp = join(folder, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === process.version) return entry;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  console.log(`installing code-server ${VERSION} (VS Code 1.100.3)…`);
  npm(folder, 'install', `code-server@${VERSION}`);
  const vscode = join(root, 'lib', 'vscode');
  npm(vscode, 'install');
  npm(join(vscode, 'extensions'), 'install');
  console.log('building its native modules…');
  buildNatives(root, vscode);
  createPostinstallLinks(vscode);
  writeFileSync(stamp, process.version);
  return entry;
}

/** npm without install scripts: several of them download from outside the registry. */
function npm(cwd, ...args) {
  run('npm', [...args, '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'], cwd);
}

function buildNatives(root, vscode) {
  const nodePrefix = dirname(dirname(process.execPath));
  const gyp = join(npmRoot(), 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
  for (const name of ['node-pty', '@vscode/spdlog', 'native-watchdog']) {
    run(process.execPath, [gyp, 'rebuild', `--nodedir=${nodePrefix}`], join(vscode, 'node_modules', name));
  }
  const argon2 = findPackage(root, 'argon2');
  const preGyp = join(findPackage(root, '@mapbox/node-pre-gyp'), 'bin', 'node-pre-gyp');
  run(process.execPath, [preGyp, 'install', '--build-from-source', `--nodedir=${nodePrefix}`], argon2, {
    npm_config_node_gyp: gyp,
  });
}

function createPostinstallLinks(vscode) {
  symlinkSync('node_modules', join(vscode, 'node_modules.asar'));
  link('code-linux.sh', join(vscode, 'bin', 'remote-cli', 'code-server'));
  link('browser-linux.sh', join(vscode, 'bin', 'helpers', 'browser.sh'));
  link('/usr/bin/rg', join(vscode, 'node_modules', '@vscode', 'ripgrep', 'bin', 'rg'));
}

function link(target, path) {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  symlinkSync(target, path);
}

function npmRoot() {
  const global = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim();
  return join(global, 'npm');
}

/** A dependency of code-server, hoisted beside it or nested below it. */
function findPackage(root, name) {
  const candidates = [join(root, 'node_modules', name), join(dirname(root), name)];
  const found = candidates.find((path) => existsSync(path));
  if (!found) throw new Error(`code-server ${VERSION} has no dependency ${name}`);
  return found;
}

function run(command, args, cwd, env = {}) {
  try {
    execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')} failed in ${cwd}:\n${error.stdout}\n${error.stderr}`);
  }
}
