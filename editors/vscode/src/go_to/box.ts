// The box "Go to…": a typed place of the run, a finding, or a label of the code.
import * as vscode from 'vscode';
import { type LaneMasks, warpCount } from '../../../shared/masks';
import { labelsIn } from '../../../shared/run_info';
import { activeEditor } from '../active';
import { moveCursor } from '../cursor';
import type { FindingView } from '../finding';
import { inform } from '../inform';
import type { Lanes } from '../lanes';
import { goToPlace, type Target } from './go';
import { describe, missing, parsePlace } from './place';

const EXAMPLES = 'b 0,1,0  w3  v5  l9  %r7, t 37, :12, out[129], or the name of a finding or a label';

/** An item of the box; without `go`, it only says why there is no such place. */
type Item = vscode.QuickPickItem & { go?: () => unknown };

/** Opens the box; a text that tests or other commands pass is already typed. */
export function openGoTo(target: Omit<Target, 'shown' | 'editor'>, lanes: Lanes, findings: FindingView, typed = ''): void {
  const shown = lanes.current;
  const editor = activeEditor();
  if (!shown || !editor) {
    inform('no lanes are shown; pick a launch first.');
    return;
  }
  const listed = [...findingItems(shown.masks, findings), ...labelItems(editor, shown.masks)];
  const isListing = editor.document.languageId !== 'ptx';
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = 'Go to a place in the run';
  pick.placeholder = EXAMPLES;
  pick.matchOnDescription = true;
  const list = (value: string) => {
    const place = parsePlace(value, isListing);
    if (!place) {
      pick.items = listed;
      return;
    }
    const { launch } = shown.masks;
    const problem = missing(place, { grid: launch.grid, warps: warpCount(shown.masks), width: launch.wave_width ?? 32 });
    const item: Item = problem
      ? { label: `$(error) ${describe(place)}`, detail: problem, alwaysShow: true }
      : { label: `$(arrow-right) ${describe(place)}`, alwaysShow: true, go: () => goToPlace({ ...target, shown, editor }, place) };
    pick.items = [item, ...listed];
    pick.activeItems = [item];
  };
  pick.onDidChangeValue(list);
  pick.onDidAccept(() => {
    const [item] = pick.selectedItems;
    if (!item?.go) return;
    pick.hide();
    void item.go();
  });
  pick.onDidHide(() => pick.dispose());
  pick.value = typed;
  list(typed);
  pick.show();
}

function findingItems({ findings }: LaneMasks, view: FindingView): Item[] {
  return findings.flatMap(({ code, message, line }, number) =>
    line === undefined
      ? []
      : [
          {
            label: `$(warning) ${code}`,
            description: `line ${line + 1}: ${message.split('\n')[0]}`,
            go: () => view.goToNumber(number),
          },
        ],
  );
}

function labelItems(editor: vscode.TextEditor, masks: LaneMasks): Item[] {
  return Object.entries(labelsIn(editor.document, masks)).map(([line, label]) => ({
    label: `$(symbol-key) ${label}`,
    description: `line ${Number(line) + 1}`,
    go: () => moveCursor(editor, Number(line)),
  }));
}
