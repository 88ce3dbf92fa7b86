// The status bar items of a run, and the context key for shown lanes.
import * as vscode from 'vscode';
import { type LaneMasks, shapeOf, warpCount } from '../../shared/masks';
import { activeDocument } from './active';
import type { Server } from './server';
import type { LaneStore } from './store';
import { Subscriber } from './subscriber';

export class Lanes extends Subscriber {
  private readonly item = vscode.window.createStatusBarItem('warplens.lanes', vscode.StatusBarAlignment.Right, 90);
  private readonly model = vscode.window.createStatusBarItem('warplens.model', vscode.StatusBarAlignment.Right, 89);
  private shownFor?: { uri: string; masks: LaneMasks };
  private printed?: vscode.OutputChannel;

  constructor(
    private readonly server: Server,
    private readonly store: LaneStore,
  ) {
    super();
    this.item.name = 'Warplens Lanes';
    this.item.command = 'warplens.pickLaunch';
    this.model.name = 'Warplens Divergence Model';
    this.model.command = 'warplens.pickModel';
    this.subscriptions.push(
      this.item,
      this.model,
      store.onDidChange((uri) => {
        if (uri === activeDocument()?.uri.toString()) this.refresh();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
    );
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

  override dispose(): void {
    super.dispose();
    this.printed?.dispose();
  }

  private refresh(): void {
    const uri = activeDocument()?.uri.toString();
    const masks = this.store.of(uri);
    if (uri && masks && this.shownFor?.uri === uri && this.shownFor.masks === masks) return;
    this.shownFor = uri && masks ? { uri, masks } : undefined;
    void vscode.commands.executeCommand('setContext', 'warplens.lanesShown', this.shownFor !== undefined);
    if (this.shownFor) this.show(this.shownFor.masks);
    else for (const item of [this.item, this.model]) item.hide();
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
    const rule = this.server.models.find(({ name }) => name === model)?.rule ?? model;
    this.model.tooltip = `Divergence model: ${rule}.\nSelect to pick another model for this launch.`;
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
