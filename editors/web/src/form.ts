// The form of the launch. What it leaves out is inferred from the kernel, or comes from a comment in it.
import { parse, stringify } from 'smol-toml';
import { element } from './elements';

/** A launch, with the keys of a launch file. */
export type Launch = { [key: string]: unknown };

/** The name of the launch that the form describes, in the list of the server. */
const NAME = 'form';

export class Form {
  private readonly grid = element<HTMLInputElement>('page-grid');
  private readonly block = element<HTMLInputElement>('page-block');
  private readonly model = element<HTMLSelectElement>('page-model');
  private readonly toml = element<HTMLTextAreaElement>('page-toml');
  private readonly problem = element('page-form-problem');
  private readonly task = element<HTMLTextAreaElement>('page-exercise');
  private readonly limit = element<HTMLInputElement>('page-limit');
  /** The check of an exercise, which its page does not show. */
  private hidden: Launch = {};

  constructor(
    private readonly isExercise: boolean,
    run: () => void,
  ) {
    element<HTMLFormElement>('page-form').addEventListener('submit', (event) => event.preventDefault());
    for (const input of [this.grid, this.block, this.limit]) {
      input.addEventListener('keydown', ({ key }) => {
        if (key === 'Enter') run();
      });
    }
    this.model.addEventListener('change', run);
  }

  /** The most warp instructions of a run. */
  get maxSteps(): number {
    const { valueAsNumber } = this.limit;
    return Number.isInteger(valueAsNumber) && valueAsNumber > 0 ? Math.min(valueAsNumber, 1_000_000_000) : 10_000_000;
  }

  get exercise(): string {
    return this.task.value.trim();
  }

  /** Shows a launch. */
  write(launch: Launch | undefined, task = ''): void {
    const { grid, block, model, name: _, file: __, ...rest } = launch ?? {};
    this.hidden = this.isExercise && 'expect' in rest ? { expect: rest.expect } : {};
    if (this.isExercise) delete rest.expect;
    this.grid.value = sizeText(grid);
    this.block.value = sizeText(block);
    this.model.value = typeof model === 'string' ? model : '';
    this.toml.value = Object.keys(rest).length > 0 ? tomlOf(rest) : '';
    this.task.value = task;
    this.say('');
  }

  /** The launch that the form describes, or none if it is empty. Fails with the reason that it describes no launch. */
  read(): Launch | undefined {
    const launch: Launch = { ...this.rest(), ...this.hidden };
    for (const [name, { value }] of Object.entries({ grid: this.grid, block: this.block })) {
      if (value.trim() !== '') launch[name] = sizeOf(name, value);
    }
    if (this.model.value !== '') launch.model = this.model.value;
    return Object.keys(launch).length > 0 ? { name: NAME, ...launch } : undefined;
  }

  /** The launch without the fields, as text of a launch file. */
  private rest(): Launch {
    try {
      const { name: _, file: __, ...launch } = parse(this.toml.value);
      return launch;
    } catch (error) {
      throw new Error(`Arguments and limits: ${(error as Error).message.split('\n')[0]}`);
    }
  }

  /** Another kernel is there: what only suits the last one is left out, and the sizes stay. */
  forgetKernel(): void {
    this.hidden = {};
    try {
      const { args: _, expect: __, entry: ___, ...others } = this.rest();
      this.toml.value = Object.keys(others).length > 0 ? tomlOf(others) : '';
    } catch {
      this.toml.value = '';
    }
  }

  /** Replaces the arguments. */
  writeArguments(args: unknown): void {
    this.toml.value = tomlOf({ ...this.rest(), args });
  }

  /** Lists the models of a language. */
  offerModels(models: readonly { name: string; rule: string }[]): void {
    const { value } = this.model;
    const names = ['', ...models.map(({ name }) => name)];
    this.model.replaceChildren(...names.map((name) => new Option(name === '' ? 'default' : name, name)));
    this.model.value = names.includes(value) ? value : '';
  }

  /** Shows the sizes of the run where the form leaves them out. */
  hint(grid: number[], block: number[]): void {
    this.grid.placeholder = sizeText(grid);
    this.block.placeholder = sizeText(block);
  }

  /** Says why the launch cannot be run. */
  say(problem: string): void {
    this.problem.textContent = problem;
    this.problem.hidden = problem === '';
  }
}

/** `2` or `16, 16`, from any value that a link may hold. */
function sizeText(size: unknown): string {
  const lengths: unknown[] = Array.isArray(size) ? size : size === undefined ? [] : [size];
  const last = lengths.findLastIndex((length) => length !== 1);
  return lengths.slice(0, Math.max(last + 1, 1)).join(', ');
}

/** One to three lengths, with anything but digits between them. */
function sizeOf(name: string, text: string): number[] {
  const lengths = text.split(/[\s,x×*]+/).filter((part) => part !== '');
  const isSize = lengths.length <= 3 && lengths.every((length) => /^\d{1,10}$/.test(length) && Number(length) > 0);
  if (!isSize) throw new Error(`${name[0]?.toUpperCase()}${name.slice(1)}: write one to three numbers, such as “96” or “16, 16”`);
  return lengths.map(Number);
}

/** A launch as the text of a launch file, an argument a line. */
export function tomlOf(launch: Launch): string {
  return Object.entries(launch)
    .map(([key, value]) => `${key} = ${inline(value, key === 'args')}\n`)
    .join('');
}

function inline(value: unknown, isLong = false): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => inline(item));
    return isLong && items.length > 0 ? `[\n${items.map((item) => `  ${item},\n`).join('')}]` : `[${items.join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    const members = Object.entries(value).map(([key, member]) => `${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)} = ${inline(member)}`);
    return `{ ${members.join(', ')} }`;
  }
  // Strings, numbers and booleans as smol-toml writes them.
  return stringify({ x: value ?? '' })
    .replace(/^x = /, '')
    .trim();
}

/** The launch file of a launch. */
export function launchFile(launch: Launch, file: string): string {
  const { name = NAME, ...rest } = launch;
  return `[[launch]]\n${tomlOf({ name, file, ...rest })}`;
}
