// The list of the warps of a run.
import { type LaneMasks, warpCount } from '../../shared/masks';
import { element } from './elements';

/** More would make the list slow. */
const MAX_WARPS = 4096;

export class WarpList {
  private readonly list = element<HTMLSelectElement>('page-warp');

  constructor(select: (cta: number[], warp: number) => void) {
    this.list.addEventListener('change', () => {
      const { cta = '', warp = '' } = this.list.selectedOptions[0]?.dataset ?? {};
      select(cta.split(',').map(Number), Number(warp));
    });
  }

  /** Lists the warps of a run, or none. */
  show(masks: LaneMasks | null): void {
    this.list.replaceChildren(...(masks ? optionsOf(masks) : []));
  }
}

function optionsOf(masks: LaneMasks): HTMLOptionElement[] {
  const [x = 1, y = 1, z = 1] = masks.launch.grid;
  const count = warpCount(masks);
  const isMany = x * y * z > 1;
  const length = Math.min(x * y * z * count, MAX_WARPS);
  return Array.from({ length }, (_, at) => {
    const warp = at % count;
    const block = Math.floor(at / count);
    const cta = [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))].join();
    const isShown = warp === masks.warp && cta === masks.cta.join();
    const option = new Option(isMany ? `${warp} of block ${cta}` : `${warp}`, `${at}`, isShown, isShown);
    Object.assign(option.dataset, { cta, warp });
    return option;
  });
}
