// The control-flow graph: blocks in layers, edges by the threads that took them.
VIEWS.graph = {
  legend: "dashed: divergent branch   > n: reconvergence of n branches   edge: threads   bar: share of steps",
  load: (panel) => panel.source.request("graph", {}),

  table(panel, graph) {
    return [["block", "lines", "visits", "steps", "share", "lanes on average", "diverged", "to"], ...graph.blocks.map((block, at) => [at, lineRange(block.lines),
      block.visits, block.steps, share(block.steps, graph.steps), block.steps ? Number((block.active / block.steps).toFixed(1)) : 0, block.diverged,
      graph.edges.filter((edge) => edge.from === at).map((edge) => `${lineRange(graph.blocks[edge.to].lines)}: ${edge.threads}`).join("; ")])];
  },

  draw(panel, graph) {
    const places = layered(graph);
    const [width, height] = [110, 62];
    const x = (block) => 20 + places[block].layer * (width + 56);
    const y = (block) => 64 + places[block].row * (height + 26);
    const layers = Math.max(...places.map((place) => place.layer)) + 1;
    const rows = Math.max(...places.map((place) => place.row)) + 1;
    const current = runAt(panel.page.runs, panel.state.step) ?? runAt(panel.base.runs, panel.state.step);
    const most = Math.max(1, ...graph.edges.map((edge) => edge.threads));
    const drawing = h("svg", { width: layers * (width + 56) + 60, height: rows * (height + 26) + 120, role: "img", id: "graph-picture",
      "aria-label": `Control-flow graph of ${graph.blocks.length} blocks. The table has the same numbers.` },
    h("defs", {}, h("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" },
      h("path", { d: "M0,0L8,4L0,8Z", fill: "var(--fg)" }))));
    const edge = ({ from, to, threads, diverged }) => {
      const [x1, y1, x2, y2] = [x(from) + width, y(from) + height / 2, x(to), y(to) + height / 2];
      const back = x2 <= x1;
      const bend = back ? Math.max(y1, y2) + height / 2 + 18 + Math.abs(places[from].layer - places[to].layer) * 4 : (y1 + y2) / 2;
      const skips = !back && y1 === y2 && places[to].layer > places[from].layer + 1;
      const above = y1 - height / 2 - 22 - (places[to].layer - places[from].layer) * 3;
      const path = skips ? `M${x1},${y1}C${x1 + 20},${above} ${x2 - 20},${above} ${x2},${y2}` : back ? `M${x1},${y1}C${x1 + 40},${bend} ${x2 - 40},${bend} ${x2},${y2}` : `M${x1},${y1}C${x1 + 30},${y1} ${x2 - 30},${y2} ${x2},${y2}`;
      return [h("path", { d: path, fill: "none", stroke: threads ? "var(--fg)" : "var(--dim)", "marker-end": "url(#arrow)",
        "stroke-width": threads ? 1 + 4 * (threads / most) : 0.6, "stroke-dasharray": diverged ? "6 4" : undefined }),
      h("text", { x: (x1 + x2) / 2 - 6, y: skips ? above + (y1 - above) * 0.25 - 4 : back ? bend - (bend - Math.max(y1, y2)) * 0.25 + 4 : (y1 + y2) / 2 - 5 }, grouped(threads))];
    };
    drawing.append(...graph.edges.flatMap(edge));
    for (const [from, to] of graph.reconverges) {
      if (from !== current?.block) continue;
      drawing.append(h("path", { d: `M${x(from) + width / 2},${y(from) + height}Q${(x(from) + x(to)) / 2},${Math.max(y(from), y(to)) + height + 30} ${x(to) + width / 2},${y(to) + height}`,
        fill: "none", stroke: "var(--accent)", "stroke-dasharray": "2 4", "stroke-width": 2 }));
    }
    graph.blocks.forEach((block, at) => {
      const joins = graph.reconverges.filter(([, to]) => to === at).length;
      const chosen = current?.block === at;
      drawing.append(h("g", { tabindex: "0", role: "button", "aria-label": `Lines ${lineRange(block.lines)}, ${block.visits} visits, ${share(block.steps, graph.steps)} of steps`,
        onclick: () => panel.source.reveal?.(block.lines?.[0]) },
      h("rect", { x: x(at), y: y(at), width, height, rx: 4, fill: "var(--bg)", stroke: chosen ? "var(--accent)" : "var(--dim)", "stroke-width": chosen ? 3 : 1 }),
      h("rect", { x: x(at), y: y(at), width: 7, height, fill: `var(--b${at % 4})` }),
      h("text", { x: x(at) + 13, y: y(at) + 17, "font-weight": "600" }, lineRange(block.lines)),
      h("text", { x: x(at) + 13, y: y(at) + 34 }, `${grouped(block.visits)}×${joins ? `   > ${joins}` : ""}`),
      h("rect", { x: x(at) + 13, y: y(at) + 42, width: width - 22, height: 5, fill: "var(--rule)" }),
      h("rect", { x: x(at) + 13, y: y(at) + 42, width: ((width - 22) * block.steps) / Math.max(1, graph.steps), height: 5, fill: "var(--fg)" })));
      if (chosen) {
        for (const lane of lanesOf(current.active, panel.base.width)) {
          drawing.lastChild.append(h("rect", { x: x(at) + 13 + (lane * (width - 22)) / panel.base.width, y: y(at) + 51, width: Math.max(1, (width - 22) / panel.base.width - 0.6), height: 7, fill: "var(--lane)" }));
        }
      }
    });
    return h("div", { style: "overflow:auto;max-height:520px" }, drawing);
  },
};

/** Layers by the longest path over edges that go forward in the program; rows by the first free place. */
function layered(graph) {
  const places = graph.blocks.map(() => ({ layer: 0, row: 0 }));
  graph.blocks.forEach((_, at) => {
    for (const edge of graph.edges) {
      if (edge.from === at && edge.to > at) places[edge.to].layer = Math.max(places[edge.to].layer, places[at].layer + 1);
    }
  });
  const taken = new Map();
  places.forEach((place, at) => {
    const before = graph.edges.filter((edge) => edge.to === at && edge.from < at).map((edge) => places[edge.from].row);
    const used = taken.get(place.layer) ?? taken.set(place.layer, new Set()).get(place.layer);
    let row = before.length ? Math.min(...before) : 0;
    while (used.has(row)) row++;
    used.add(row);
    place.row = row;
  });
  return places;
}
