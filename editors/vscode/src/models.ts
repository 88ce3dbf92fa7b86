// The divergence models, as the status bar and its pick list show them.

export interface Model {
  name: string;
  /** The id of the language that it applies to. */
  language: string;
  /** Its rule, in one line. */
  rule: string;
}

export const MODELS: readonly Model[] = [
  { name: 'stack', language: 'ptx', rule: 'lanes reconverge at the immediate post-dominator; lanes that exit do not block the others' },
  { name: 'ipdom', language: 'ptx', rule: 'the plain immediate-post-dominator stack' },
  {
    name: 'frontier',
    language: 'ptx',
    rule: 'thread frontiers: the group that is earliest in program order runs first; groups at the same instruction merge',
  },
  { name: 'its', language: 'ptx', rule: 'independent thread scheduling (sm_70 and later): forward progress for every lane' },
  { name: 'structured', language: 'wave-asm', rule: 'the divergence stack of the WAVE guide' },
  {
    name: 'wave-emu',
    language: 'wave-asm',
    rule: 'the reference emulator 0.1.2, its faults included; reports the first difference from structured',
  },
];

/** The rule of a model, in one line. */
export function ruleOf(name: string): string {
  return MODELS.find((model) => model.name === name)?.rule ?? 'see the documentation';
}
