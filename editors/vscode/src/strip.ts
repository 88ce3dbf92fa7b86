// Draws lanes at the end of the visible lines: a strip of cells in a common column, and a label.
import * as vscode from 'vscode';
import { display } from './display';
import { LANGUAGES } from './languages';
import type { LaneLine, LaneMasks } from './masks';
import type { LaneStore } from './store';
import { columns, commonColumn, spaceAfter, wrappedColumn } from './strip/layout';
import { share, size } from './strip/masks';
import { overview, STEPS, step } from './strip/positions';
import { HEIGHT, imageOf, shape } from './strip/shape';
import { Subscriber } from './subscriber';

/** Lines above and below the visible ones that are drawn too. */
const MARGIN = 20;
/** Larger documents have no marks in the overview ruler. */
const OVERVIEW_LINES = 50_000;

export class Strip extends Subscriber {
  private readonly cells = vscode.window.createTextEditorDecorationType({});
  private readonly notRun = vscode.window.createTextEditorDecorationType({ opacity: '0.65' });
  private readonly steps = Array.from({ length: STEPS }, (_, index) => overviewStep(index + 1));
  private readonly images = new Map<string, string>();

  constructor(private readonly store: LaneStore) {
    super();
    const redraw = (editors: readonly vscode.TextEditor[], whole: boolean) => {
      for (const editor of editors) this.draw(editor, whole);
    };
    this.subscriptions.push(
      this.cells,
      this.notRun,
      ...this.steps,
      store.onDidChange((uri) => redraw(editorsOf(uri), true)),
      store.onDidMove((uri) => redraw(editorsOf(uri), false)),
      vscode.window.onDidChangeVisibleTextEditors((editors) => redraw(editors, true)),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.draw(textEditor, false)),
      vscode.window.onDidChangeTextEditorOptions(({ textEditor }) => this.draw(textEditor, false)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('warplens.lanes') || event.affectsConfiguration('editor')) this.drawAll();
      }),
    );
  }

  drawAll(): void {
    for (const editor of vscode.window.visibleTextEditors) this.draw(editor, true);
  }

  /** `whole` also draws the overview ruler. It does not depend on the visible lines, and VS Code moves its marks with edits. */
  private draw(editor: vscode.TextEditor, whole: boolean): void {
    const { document } = editor;
    if (!LANGUAGES.includes(document.languageId)) return;
    const masks = display() === 'strip' ? this.store.of(document.uri.toString()) : undefined;
    editor.setDecorations(this.cells, masks ? this.visible(editor, masks) : []);
    editor.setDecorations(this.notRun, masks ? dimmed(editor, masks) : []);
    if (whole) this.drawOverview(editor, masks);
  }

  private visible(editor: vscode.TextEditor, masks: LaneMasks): vscode.DecorationOptions[] {
    const lines = new Map<number, LaneLine>();
    for (const line of masks.lines) {
      if (isNear(editor, line.line) && isPreferred(line, lines.get(line.line), masks)) lines.set(line.line, line);
    }
    const tabSize = Number(editor.options.tabSize) || 8;
    const { document } = editor;
    const widths = new Map([...lines.keys()].map((line) => [line, columns(document.lineAt(line).text, tabSize)]));
    const inView = [...widths].filter(([line]) => editor.visibleRanges.some((range) => range.start.line <= line && line <= range.end.line));
    const isWrapped = vscode.workspace.getConfiguration('editor', document).get<string>('wordWrap', 'off') !== 'off';
    const seen = inView.map(([, width]) => width);
    const column = isWrapped ? wrappedColumn(seen) : commonColumn(seen);
    return [...lines.values()].map((line) => {
      const space = spaceAfter(widths.get(line.line) ?? 0, column, isWrapped);
      const end = document.lineAt(line.line).range.end;
      return { range: new vscode.Range(end, end), renderOptions: this.options(line, masks, space) };
    });
  }

  private options(line: LaneLine, masks: LaneMasks, space: number): vscode.DecorationInstanceRenderOptions {
    const faint = isFull(line, masks) ? 'Faint' : '';
    const { image, width } = this.image(line, masks.launched);
    // VS Code has no properties for these. The cells do not take part in the layout of the line: the end of the line, to which
    // underlines, selections and the cursor extend, is that of the code. The image is a mask, so that its colour is that of the theme.
    const mask = `mask: url("${image}") no-repeat; -webkit-mask: url("${image}") no-repeat`;
    return {
      before: {
        contentText: '',
        width: `${width}px`,
        height: `${HEIGHT}px`,
        margin: `0 0 0 ${space}ch`,
        backgroundColor: new vscode.ThemeColor(`warplens.lane.executed${faint}`),
        textDecoration: `none; position: absolute; top: calc(50% - ${HEIGHT / 2}px); ${mask}`,
      },
      after: {
        contentText: line.label,
        margin: `0 0 0 calc(${space + 1}ch + ${width}px)`,
        color: new vscode.ThemeColor(`warplens.lane.label${faint}`),
      },
    };
  }

  private image(line: LaneLine, launched: string): { image: string; width: number } {
    const drawn = shape(line, launched);
    let image = this.images.get(drawn.path);
    if (image === undefined) {
      if (this.images.size > 10_000) this.images.clear();
      image = imageOf(drawn);
      this.images.set(drawn.path, image);
    }
    return { image, width: drawn.width };
  }

  private drawOverview(editor: vscode.TextEditor, masks: LaneMasks | undefined): void {
    const isSmall = editor.document.lineCount <= OVERVIEW_LINES;
    const lines = masks && isSmall ? masks.lines.map((line) => ({ line: line.line, step: step(share(line, masks.launched)) })) : [];
    const ranges = overview(lines);
    this.steps.forEach((type, index) => {
      const wholeLines = (ranges[index + 1] ?? []).map(({ first, last }) => new vscode.Range(first, 0, last, 0));
      editor.setDecorations(type, wholeLines);
    });
  }
}

function editorsOf(uri: string): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.toString() === uri);
}

function isNear(editor: vscode.TextEditor, line: number): boolean {
  const isShown = ({ start, end }: vscode.Range) => start.line - MARGIN <= line && line <= end.line + MARGIN;
  return line < editor.document.lineCount && editor.visibleRanges.some(isShown);
}

/** If a line has several statements, the first one that some lane did not execute exactly once is drawn. */
function isPreferred(line: LaneLine, drawn: LaneLine | undefined, masks: LaneMasks): boolean {
  return drawn === undefined || (isFull(drawn, masks) && !isFull(line, masks));
}

/** Whether every launched lane executed the statement once. */
function isFull(line: LaneLine, masks: LaneMasks): boolean {
  const [visit] = line.visits;
  return line.count === 1 && line.role !== 'join' && !line.parts && visit !== undefined && size(visit.executed) === size(masks.launched);
}

/** The code of the visible lines that the warp never reached. */
function dimmed(editor: vscode.TextEditor, masks: LaneMasks): vscode.Range[] {
  const reached = new Set(masks.lines.map((line) => line.line));
  const lines = masks.not_run.filter((line) => isNear(editor, line) && !reached.has(line));
  return lines.map((line) => editor.document.lineAt(line).range);
}

function overviewStep(step: number): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    overviewRulerColor: new vscode.ThemeColor(`warplens.lane.overview${step}`),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
}
