// Chooses the visit that is shown, for the line with the cursor.
import * as vscode from 'vscode';
import type { LaneLine } from '../../shared/masks';
import { activeEditor } from './active';
import { inform } from './inform';
import type { Lanes } from './lanes';
import type { Server } from './server';

/** The largest number of visits in the list; a later one can be typed. */
const VISITS_LISTED = 200;

type VisitItem = vscode.QuickPickItem & { visit: number | null };

export async function goToVisit(server: Server, lanes: Lanes, chosen?: number): Promise<void> {
  const shown = lanes.current;
  const editor = activeEditor();
  if (!shown || !editor) return inform('no lanes are shown; pick a launch first.');
  const at = chosen ?? editor.selection.active.line;
  const line = shown.masks.lines.find((candidate) => candidate.line === at);
  if (!line) return inform('the warp did not execute this line; choose a line with lanes.');
  const visit = await pickVisit(line);
  if (visit === undefined) return;
  await server.execute('warplens.selectVisit', { uri: shown.uri, line: at, visit });
}

/** The picked or typed number; null for the last visit of each line, undefined if cancelled. */
function pickVisit(line: LaneLine): Promise<number | null | undefined> {
  const pick = vscode.window.createQuickPick<VisitItem>();
  pick.title = `Show one of the ${line.count} visits of line ${line.line + 1}`;
  pick.placeholder = 'Pick a visit, or type its number';
  const listed = visitItems(line);
  pick.items = listed;
  pick.onDidChangeValue((value) => {
    const typed = Number(value);
    const isBeyond = Number.isInteger(typed) && typed > VISITS_LISTED && typed <= line.count;
    pick.items = isBeyond ? [{ label: `Visit ${typed}`, visit: typed }, ...listed] : listed;
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.visit);
      pick.dispose();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

function visitItems(line: LaneLine): VisitItem[] {
  const items: VisitItem[] = [{ label: 'Last', description: 'the last visit of each line', visit: null }];
  for (const { active, executed, repeat } of line.visits) {
    for (let nth = 0; nth < repeat && items.length <= VISITS_LISTED; nth++) {
      const lanes = active === executed ? `lanes ${active}` : `lanes ${active}, ${executed} executed`;
      items.push({ label: `Visit ${items.length}`, description: lanes, visit: items.length });
    }
  }
  return items;
}
