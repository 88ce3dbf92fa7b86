// A second kernel beside the first one: its lanes under the same launch, and the first difference of the results.
import { type Answer, agreement, differenceOf } from '../../shared/compared';
import type { Client } from './client';
import { element } from './elements';
import { INFO } from './languages';
import { type Kernel, LANGUAGES, type Language } from './link';
import type { Pane } from './pane';
import { goTo } from './problems';

/** How many more launches with random inputs are compared if the first one agrees. */
const DRAWN = 20;

export class Comparison {
  private readonly button = element('page-compare');
  private readonly part = element('page-other');
  private readonly language = element<HTMLSelectElement>('page-other-language');

  constructor(
    private readonly client: Client,
    private readonly main: Pane,
    private readonly other: Pane,
    private readonly say: (text: string) => void,
  ) {
    this.language.replaceChildren(...LANGUAGES.map((id) => new Option(INFO[id].title, id)));
    this.language.addEventListener('change', () => this.show({ text: other.text, language: this.language.value as Language }));
    this.button.addEventListener('click', () => (this.isOn ? this.hide() : this.show(main.kernel)));
    element('page-difference').addEventListener('click', () => void this.find());
  }

  get isOn(): boolean {
    return !this.part.hidden;
  }

  /** Shows a kernel beside the first one. */
  show(kernel: Kernel): void {
    this.toggle(true);
    this.language.value = kernel.language;
    this.other.open(kernel);
    void this.follow();
  }

  hide(): void {
    this.toggle(false);
    this.other.close();
  }

  /** Runs the launch of the first kernel, or if they have no kernel in common, the first one of the second. */
  async follow(): Promise<void> {
    const { main, other, client } = this;
    if (!this.isOn || !main.masks) return;
    const select = (choice: object) => client.execute('warplens.selectLaunch', { uri: other.uri, ...choice });
    try {
      await select({ launchOf: main.uri }).catch(() => select({}));
      await other.fetch();
    } catch (error) {
      this.say(`The compared kernel cannot be run: ${(error as Error).message}`);
    }
  }

  private toggle(isOn: boolean): void {
    this.part.hidden = !isOn;
    this.button.setAttribute('aria-pressed', `${isOn}`);
    document.body.classList.toggle('compares', isOn);
  }

  private async find(): Promise<void> {
    const { main, other, client } = this;
    const names = [`${INFO[main.language].title} (left)`, `${INFO[other.language].title} (right)`] as [string, string];
    this.say('Comparing…');
    try {
      const params = { textDocument: { uri: main.uri }, other: { uri: other.uri }, random: DRAWN };
      const compared = await client.request<Answer>('warplens/compare', params);
      if (compared.equal) return this.say(agreement(names[0], names[1], compared));
      const { title, sides } = differenceOf(compared, names);
      for (const [index, pane] of [
        [1, other],
        [0, main],
      ] as const) {
        const at = sides[index].at;
        if (at) goTo(pane.view, at);
      }
      this.say(`First difference: ${title}`);
    } catch (error) {
      this.say(`The kernels cannot be compared: ${(error as Error).message}`);
    }
  }
}
