// The models of how lanes part and meet, as the status bar and its pick list name them.

export interface Model {
  name: string;
  /** The id of the language whose kernels it is for. */
  language: string;
  /** What it does, in a line. */
  rule: string;
}

export const MODELS: readonly Model[] = [
  { name: 'stack', language: 'ptx', rule: 'lanes meet at the immediate post-dominator; lanes that leave hold nobody up' },
  { name: 'ipdom', language: 'ptx', rule: 'the plain immediate-post-dominator stack' },
  { name: 'frontier', language: 'ptx', rule: 'thread frontiers: the group that is furthest back runs, and groups in one place are one' },
  { name: 'its', language: 'ptx', rule: 'independent thread scheduling (sm_70 and later): every live lane gets on' },
  { name: 'structured', language: 'wave-asm', rule: 'the divergence stack of the WAVE guide' },
  { name: 'wave-emu', language: 'wave-asm', rule: 'the reference emulator 0.1.2, its faults included; says where it parts from structured' },
];

/** What a model does, in a line. */
export function ruleOf(name: string): string {
  return MODELS.find((model) => model.name === name)?.rule ?? 'see the documentation';
}
