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
    return covering.reduce((best, page) => (resolution(page) < resolution(best) ? page : best), this.base);
  }

  /** Loads a page unless a loaded one has enough detail. */
  async load(from: number, to: number, bins: number): Promise<void> {
    const wanted = Math.ceil((to - from) / bins);
    if (resolution(this.best(from, to)) <= Math.max(1, wanted)) return;
    const page = await this.request(from, to, bins);
    if (!page) return;
    this.kept.unshift(page);
    this.kept.length = Math.min(this.kept.length, KEPT);
  }
}

/** Steps of a column. */
function resolution(page: Timeline): number {
  return page.column ?? 1;
}
