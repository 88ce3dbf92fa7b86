// What leaves the page: a link, Markdown, files, and a link that VS Code opens.
import type { LaneMasks } from '../../shared/masks';
import { shapeOf } from '../../shared/masks';
import { INFO } from './languages';
import { encodeFragment, type Kernel, type LinkState } from './link';

/** The address of a state: of this page, without how it is embedded. */
export function linkTo(state: LinkState): string {
  const { origin, pathname } = location;
  return `${origin}${pathname}${state.task ? '?exercise' : ''}#${encodeFragment(state)}`;
}

/** The address with which VS Code opens a state. */
export function vscodeLink(state: LinkState): string {
  return `vscode://warplens.warplens/open?${encodeFragment(state)}`;
}

/** The kernel with its lanes, its run and a link, for an issue or a chat. */
export function markdown({ text, language }: Kernel, masks: LaneMasks | null, link: string): string {
  const labels = new Map(masks?.lines.map(({ line, label }) => [line, label]));
  const lines = text.trimEnd().split('\n');
  const columns = Math.min(Math.max(...lines.map((line) => line.length)), 60);
  const mark = (line: string, at: number) =>
    labels.has(at) ? `${line.padEnd(columns)}  ${INFO[language].comment} ${labels.get(at)}` : line;
  const marked = lines.map((line, at) => mark(line.replaceAll('\t', '    '), at));
  // A fence is longer than any in the text.
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const run = masks ? `\`${masks.source_name ?? masks.entry}${shapeOf(masks.launch)}\`, ${masks.verdict ?? masks.status}\n\n` : '';
  const findings = (masks?.findings ?? []).map(({ line, message }) => {
    const place = line === undefined ? '' : `line ${line + 1}: `;
    return `* ${place}${message.split('\n')[0]}\n`;
  });
  return `${run}${findings.join('')}${findings.length > 0 ? '\n' : ''}${fence}${language}\n${marked.join('\n')}\n${fence}\n\n[Open in Warplens](${link})\n`;
}
