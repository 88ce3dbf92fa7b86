// A pick list whose highlighted item is shown at once; the former one is shown again if the list is cancelled.
import * as vscode from 'vscode';

/** Milliseconds after which a highlighted item is shown. */
const PREVIEW_DELAY = 150;

/** A filter of the list, as a button in its title. */
export interface Filter<T> {
  /** The button, and the title of the filtered list. */
  title: string;
  icon: string;
  accepts: (item: T) => boolean;
}

export interface Preview<T extends vscode.QuickPickItem> {
  title: string;
  items: T[];
  /** The item that is shown when the list opens. */
  shown?: T;
  filters?: Filter<T>[];
  /** Shows a highlighted or, finally, an accepted item. */
  show: (item: T, isAccepted: boolean) => Promise<void>;
  /** Shows what was shown before. */
  restore: () => Promise<void>;
}

/** Opens the list. Returns a function that redraws the items after a change. */
export function pickWithPreview<T extends vscode.QuickPickItem>(preview: Preview<T>): () => void {
  const { items, shown, show } = preview;
  const pick = vscode.window.createQuickPick<T>();
  const list = (listed: T[], active: T | undefined) => {
    pick.items = listed;
    if (active && listed.includes(active)) pick.activeItems = [active];
  };
  pick.title = preview.title;
  pick.matchOnDescription = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let current = shown;
  let isOpen = true;
  addFilters(pick, preview, list);
  list(items, shown);
  let highlighted = shown ?? items[0];
  pick.onDidChangeActive(([item]) => {
    clearTimeout(timer);
    if (!item || item === highlighted) return;
    timer = setTimeout(() => {
      highlighted = current = item;
      void show(item, false);
    }, PREVIEW_DELAY);
  });
  pick.onDidAccept(() => {
    clearTimeout(timer);
    const [picked] = pick.selectedItems;
    if (!picked) return;
    if (picked !== current || current !== shown) void show(picked, true);
    current = shown;
    pick.hide();
  });
  pick.onDidHide(() => {
    clearTimeout(timer);
    isOpen = false;
    if (current !== shown) void preview.restore();
    pick.dispose();
  });
  pick.show();
  return () => {
    if (!isOpen) return;
    const [active] = pick.activeItems;
    pick.keepScrollPosition = true;
    list([...pick.items], active);
  };
}

/** A button for each filter; a second click removes it. */
function addFilters<T extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<T>,
  { title, items, shown, filters = [] }: Preview<T>,
  list: (listed: T[], active: T | undefined) => void,
): void {
  let current: Filter<T> | undefined;
  const buttons = filters.map((filter) => ({ iconPath: new vscode.ThemeIcon(filter.icon), tooltip: filter.title, filter }));
  pick.buttons = buttons;
  pick.onDidTriggerButton((button) => {
    const clicked = buttons.find((candidate) => candidate === button)?.filter;
    current = current === clicked ? undefined : clicked;
    pick.title = current ? `${title} (${current.title.toLowerCase()})` : title;
    const [active = shown] = pick.activeItems;
    list(current ? items.filter(current.accepts) : items, active);
  });
}
