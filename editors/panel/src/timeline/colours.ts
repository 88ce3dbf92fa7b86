// The colours of the theme on a canvas.
import { hatchOf } from './hatch';

export interface Colours {
  fg: string;
  bg: string;
  dim: string;
  rule: string;
  error: string;
  accent: string;
  font: string;
  blocks: string[];
}

export function coloursOf(style: CSSStyleDeclaration): Colours {
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    fg: colour('--fg'),
    bg: colour('--bg'),
    dim: colour('--dim'),
    rule: colour('--rule'),
    error: colour('--error'),
    accent: colour('--accent'),
    font: `11px ${style.fontFamily}`,
    blocks: [0, 1, 2, 3].map((number) => colour(`--b${number}`)),
  };
}

export interface BlockColour {
  fill: string | CanvasPattern;
  line: string;
}

/** The colour and the hatch of a block, made once. */
export function blockColours(context: CanvasRenderingContext2D, { blocks, bg }: Colours): (block: number) => BlockColour {
  const known = new Map<number, BlockColour>();
  return (block) => {
    const found = known.get(block);
    if (found) return found;
    const line = blocks[block % 4] as string;
    const made = { fill: hatchOf(context, line, bg, (block + Math.floor(block / 4)) % 4), line };
    known.set(block, made);
    return made;
  };
}
