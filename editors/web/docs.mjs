// Writes the documentation as pages beside the page, with a link at each example of a diagnostic or a finding that opens it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked } from 'marked';

const DOCS = '../../docs';
/** The folders whose examples are kernels that run. */
const RUNS = /^(diagnostics|findings)\//;

/** Writes all pages below `out`; `encodeFragment` makes their links. Fails at a link to a page that does not exist. */
export function writeDocs(out, encodeFragment) {
  const files = readdirSync(DOCS, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md'));
  const known = new Set(files);
  for (const file of files) {
    const path = join(out, file.replace(/\.md$/, '.html'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, pageOf(file, known, encodeFragment));
  }
  writeFileSync(join(out, 'docs.css'), readFileSync('docs.css'));
}

function pageOf(file, known, encodeFragment) {
  const text = readFileSync(join(DOCS, file), 'utf8');
  const up = '../'.repeat(file.split('/').length);
  const title = /^# (.*)$/m.exec(text)?.[1] ?? file;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${slug(inner.replace(/<[^>]*>/g, ''))}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = targetOf(href, file, known);
        return target === undefined ? inner : `<a href="${escaped(target)}">${inner}</a>`;
      },
      code({ text, lang = '' }) {
        const code = `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
        const state = RUNS.test(file) ? stateOf(text, lang) : undefined;
        return state ? `${code}<p class="run"><a href="${up}#${encodeFragment(state)}">Run this</a></p>\n` : code;
      },
      // Pictures and other markup of the repository.
      html: () => '',
    },
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Warplens</title>
<link rel="stylesheet" href="${up.slice(3)}docs.css">
</head>
<body>
<nav><a href="${up}">Warplens</a> · <a href="${up.slice(3)}README.html">Documentation</a></nav>
<main>
${marked.parse(text)}</main>
</body>
</html>
`;
}

/** Where a link leads on the page; undefined if it leads to a file of the repository that is no page. */
function targetOf(href, file, known) {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(file), path));
  if (target.startsWith('../') || !target.endsWith('.md')) return undefined;
  if (!known.has(target)) throw new Error(`docs/${file} links to ${href}, which is no page`);
  return `${path.replace(/\.md$/, '.html')}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The kernel that an example stands for, as the tests of these pages read it (server/ide/tests/ide/page.rs). */
function stateOf(code, lang) {
  const [language] = lang.split(' ');
  if (language === 'wave' || language === 'sass') return { text: `${code}\n`, language };
  if (language !== 'ptx') return undefined;
  if (code.includes('.version')) return { text: `${code}\n`, language };
  const [, launch = '', statements] = /^(\/\/ @launch[^\n]*\n)?(.*)$/s.exec(`${code}\n`);
  const end = /(ret|exit|trap);\s*$/.test(statements) ? '' : '    ret;\n';
  const kernel = readFileSync(join(DOCS, 'example.ptx'), 'utf8');
  const parts = { launch, statements, end };
  return { text: kernel.replace(/\{(launch|statements|end)\}/g, (_, part) => parts[part]), language };
}

/** The anchor of a heading, as GitHub makes it. */
function slug(heading) {
  return heading
    .toLowerCase()
    .replace(/&[a-z]+;/g, '')
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]);
}
