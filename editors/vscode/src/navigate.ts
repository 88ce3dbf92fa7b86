// Keys that step through a run: the next or previous divergence, visit and warp.

import { selectionOf, warpCount } from '../../shared/masks';
import { activeEditor } from './active';
import { moveCursor } from './cursor';
import { informBriefly } from './inform';
import type { Lanes } from './lanes';
import type { Server } from './server';
import { type Direction, nextLine, nextWarp, splits } from './steps';

/** Moves the cursor to the next line at which lanes diverge. */
export function goToDivergence(lanes: Lanes, direction: Direction): void {
  const lines = (lanes.current?.masks.lines ?? []).filter(splits).map((line) => line.line);
  const editor = activeEditor();
  if (!editor) return;
  const line = nextLine(lines, editor.selection.active.line, direction);
  if (line !== undefined) moveCursor(editor, line);
  else informBriefly('no lanes diverge in this warp');
}

/** Shows the next warp of the launch. */
export async function goToWarp(server: Server, lanes: Lanes, direction: Direction): Promise<void> {
  const shown = lanes.current;
  if (!shown) return;
  const { cta, warp, launch } = shown.masks;
  const next = nextWarp({ cta, warp }, launch.grid, warpCount(shown.masks), direction);
  await server.select({ ...selectionOf(shown.uri, shown.masks), ...next });
}

/** Shows the next visit of the line with the cursor. */
export async function goToNextVisit(server: Server, lanes: Lanes, direction: Direction): Promise<void> {
  const shown = lanes.current;
  const at = activeEditor()?.selection.active.line;
  const line = shown?.masks.lines.find((line) => line.line === at);
  if (!shown || !line) return;
  const chosen = shown.masks.visit?.line === at ? shown.masks.visit?.number : undefined;
  const next = (chosen ?? (direction === 1 ? 0 : line.count + 1)) + direction;
  const visit = next >= 1 && next <= line.count ? next : null;
  await server.execute('warplens.selectVisit', { uri: shown.uri, line: at, visit });
}
