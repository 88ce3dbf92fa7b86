// Shows a step of a run in the editor: its warp and its visit.
import type { Step, Writer } from '../../panel/src/generated/answers';
import { type LaneMasks, selectionOf } from '../../shared/masks';
import type { Server } from './server';

/** Shows the step of a store, or only its warp if the step is not known. */
export async function showStep(server: Server, uri: string, masks: LaneMasks, store: Pick<Writer, 'cta' | 'warp' | 'step'>): Promise<void> {
  const { cta, warp, step } = store;
  if (masks.warp !== warp || masks.cta.join() !== cta.join()) await server.select({ ...selectionOf(uri, masks), cta, warp });
  if (step === undefined) return;
  // This request waits for the end of the run.
  const moment = await server.request<Step | null>('warplens/moment', { textDocument: { uri }, step });
  if (!moment || moment.visits < 2) return;
  await server.execute('warplens.selectVisit', { uri, line: moment.line, visit: moment.visit });
}
