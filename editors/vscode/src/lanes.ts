// The status bar items of a simulation and their context key.
import * as vscode from 'vscode';
import { LANGUAGES } from './languages';
import { ruleOf } from './models';
import type { Selection } from './selections';
import type { Server } from './server';
import type { LaneStore } from './store';

/** The answer of `warplens/laneMasks`; docs/lsp-extensions.md documents it. */
export interface LaneMasks {
  version: number;
  entry: string;
  /** The name of a mangled kernel in its source. */
  source_name?: string;
  launch: { name: string; grid: number[]; block: number[]; wave_width?: number };
  model: string;
  status: string;
  /** Whether the text was edited since, and now has an error that stops a run. */
  outdated?: boolean;
  /** Whether it is the first part of a run that is in progress or was stopped. */
  partial?: boolean;
  findings: Finding[];
  cta: number[];
  warp: number;
  /** The chosen visit. */
  visit?: { line: number; number: number };
  /** The lanes that exist. */
  launched: string;
  lines: LaneLine[];
  /** The lines of statements that the warp never reached. */
  not_run: number[];
  /** The printed text. */
  output?: string;
}

/** A finding of the run, or a check of the launch that failed. */
export interface Finding {
  code: string;
  severity: string;
  message: string;
  line?: number;
  cta?: number[];
  warp?: number;
  /** The visit of the line by the warp; absent for the last one. */
  visit?: number;
  related: { line: number; message: string }[];
}

/** A statement that was reached. */
export interface LaneLine {
  line: number;
  count: number;
  visits: { active: string; executed: string; repeat: number }[];
  /** The effect on groups of lanes. */
  role?: 'branch' | 'join';
  /** The sizes of the groups after a statement with several targets. */
  parts?: number[];
  truncated?: boolean;
}

export class Lanes implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('warplens.lanes', vscode.StatusBarAlignment.Right, 90);
  private readonly model = vscode.window.createStatusBarItem('warplens.model', vscode.StatusBarAlignment.Right, 89);
  private readonly subscriptions: vscode.Disposable[];
  private shownFor?: { uri: string; masks: LaneMasks };
  private printed?: vscode.OutputChannel;

  constructor(
    private readonly server: Server,
    private readonly store: LaneStore,
  ) {
    this.item.name = 'Warplens Lanes';
    this.item.command = 'warplens.pickLaunch';
    this.model.name = 'Warplens Divergence Model';
    this.model.command = 'warplens.pickModel';
    this.subscriptions = [
      this.item,
      this.model,
      store.onDidChange((uri) => {
        if (uri === activeDocument()?.uri.toString()) this.refresh();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
    ];
  }

  /** The document whose lanes the active editor shows, if it shows any. */
  get current(): { uri: string; masks: LaneMasks } | undefined {
    return this.shownFor;
  }

  /** Stops showing lanes in the active document. */
  async stop(): Promise<void> {
    const uri = activeDocument()?.uri.toString();
    if (uri) await this.server.select({ uri, launch: null });
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
    this.printed?.dispose();
  }

  private refresh(): void {
    const uri = activeDocument()?.uri.toString();
    const masks = uri ? this.store.of(uri) : undefined;
    if (uri && masks && this.shownFor?.uri === uri && this.shownFor.masks === masks) return;
    this.shownFor = uri && masks ? { uri, masks } : undefined;
    void vscode.commands.executeCommand('setContext', 'warplens.lanesShown', this.shownFor !== undefined);
    if (this.shownFor) this.show(this.shownFor.masks);
    else [this.item, this.model].forEach((item) => item.hide());
  }

  private show(masks: LaneMasks): void {
    const { launch, entry, warp, model, status } = masks;
    const shape = `${masks.source_name ?? entry}${shapeOf(launch)}`;
    const failed = status !== 'finished' && !masks.partial;
    const icon = masks.outdated ? 'history' : masks.partial ? 'sync' : failed ? 'warning' : 'pulse';
    this.item.text = `$(${icon}) ${shape} warp ${warp}/${warpCount(masks)}${masks.visit ? ` visit ${masks.visit.number}` : ''}`;
    this.item.backgroundColor = failed ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    const lines = [
      `Launch “${launch.name}”: ${masks.partial ? 'the first part of a run that has not ended' : status}`,
      ...(masks.outdated ? ['Outdated: the lanes are from before the last edits. A run of the current text stops at an error.'] : []),
      `Block ${masks.cta.join(',')}, warp ${warp} of ${warpCount(masks)}`,
      ...(masks.visit ? [`Visit ${masks.visit.number} of line ${masks.visit.line + 1}`] : []),
      ...masks.findings.map((finding) => `${finding.severity}: ${finding.message}`),
      ...(masks.output ? ['The kernel printed text: see the output channel “Warplens Printed”.'] : []),
      'Select to pick another launch.',
    ];
    this.item.tooltip = lines.join('\n');
    this.item.accessibilityInformation = { label: `Warplens: ${lines[0]}, ${lines[1]}`, role: 'button' };
    this.item.show();
    this.model.text = `$(git-merge) ${model}`;
    this.model.tooltip = `Divergence model: ${ruleOf(model)}.\nSelect to pick another model for this launch.`;
    this.model.accessibilityInformation = { label: `Warplens: divergence model ${model}`, role: 'button' };
    this.model.show();
    this.print(masks.output);
  }

  /** Shows the printed text in a separate channel, created when a program first prints. */
  private print(output?: string): void {
    if (output) this.printed ??= vscode.window.createOutputChannel('Warplens Printed');
    this.printed?.replace(output ?? '');
  }
}

/** The number of warps in a block of this launch. */
export function warpCount(masks: LaneMasks): number {
  const threads = masks.launch.block.reduce((product, length) => product * length, 1);
  return Math.ceil(threads / (masks.launch.wave_width ?? 32));
}

/** The selection that shows these lanes. */
export function selectionOf(uri: string, masks: LaneMasks): Selection {
  const { entry, launch, cta, warp, model } = masks;
  return { uri, entry, launch: launch.name, cta, warp, model };
}

/** `<<<2, 64>>>` */
export function shapeOf({ grid, block }: LaneMasks['launch']): string {
  return `<<<${size(grid)}, ${size(block)}>>>`;
}

/** The active editor; where another view is active, such as the walkthrough, the first visible one with a listing or a program. */
export function activeEditor(): vscode.TextEditor | undefined {
  const isOurs = ({ document }: vscode.TextEditor) => LANGUAGES.includes(document.languageId);
  return vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find(isOurs);
}

/** The active document, if it is PTX or WAVE. */
export function activeDocument(): vscode.TextDocument | undefined {
  const document = activeEditor()?.document;
  return document && LANGUAGES.includes(document.languageId) ? document : undefined;
}

/** A size without its trailing dimensions of one. */
function size(dimensions: number[]): string {
  const last = dimensions.findLastIndex((length) => length !== 1);
  const kept = dimensions.slice(0, Math.max(last + 1, 1));
  return kept.length > 1 ? `(${kept.join(',')})` : `${kept[0] ?? 1}`;
}
