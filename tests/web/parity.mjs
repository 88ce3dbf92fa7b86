// Compares the answers of the module in dist/web with those of the native program on kernels: diagnostics, hover at 20 positions, formatting,
// and the masks of the inferred launch and of the written ones.
//
//   node parity.mjs [--every N] FOLDER|FILE…
//
// Prints each difference, and fails if there is one. `--every N` takes every Nth file.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { native, web } from './connections.mjs';

const LANGUAGES = { '.ptx': 'ptx', '.wave': 'wave', '.sass': 'sass', '.cu': 'cuda-cpp', '.rs': 'rust', '.py': 'python' };

/** Positions of a file at which hovers are compared. */
const HOVERS = 20;

/** Written launches of a file that are run. */
const LAUNCHES = 4;

/** Differences of one file that are printed. */
const SHOWN = 3;

export function filesBelow(paths, every = 1) {
  const found = [];
  const visit = (path) => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name));
    } else if (extname(path) in LANGUAGES) {
      found.push(path);
    }
  };
  for (const path of paths) visit(resolve(path));
  return found.filter((_, at) => at % every === 0);
}

/** The differences between the two servers on these files: `{ file, what, native, web }`. */
export async function compare(files, report = () => {}) {
  const servers = [await native(), await web()];
  await Promise.all(servers.map((server) => server.initialize()));
  const differences = [];
  let answers = 0;
  for (const file of files) {
    const [ours, theirs] = await Promise.all(servers.map((server) => answersAbout(server, file)));
    answers += ours.length;
    const before = differences.length;
    ours.forEach(([what, answer], at) => {
      const other = theirs[at]?.[1];
      if (answer !== other) differences.push({ file, what, native: answer, web: other });
    });
    report(file, differences.slice(before));
  }
  for (const server of servers) server.stop();
  return { differences, answers };
}

/** What a server answers about a file: names of requests with answers as text. */
async function answersAbout(server, file) {
  const text = readFileSync(file, 'utf8');
  const uri = pathToFileURL(file).href;
  const textDocument = { uri };
  server.open(uri, LANGUAGES[extname(file)], text);
  const answers = [];
  const ask = async (what, method, params) => {
    const answer = await server.request(method, params);
    answers.push([what, JSON.stringify(answer, withoutPages)]);
    return answer;
  };
  const command = (what, name, argument) => ask(what, 'workspace/executeCommand', { command: name, arguments: [{ uri, ...argument }] });
  await ask('diagnostics', 'textDocument/diagnostic', { textDocument });
  await ask('formatting', 'textDocument/formatting', { textDocument, options: { tabSize: 4, insertSpaces: true } });
  for (const position of positions(text)) {
    const what = `hover at ${position.line + 1}:${position.character + 1}`;
    await ask(what, 'textDocument/hover', { textDocument, position });
  }
  const { result: launches } = await command('launches', 'warplens.listLaunches', {});
  const inferred = (launches ?? []).filter(({ source }) => source === 'inferred').slice(0, 1);
  const written = (launches ?? []).filter(({ source }) => source !== 'inferred').slice(0, LAUNCHES);
  for (const { name, entry } of [...inferred, ...written]) {
    await command(`select ${name}`, 'warplens.selectLaunch', { launch: name, ...(entry ? { entry } : {}) });
    await ask(`masks of ${name}`, 'warplens/laneMasks', { textDocument });
    await ask(`diagnostics after ${name}`, 'textDocument/diagnostic', { textDocument });
  }
  server.close(uri);
  return answers;
}

/** `codeDescription` leads to different copies of the pages. */
const withoutPages = (key, value) => (key === 'codeDescription' ? undefined : value);

/** Positions of words, spread over a text; the same at each run. */
function positions(text) {
  const words = [];
  text.split('\n').forEach((content, line) => {
    for (const { index } of content.matchAll(/[%$@.\w]+/g)) words.push({ line, character: index + 1 });
  });
  const step = Math.max(1, words.length / HOVERS);
  return Array.from({ length: Math.min(HOVERS, words.length) }, (_, at) => words[Math.floor(at * step)]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2);
  const every = args[0] === '--every' ? Number(args.splice(0, 2)[1]) : 1;
  const files = filesBelow(args, every);
  const { differences, answers } = await compare(files, (_, found) => {
    for (const { file, what, native: ours, web: theirs } of found.slice(0, SHOWN)) {
      console.log(`${file}: ${what}\n  native ${excerpt(ours, theirs)}\n  web    ${excerpt(theirs, ours)}`);
    }
  });
  console.log(`${files.length} files, ${answers} answers, ${differences.length} differences`);
  process.exit(differences.length > 0 ? 1 : 0);
}

/** A text around its first difference from another one. */
function excerpt(text = 'no answer', other = '') {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  return `…${text.slice(Math.max(0, at - 80), at + 160)}`;
}
