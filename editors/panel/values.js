// Registers, memory, buffers and printed text.
VIEWS.registers = {
  legend: "underlined: changed   ● true   ○ false   · uninitialized",
  load: (panel) => panel.source.request("registers", { step: panel.state.step }),

  table(panel, content) {
    const lanes = Array.from({ length: content.width }, (_, lane) => lane);
    return [["register", "role", "type", "form", ...lanes.map(String)],
      ...content.rows.map((row) => [row.name, row.role, row.type, row.form ?? "", ...row.values.map((value) => value ?? "·")])];
  },

  draw(panel, content) {
    const narrow = panel.root.clientWidth < 600;
    const shown = (row, value) => (value === null || value === undefined ? "·" : row.type === "pred" ? (value === "1" ? "●" : "○") : value);
    const of = (row, lane) => {
      const classes = [bit(row.changed, lane) ? "changed" : "", bit(content.active, lane) ? "" : "inactive",
        lane === panel.state.lane ? "picked" : "", "number mono"].join(" ");
      return h("td", { class: classes, onclick: () => panel.set({ lane }) }, shown(row, row.values[lane]));
    };
    const lanes = Array.from({ length: content.width }, (_, lane) => lane);
    const name = (row) => [h("strong", { class: "mono" }, row.name), h("span", { class: "dim" }, ` ${row.role}`)];
    if (!content.rows.length) return h("p", { class: "dim" }, "This statement names no registers.");
    if (narrow) {
      return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "lane"),
        content.rows.map((row) => h("th", { class: "number" }, name(row))))),
      h("tbody", {}, lanes.map((lane) => h("tr", {}, h("td", {}, lane), content.rows.map((row) => of(row, lane)))))));
    }
    const executed = h("tr", {}, h("th", {}, "executed"), h("td"), lanes.map((lane) => h("td", { class: lane === panel.state.lane ? "picked" : "" },
      bit(content.executed, lane) ? "■" : bit(content.active, lane) ? "□" : "–")), h("td"));
    const row = (row) => h("tr", {}, h("th", {}, name(row)), h("td", { class: "dim" }, row.type), row.form
      ? h("td", { colspan: content.width }, h("code", {}, row.form), h("span", { class: "dim" }, ` in ${ranges(known(row), content.width)}`))
      : lanes.map((lane) => of(row, lane)), h("td", { class: "number mono" }, shown(row, row.values[panel.state.lane])));
    return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "lane"), h("th", {}, "type"),
      lanes.map((lane) => h("th", { class: "number" }, lane)), h("th", { class: "number" }, `lane ${panel.state.lane}`))),
    h("tbody", {}, executed, content.rows.map(row))));
  },
};

/** The lanes that hold a value, as a mask. */
function known(row) {
  return row.values.reduce((mask, value, lane) => (value === null ? mask : mask | (1n << BigInt(lane))), 0n).toString(16);
}

VIEWS.memory = {
  legend: "fill: bytes used of a sector; excess = cost − ideal, over all warps",
  load: (panel) => panel.source.request("accesses", { step: panel.state.step }),

  table(panel, content) {
    const rows = content.requests.flatMap((request) => request.parts.map((part) => [request.space, part.at, ranges(part.lanes, panel.base.width),
      part.bytes, part.bank ?? "", part.wavefront ?? ""]));
    const worst = content.worst.map((access) => [`line ${access.line + 1}`, access.space, access.requests, access.cost, access.ideal, access.cost - access.ideal]);
    return rows.length ? [["space", "address", "lanes", "bytes", "bank", "wavefront"], ...rows]
      : [["line", "space", "requests", "cost", "ideal", "excess"], ...worst];
  },

  draw(panel, content) {
    const request = content.requests[0];
    return h("div", { class: "two" }, request ? this.access(panel, request)
      : h("p", { class: "dim" }, "This statement does not access global or shared memory. The accesses of the kernel are listed with the largest excess first."),
    this.worst(panel, content));
  },

  access(panel, request) {
    const { width } = panel.base;
    const isShared = request.space === "shared";
    const size = Math.max(360, Math.min(900, panel.root.clientWidth * (panel.root.clientWidth < 700 ? 1 : 0.5)));
    const laneX = (lane) => 60 + ((lane + 0.5) * (size - 60)) / width;
    const slots = isShared ? 32 : Math.max(1, request.parts.length);
    const partX = (part, at) => 60 + (((isShared ? part.bank : at) + 0.5) * (size - 60)) / slots;
    const box = Math.max(3, Math.min(18, (size - 60) / slots - 3));
    const cell = Math.max(3, (size - 60) / width - 3);
    const picked = panel.state.lane;
    const drawing = h("svg", { width: size, height: 220, role: "img", "aria-label": this.sentence(request) });
    drawing.append(h("text", { x: 0, y: 22, class: "dim" }, "lane"), h("text", { x: 0, y: 150, class: "dim" }, isShared ? "banks" : "sectors"));
    request.parts.forEach((part, at) => {
      for (const lane of lanesOf(part.lanes, width)) {
        drawing.append(h("line", { x1: laneX(lane), y1: 32, x2: partX(part, at), y2: 124,
          stroke: lane === picked ? "var(--accent)" : "var(--dim)", "stroke-width": lane === picked ? 3 : 0.8 }));
      }
    });
    for (let lane = 0; lane < width; lane++) {
      const on = request.addresses[lane] !== null;
      drawing.append(h("rect", { x: laneX(lane) - cell / 2, y: 14, width: cell, height: 16, fill: on ? "var(--lane)" : "none",
        stroke: lane === picked ? "var(--accent)" : "var(--rule)", "stroke-width": lane === picked ? 3 : 1, onclick: () => panel.set({ lane }) }));
    }
    request.parts.forEach((part, at) => {
      const x = partX(part, at) - box / 2;
      if (isShared) {
        const deep = Math.max(...request.parts.map((other) => other.wavefront + 1));
        const tall = Math.max(2, Math.min(10, 80 / deep));
        drawing.append(h("rect", { x, y: 126 + part.wavefront * tall, width: box, height: Math.max(1, tall - 1), fill: "var(--b1)" }));
      } else {
        const fill = (44 * part.bytes) / 32;
        drawing.append(h("rect", { x, y: 126, width: box, height: 46, fill: "none", stroke: "var(--dim)" }),
          h("rect", { x: x + 1, y: 171 - fill, width: Math.max(1, box - 2), height: fill, fill: "var(--b1)" }));
        if (at % 8 === 0) drawing.append(h("text", { x, y: 188, class: "dim" }, part.at));
      }
    });
    const address = request.addresses[picked];
    return h("div", {}, h("strong", {}, this.sentence(request)), h("div", { style: "overflow-x:auto" }, drawing),
      h("p", {}, h("strong", {}, `Lane ${picked} `), address ? h("code", {}, address) : "does not access memory",
        ` ${request.elements[picked] ?? ""}`), h("p", { class: "dim" }, stride(request)));
  },

  sentence: (request) => (request.space === "shared"
    ? `${request.cost} wavefront${request.cost === 1 ? "" : "s"}, ${request.ideal} ideal`
    : `${request.cost} sector${request.cost === 1 ? "" : "s"}, ${request.ideal} ideal`),

  worst(panel, content) {
    const table = (space, title) => {
      const rows = content.worst.filter((access) => access.space === space);
      if (!rows.length) return null;
      return h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "line"), h("th", {}, title), ...["requests", "cost", "ideal", "excess"]
        .map((name) => h("th", { class: "number" }, name)))),
      h("tbody", {}, rows.map((access) => h("tr", {}, h("td", { class: "number" }, access.line + 1),
        h("td", {}, h("code", {}, panel.statement(access.line).slice(0, 22))),
        [access.requests, access.cost, access.ideal, access.cost - access.ideal].map((value) => h("td", { class: "number" }, grouped(value)))))));
    };
    const tables = [table("global", "Global, 32-byte sectors"), table("shared", "Shared, wavefronts")].filter(Boolean);
    return h("div", { class: "scroll" }, tables.length ? tables : h("p", { class: "dim" }, "No statement has costs of global or shared memory."));
  },
};

/** `128 bytes between adjacent lanes` */
function stride(request) {
  const lanes = request.addresses.map((address) => (address === null ? null : BigInt(address)));
  const steps = new Set();
  for (let lane = 1; lane < lanes.length; lane++) {
    if (lanes[lane] !== null && lanes[lane - 1] !== null) steps.add(lanes[lane] - lanes[lane - 1]);
  }
  return steps.size === 1 ? `Stride: ${[...steps][0]} bytes between adjacent lanes.` : "";
}

VIEWS.buffers = {
  legend: "bold: changed   framed: unexpected, with the expected value below",

  async load(panel) {
    const all = await panel.source.request("buffers", {});
    const name = panel.state.buffer ?? (all.buffers.find((buffer) => buffer.unexpected) ?? all.buffers[0])?.name;
    if (!name) return { problem: "The launch has no buffers." };
    const from = panel.state.bufferFrom ?? 0;
    const { page } = await panel.source.request("buffers", { name, from, count: 1024 });
    const index = panel.state.element ?? page.unexpected[0] ?? null;
    const found = index === null ? null : await panel.source.request("buffers", { name, element: index }).catch(() => null);
    return { all, page, index, element: found?.element ?? null, buffer: all.buffers.find((buffer) => buffer.name === name) };
  },

  table: (panel, { page }) => [["element", "before", "after", "expected"], ...page.after.map((value, at) =>
    [`${page.name}[${page.from + at}]`, String(page.before[at]), String(value), String(page.expected[page.from + at] ?? "")])],

  draw(panel, { all, page, index, element, buffer }) {
    const columns = panel.root.clientWidth < 600 ? 4 : panel.root.clientWidth < 1300 ? 8 : 16;
    const cell = (at) => {
      const place = page.from + at;
      const expected = page.expected[place];
      const classes = ["number mono", page.after[at] !== page.before[at] ? "changed" : "", expected !== undefined ? "unexpected" : "",
        place === index ? "picked" : ""].join(" ");
      return h("td", { class: classes }, h("button", { id: `element-${place}`, "aria-label": `${page.name}[${place}] = ${page.after[at]}`,
        onclick: () => panel.set({ element: place, buffer: page.name }) }, String(page.after[at])),
      expected !== undefined ? h("small", {}, String(expected)) : null);
    };
    const rows = [];
    for (let at = 0; at < page.after.length; at += columns) {
      rows.push(h("tr", {}, h("th", { scope: "row", class: "number" }, page.from + at),
        Array.from({ length: Math.min(columns, page.after.length - at) }, (_, column) => cell(at + column))));
    }
    const list = h("div", {}, all.buffers.map((one) => h("p", {}, h("button", { id: `buffer-${one.name}`, "aria-pressed": String(one.name === page.name),
      onclick: () => panel.set({ buffer: one.name, element: null, bufferFrom: 0 }) }, h("code", {}, `${one.name} ${one.type}[${one.length}]`)),
    h("span", { class: "dim" }, ` ${one.changed ? `${grouped(one.changed)} changed` : "not changed"}`),
    one.unexpected ? h("span", { class: "error" }, ` ${grouped(one.unexpected)} unexpected`) : one.checked ? " as expected" : "")));
    const move = (by, label) => h("button", { onclick: () => panel.set({ bufferFrom: Math.max(0, page.from + by) }) }, label);
    const pages = buffer.length > 1024 ? h("p", {}, page.from > 0 ? move(-1024, "◀ previous elements") : null,
      page.from + 1024 < buffer.length ? move(1024, "next elements ▶") : null) : null;
    return h("div", { class: "two" }, h("div", {}, list, this.map(page), pages, h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, rows)))),
      this.detail(panel, page, index, element));
  },

  map(page) {
    const size = 512;
    const width = size / Math.max(1, page.map.length);
    const part = { 1: "var(--dim)", 2: "var(--error)" };
    return h("svg", { width: size, height: 18, role: "img", "aria-label": `Map of ${page.name}: ${page.unexpected.length} unexpected elements` },
      h("rect", { x: 0.5, y: 0.5, width: size - 1, height: 16, fill: "none", stroke: "var(--rule)" }),
      [...page.map].map((digit, at) => (digit === "0" ? null : h("rect", { x: at * width, y: digit === "2" ? 1 : 6, width: Math.max(1, width), height: digit === "2" ? 15 : 6, fill: part[digit] }))));
  },

  detail(panel, page, index, element) {
    if (index === null) return h("p", { class: "dim" }, "Choose an element to see the lane that wrote it.");
    const at = index - page.from;
    const line = (name, value) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number mono" }, value));
    const writer = element?.writer;
    const [after, expected] = [page.after[at], page.expected[index]];
    const difference = typeof after === "number" && typeof expected === "number" ? after - expected : null;
    return h("div", {}, h("strong", { class: "mono" }, `${page.name}[${index}]`), h("table", {}, h("tbody", {},
      line("after", String(after ?? "")), expected === undefined ? null : line("expected", String(expected)),
      difference === null ? null : line("difference", String(Number(difference.toPrecision(7)))), line("before", String(page.before[at] ?? "")))),
    writer ? h("div", {}, h("strong", {}, "Written by"), h("p", {}, `block ${writer.cta.join(",")}, warp ${writer.warp}, lane ${writer.lane}, line ${writer.line + 1} `,
      h("code", {}, panel.statement(writer.line))),
    this.isShown(panel, writer) ? h("button", { id: "go-to-writer", "aria-pressed": "false", onclick: () => panel.set({ lane: writer.lane }).then(() => panel.goTo(writer.step)) },
      `Go to step ${grouped(writer.step + 1)}`) : null)
      : h("p", { class: "dim" }, element ? "No lane wrote it." : "The writer of this element is not in the report."));
  },

  isShown: (panel, writer) => writer.step !== undefined && writer.warp === panel.base.warp && String(writer.cta) === String(panel.base.cta),
};

VIEWS.output = {
  load: async (panel) => panel.source.request("buffers", {}),
  table: (panel, content) => [["line", "text"], ...(content.output ?? "").split("\n").filter(Boolean).map((text, at) => [at + 1, text])],
  draw: (panel, content) => (content.output ? h("pre", { class: "mono" }, content.output)
    : h("p", { class: "dim" }, "The kernel printed nothing.")),
};
