// Draws lanes in the editor: a strip of cells and a label before the code, and what has no room there after it.
import { type EditorState, type Extension, RangeSetBuilder, StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { lanesOf, ranges } from '../../panel/src/lanes';
import type { LaneLine, LaneMasks } from '../../shared/masks';
import { type Before, before, LABEL_SIZE, parts } from '../../shared/strip/layout';
import { drawnLines, faint } from '../../shared/strip/lines';
import { size, width } from '../../shared/strip/masks';
import { shapeOfLine } from '../../shared/strip/shape';

const SVG = 'http://www.w3.org/2000/svg';

/** Shows the lanes of a run of this text, or none. */
export const showLanes = StateEffect.define<LaneMasks | null>();

interface Drawn {
  masks: LaneMasks | null;
  decorations: DecorationSet;
  /** The width that all lines leave for strips. */
  space: string;
}

const NONE: Drawn = { masks: null, decorations: Decoration.none, space: '0px' };

const field = StateField.define<Drawn>({
  create: () => NONE,
  update(drawn, transaction) {
    const mapped = transaction.docChanged ? { ...drawn, decorations: drawn.decorations.map(transaction.changes) } : drawn;
    return transaction.effects.reduce((_, effect) => (effect.is(showLanes) ? draw(transaction.state, effect.value) : mapped), mapped);
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ decorations }) => decorations),
    EditorView.contentAttributes.from(field, ({ space }) => ({ style: `--strip-space: ${space}` })),
  ],
});

export function strips(): Extension {
  return field;
}

/** The lanes that an editor shows. */
export function lanesIn(state: EditorState): LaneMasks | null {
  return state.field(field).masks;
}

function draw(state: EditorState, masks: LaneMasks | null): Drawn {
  if (!masks) return NONE;
  const { doc } = state;
  const isThere = (line: number) => line < doc.lines;
  const lines = drawnLines(masks, isThere);
  const unreached = masks.not_run.filter((line) => isThere(line) && !masks.lines.some((other) => other.line === line));
  const texts = [...lines.map(({ line }) => line), ...unreached].map((line) => textOf(doc, line));
  const layout = before(width(masks.launched), texts, state.tabSize);
  const all = new Map<number, LaneLine | undefined>(unreached.map((line) => [line, undefined]));
  for (const line of lines) all.set(line.line, line);
  const builder = new RangeSetBuilder<Decoration>();
  for (const number of [...all.keys()].sort((a, b) => a - b)) {
    const { from, to } = doc.line(number + 1);
    const line = all.get(number);
    if (!line) builder.add(from, to, UNREACHED);
    else {
      builder.add(from, from, Decoration.widget({ widget: new Strip(line, masks, layout), side: -1 }));
      const { rest } = parts(line.label);
      if (rest !== '') builder.add(to, to, Decoration.widget({ widget: new Rest(rest, faint(line, masks)), side: 1 }));
    }
  }
  return { masks, decorations: builder.finish(), space: layout.space };
}

const UNREACHED = Decoration.mark({ class: 'unreached' });

function textOf(doc: Text, line: number): string {
  return doc.line(line + 1).text;
}

/** The cells of a line, and its label. */
class Strip extends WidgetType {
  constructor(
    private readonly line: LaneLine,
    private readonly masks: LaneMasks,
    private readonly layout: Before,
  ) {
    super();
  }

  override eq(other: Strip): boolean {
    return other.line === this.line;
  }

  override toDOM(): HTMLElement {
    const { line, masks, layout } = this;
    const shape = shapeOfLine(line, masks.launched, 'left');
    const strip = document.createElement('span');
    strip.className = `strip ${faint(line, masks)}`;
    strip.dataset.testid = 'strip';
    strip.setAttribute('role', 'img');
    strip.setAttribute('aria-label', spoken(line, masks));
    strip.title = spoken(line, masks);
    const svg = document.createElementNS(SVG, 'svg');
    for (const [name, value] of [['width', shape.width] as const, ['height', shape.height] as const]) svg.setAttribute(name, `${value}`);
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', shape.path);
    path.setAttribute('fill-rule', 'evenodd');
    svg.append(path);
    const label = document.createElement('span');
    label.className = 'strip-label';
    label.style.left = layout.label;
    label.style.fontSize = `${LABEL_SIZE}em`;
    label.textContent = parts(line.label).start;
    strip.append(svg, label);
    return strip;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** `lanes 12–31, 20 of 32; split 12|20` */
function spoken(line: LaneLine, masks: LaneMasks): string {
  const visit = line.chosen ?? line.visits[line.visits.length - 1];
  const lanes = lanesOf(visit?.executed ?? '0');
  const which = line.count > 1 ? `${line.count} visits; in the ${line.chosen ? 'chosen' : 'last'} one ` : '';
  return `${which}lanes ${ranges(lanes)}, ${lanes.length} of ${size(masks.launched)}; ${line.label}`;
}

/** What the label has after the code. */
class Rest extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly style: string,
  ) {
    super();
  }

  override eq(other: Rest): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const rest = document.createElement('span');
    rest.className = `strip-rest ${this.style}`;
    rest.textContent = this.text;
    return rest;
  }
}
