// The pages of the time line that were loaded last.
import type { Timeline } from './generated/answers';

const KEPT = 8;

export class Pages {
  private readonly kept: Timeline[] = [];

  constructor(
    private readonly base: Timeline,
    private readonly request: (from: number, to: number, bins: number) => Promise<Timeline | null>,
  ) {}

  /** The loaded page with the most detail that covers these steps. */
  best(from: number, to: number): Timeline {
    const covering = this.kept.filter((page) => page.from <= from && to <= page.to);
    const detail = (page: Timeline) => resolution(page, from, to);
    return covering.reduce((best, page) => (detail(page) < detail(best) ? page : best), this.base);
  }

  /** Loads a page unless a loaded one has enough detail. */
  async load(from: number, to: number, bins: number): Promise<void> {
    const wanted = Math.ceil((to - from) / bins);
    if (resolution(this.best(from, to), from, to) <= Math.max(1, wanted)) return;
    const page = await this.request(from, to, bins);
    if (!page) return;
    this.kept.unshift(page);
    this.kept.length = Math.min(this.kept.length, KEPT);
  }
}

/** Steps of a column. A page that lists one of many equal iterations has detail only for its own steps. */
function resolution(page: Timeline, from: number, to: number): number {
  if (page.repeats?.length && (page.from !== from || page.to !== to)) return page.to - page.from;
  return page.column ?? 1;
}
