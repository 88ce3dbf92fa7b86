// Requests the lanes of a document. In the answer statements share traces, because large kernels have tens of thousands of lines.
import type { LaneLine, LaneMasks } from './lanes';
import type { Server } from './server';

interface CompactMasks extends Omit<LaneMasks, 'lines'> {
  traces: Omit<LaneLine, 'line'>[];
  /** The line of a statement, and the number of its trace. */
  places: [line: number, trace: number][];
}

/** The lanes that a document shows; null without a launch, undefined while there is no server. */
export async function requestMasks(server: Server, uri: string): Promise<LaneMasks | null | undefined> {
  const params = { textDocument: { uri }, compact: true, partial: true };
  const masks = await server.request<CompactMasks | null>('warplens/laneMasks', params);
  return masks && { ...masks, lines: expand(masks) };
}

function expand({ traces, places }: CompactMasks): LaneLine[] {
  return places.flatMap(([line, number]) => {
    const trace = traces[number];
    return trace ? [{ ...trace, line }] : [];
  });
}
