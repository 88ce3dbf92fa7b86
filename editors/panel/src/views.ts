// The tabs.
import type { Views } from './view';
import { buffersView } from './views/buffers';
import { graphView } from './views/graph';
import { memoryView } from './views/memory';
import { outputView } from './views/output';
import { registersView } from './views/registers';
import { timelineView } from './views/timeline';
import { warpsView } from './views/warps';

export const VIEWS: Views = {
  warps: warpsView,
  timeline: timelineView,
  registers: registersView,
  memory: memoryView,
  buffers: buffersView,
  graph: graphView,
  output: outputView,
};
