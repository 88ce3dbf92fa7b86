// Draws lanes in the visible lines: a strip of cells and a label, before the code or after it.
import * as vscode from 'vscode';
import type { LaneLine, LaneMasks } from '../../shared/masks';
import { type Before, before, columns, LABEL_SIZE, parts, spaceAfter } from '../../shared/strip/layout';
import { drawnLines, faint } from '../../shared/strip/lines';
import { share, width } from '../../shared/strip/masks';
import { overview, STEPS, step } from '../../shared/strip/positions';
import { HEIGHT, imageOf, type Position, shapeOfLine } from '../../shared/strip/shape';
import { Bulb } from './bulb';
import { display, position } from './display';
import { LANGUAGES } from './languages';
import type { SourceLanes } from './source_lanes';
import { Space } from './space';
import type { LaneStore } from './store';
import { Subscriber } from './subscriber';

/** Lines above and below the visible ones that are drawn too. */
const MARGIN = 20;
/** Larger documents have no marks in the overview ruler. */
const OVERVIEW_LINES = 50_000;

export class Strip extends Subscriber {
  private readonly cells = vscode.window.createTextEditorDecorationType({});
  private readonly notRun = vscode.window.createTextEditorDecorationType({ opacity: '0.65' });
  private readonly steps = Array.from({ length: STEPS }, (_, index) => overviewStep(index + 1));
  /** Labels after the code, where they are longer than the space before it. */
  private readonly rest = vscode.window.createTextEditorDecorationType({});
  private readonly space = new Space();
  /** The layout of strips before the code of each document. */
  private readonly layouts = new WeakMap<vscode.TextDocument, Before>();
  private readonly images = new Map<string, string>();
  private readonly bulb = new Bulb();

  constructor(
    private readonly store: LaneStore,
    private readonly sources: SourceLanes,
  ) {
    super();
    const redraw = (editors: readonly vscode.TextEditor[], whole: boolean) => {
      for (const editor of editors) this.draw(editor, whole);
    };
    this.subscriptions.push(
      this.cells,
      this.notRun,
      this.rest,
      this.space,
      this.bulb,
      ...this.steps,
      this.bulb.onDidMove((editor) => this.draw(editor, false)),
      store.onDidChange((uri) => redraw(editorsOf(uri), true)),
      sources.onDidChange(() => redraw(vscode.window.visibleTextEditors.filter(isSource), true)),
      store.onDidMove((uri) => redraw(editorsOf(uri), false)),
      vscode.window.onDidChangeVisibleTextEditors((editors) => redraw(editors, true)),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.draw(textEditor, false)),
      vscode.window.onDidChangeTextEditorOptions(({ textEditor }) => this.draw(textEditor, true)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('warplens.lanes') || event.affectsConfiguration('editor')) this.drawAll();
      }),
    );
  }

  drawAll(): void {
    for (const editor of vscode.window.visibleTextEditors) this.draw(editor, true);
  }

  /** `whole` also draws what does not depend on the visible lines, and what VS Code moves with edits. */
  private draw(editor: vscode.TextEditor, whole: boolean): void {
    const { document } = editor;
    const lanes = isSource(editor) ? this.sources.of(document) : this.store.of(document.uri.toString());
    if (isSource(editor) && !lanes && !this.layouts.has(document)) return;
    const masks = display() === 'strip' ? lanes : undefined;
    const lines = masks ? visible(editor, masks) : [];
    if (whole && masks) this.layouts.set(document, before(width(masks.launched), statementsOf(document, masks), tabSize(editor)));
    const layout = masks && position() === 'left' ? this.layouts.get(document) : undefined;
    this.space.reserve(editor, layout?.space);
    editor.setDecorations(this.cells, masks ? lines.map((line) => this.strip(editor, line, masks, layout)) : []);
    editor.setDecorations(this.rest, masks && layout ? lines.flatMap((line) => this.restOf(editor, line, masks, layout)) : []);
    editor.setDecorations(this.notRun, masks ? dimmed(editor, masks) : []);
    if (whole) this.drawOverview(editor, masks);
  }

  /** The strip and the label of a line. CSS says where they are drawn; the position in the text only decides which edits move them. */
  private strip(editor: vscode.TextEditor, line: LaneLine, masks: LaneMasks, layout?: Before): vscode.DecorationOptions {
    const { text, range } = editor.document.lineAt(line.line);
    // Not at the start of the line, where VS Code would draw this and the space as one.
    const at = layout ? new vscode.Position(line.line, Math.min(1, text.length)) : range.end;
    const options = layout ? this.before(editor, line, masks, layout) : this.after(line, masks, spaceAfter(columns(text, tabSize(editor))));
    return { range: new vscode.Range(at, at), renderOptions: options };
  }

  private before(editor: vscode.TextEditor, line: LaneLine, masks: LaneMasks, layout: Before): vscode.DecorationInstanceRenderOptions {
    return {
      before: this.cellsOf(line, masks, 'left', 'left: 0'),
      after: {
        contentText: this.parts(editor, line, layout).start,
        color: labelColor(line, masks),
        textDecoration: `none; position: absolute; left: ${layout.label}; font-size: ${LABEL_SIZE}em`,
      },
    };
  }

  /** The parts of a label before and after the code. */
  private parts(editor: vscode.TextEditor, { line, label }: LaneLine, { room }: Before): ReturnType<typeof parts> {
    return parts(label, this.bulb.line(editor) === line ? room : undefined);
  }

  /** What the label has after the code. */
  private restOf(editor: vscode.TextEditor, line: LaneLine, masks: LaneMasks, layout: Before): vscode.DecorationOptions[] {
    const { rest } = this.parts(editor, line, layout);
    if (rest === '') return [];
    const { end } = editor.document.lineAt(line.line).range;
    const after = { contentText: rest, margin: '0 0 0 2ch', color: labelColor(line, masks) };
    return [{ range: new vscode.Range(end, end), renderOptions: { after } }];
  }

  private after(line: LaneLine, masks: LaneMasks, space: number): vscode.DecorationInstanceRenderOptions {
    const cells = this.cellsOf(line, masks, 'right', '');
    return {
      before: { ...cells, margin: `0 0 0 ${space}ch` },
      after: { contentText: line.label, margin: `0 0 0 calc(${space + 1}ch + ${cells.width})`, color: labelColor(line, masks) },
    };
  }

  /**
   * The cells. They are positioned absolutely, so that underlines, selections and the cursor end at the code. The image is a mask over
   * the background, so that cells have a color of the theme. VS Code's API has neither, so both are CSS.
   */
  private cellsOf(line: LaneLine, masks: LaneMasks, position: Position, css: string): vscode.ThemableDecorationAttachmentRenderOptions {
    const { image, width } = this.image(line, masks.launched, position);
    const mask = `mask: url("${image}") no-repeat; -webkit-mask: url("${image}") no-repeat`;
    return {
      contentText: '',
      width: `${width}px`,
      height: `${HEIGHT}px`,
      backgroundColor: new vscode.ThemeColor(`warplens.lane.executed${faint(line, masks)}`),
      textDecoration: `none; position: absolute; top: calc(50% - ${HEIGHT / 2}px); ${css}; ${mask}`,
    };
  }

  private image(line: LaneLine, launched: string, position: Position): { image: string; width: number } {
    const drawn = shapeOfLine(line, launched, position);
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

/** Whether the document may be one that a kernel was compiled from. */
function isSource({ document }: vscode.TextEditor): boolean {
  return !LANGUAGES.includes(document.languageId);
}

function editorsOf(uri: string): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.toString() === uri);
}

function isNear(editor: vscode.TextEditor, line: number): boolean {
  const isShown = ({ start, end }: vscode.Range) => start.line - MARGIN <= line && line <= end.line + MARGIN;
  return line < editor.document.lineCount && editor.visibleRanges.some(isShown);
}

/** The lanes of the visible lines, one for each line. */
function visible(editor: vscode.TextEditor, masks: LaneMasks): LaneLine[] {
  return drawnLines(masks, (line) => isNear(editor, line));
}

function tabSize(editor: vscode.TextEditor): number {
  return Number(editor.options.tabSize) || 8;
}

/** The lines that have statements, as text. */
function statementsOf(document: vscode.TextDocument, masks: LaneMasks): string[] {
  const lines = [...masks.lines.map(({ line }) => line), ...masks.not_run].filter((line) => line < document.lineCount);
  return lines.map((line) => document.lineAt(line).text);
}

function labelColor(line: LaneLine, masks: LaneMasks): vscode.ThemeColor {
  return new vscode.ThemeColor(`warplens.lane.label${faint(line, masks)}`);
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
