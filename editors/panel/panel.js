// The lanes panel: draws what the server counts. `source` answers the requests of docs/lsp-extensions.md.
"use strict";

/** The tabs in their order. */
const TABS = [["timeline", "Time line"], ["registers", "Registers"], ["memory", "Memory"], ["buffers", "Buffers"],
  ["graph", "Graph"], ["output", "Output"]];

/** An element of the page or, with a name of `SVG_TAGS`, of a drawing. */
const SVG_TAGS = new Set(["svg", "rect", "path", "line", "text", "g", "defs", "marker", "title"]);
function h(tag, attributes, ...children) {
  const isDrawing = SVG_TAGS.has(tag);
  const element = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const grouped = (number) => Number(number).toLocaleString("en-US");
const share = (part, whole) => (whole ? `${Math.round((part / whole) * 100)} %` : "0 %");
const bit = (mask, lane) => (BigInt(`0x${mask || "0"}`) >> BigInt(lane)) & 1n;
const lanesOf = (mask, width) => Array.from({ length: width }, (_, lane) => lane).filter((lane) => bit(mask, lane));

/** `0–3, 7` */
function ranges(mask, width) {
  const parts = [];
  for (const lane of lanesOf(mask, width)) {
    const last = parts[parts.length - 1];
    if (last && last[1] === lane - 1) last[1] = lane;
    else parts.push([lane, lane]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ") || "none";
}

/** Lines as users count them. */
function lineRange(lines) {
  if (!lines) return "removed";
  return lines[0] === lines[1] ? `${lines[0] + 1}` : `${lines[0] + 1}–${lines[1] + 1}`;
}

/** The panel in an element. `source.lines` is the text; `source.onMoment(line)` hears of each chosen moment. */
class Panel {
  constructor(root, source, saved) {
    this.root = root;
    this.source = source;
    this.state = { tab: "timeline", step: 0, lane: 0, from: 0, to: null, table: false, buffer: null, element: null,
      register: null, ...saved };
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.numbers = 0;
  }

  async start() {
    this.base = await this.source.request("timeline", {});
    if (!this.base) return this.nothing();
    this.state.to ??= this.base.steps;
    this.state.to = Math.min(this.state.to, this.base.steps);
    this.state.step = Math.min(this.state.step, Math.max(0, this.base.steps - 1));
    this.state.lane = Math.min(this.state.lane, this.base.width - 1);
    this.page = this.base;
    await this.render();
    new ResizeObserver(() => this.render()).observe(this.root);
  }

  nothing() {
    this.root.replaceChildren(h("p", {}, h("strong", {}, "No run to show")),
      h("p", { class: "dim" }, "Run a launch to see when each lane ran and with which values."));
  }

  set(change) {
    Object.assign(this.state, change);
    this.source.save?.(this.state);
    return this.render();
  }

  goTo(step) {
    const last = Math.max(0, this.base.steps - 1);
    const at = Math.max(0, Math.min(last, Math.round(step)));
    const change = { step: at };
    if (at < this.state.from || at >= this.state.to) {
      const span = this.state.to - this.state.from;
      change.from = Math.max(0, Math.min(this.base.steps - span, at - Math.floor(span / 2)));
      change.to = change.from + span;
    }
    return this.set(change);
  }

  /** The statement of a step: its line, its visit and all its visits, if the source knows them. */
  moment(step) {
    return this.source.moment?.(step) ?? null;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const isTab = event.target.getAttribute?.("role") === "tab";
    const { step, lane } = this.state;
    const keys = {
      ArrowLeft: () => (event.shiftKey ? this.mark(-1, "diverge") : this.goTo(step - 1)),
      ArrowRight: () => (event.shiftKey ? this.mark(1, "diverge") : this.goTo(step + 1)),
      ArrowUp: () => this.set({ lane: Math.max(0, lane - 1) }),
      ArrowDown: () => this.set({ lane: Math.min(this.base.width - 1, lane + 1) }),
      ",": () => this.visit(-1), ".": () => this.visit(1),
      F: () => this.mark(1, "finding"), f: () => this.mark(1, "finding"),
      T: () => this.set({ table: !this.state.table }), t: () => this.set({ table: !this.state.table }),
      "+": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.set({ from: 0, to: this.base.steps }),
    };
    const action = keys[event.key];
    if (!action || !this.base) return;
    if (isTab && event.key.startsWith("Arrow")) return this.nextTab(event);
    if (this.state.table && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    action();
  }

  async nextTab(event) {
    event.preventDefault();
    const at = TABS.findIndex(([id]) => id === this.state.tab);
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    await this.set({ tab: TABS[(at + by + TABS.length) % TABS.length][0] });
    this.root.querySelector('[role="tab"][aria-selected="true"]').focus();
  }

  mark(by, kind) {
    const steps = this.base.marks.filter((mark) => mark.kind === kind).map((mark) => mark.step);
    const next = by > 0 ? steps.find((step) => step > this.state.step) ?? (kind === "finding" ? steps[0] : undefined)
      : steps.filter((step) => step < this.state.step).pop();
    if (next !== undefined) this.goTo(next);
  }

  visit(by) {
    const step = this.source.visit?.(this.state.step, by);
    if (step !== undefined && step !== null) this.goTo(step);
  }

  zoom(factor, around = this.state.step) {
    const { from, to } = this.state;
    const span = Math.max(8, Math.min(this.base.steps, Math.round((to - from) * factor)));
    const start = Math.round(around - ((around - from) / Math.max(1, to - from)) * span);
    const first = Math.max(0, Math.min(this.base.steps - span, start));
    return this.set({ from: first, to: Math.min(this.base.steps, first + span) });
  }

  async render() {
    if (!this.base) return;
    const number = ++this.numbers;
    const focused = document.activeElement?.id;
    const { tab, table } = this.state;
    const view = VIEWS[tab];
    let content;
    try {
      content = await view.load(this);
    } catch (error) {
      content = { problem: String(error.message ?? error) };
    }
    if (number !== this.numbers) return;
    this.rows = content.problem ? [] : view.table(this, content);
    const body = content.problem ? h("p", { class: "dim" }, content.problem)
      : table ? this.tableOf(this.rows) : view.draw(this, content);
    const label = TABS.find(([id]) => id === tab)[1];
    this.root.replaceChildren(this.header(), this.tabs(content),
      h("div", { class: "row spread caption" }, this.caption(), h("span", { class: "dim" }, view.legend ?? "")),
      h("div", { class: "view", role: "tabpanel", id: "view", "aria-label": label, tabindex: "0" }, body), this.overview());
    view.after?.(this, content);
    if (focused) this.root.ownerDocument.getElementById(focused)?.focus({ preventScroll: true });
  }

  header() {
    const { title, findings } = this.source;
    const { active, steps, width, cta, warp } = this.base;
    const average = steps ? active / steps : 0;
    return h("div", { class: "row spread" },
      h("span", {}, h("strong", {}, title), h("span", { class: "dim" },
        ` · block ${cta.join(",")} · warp ${warp} · model ${this.source.model} · ${this.source.status}`)),
      h("span", {}, findings ? h("span", { class: "error" }, `▲ ${findings} finding${findings > 1 ? "s" : ""} · `) : "no findings · ",
        h("strong", {}, share(active, steps * width)), ` active, ${average.toFixed(1)} of ${width} lanes`));
  }

  tabs(content) {
    const button = (id, label, name, action, pressed) =>
      h("button", { id, "aria-label": name, title: name, onclick: action, "aria-pressed": pressed }, label);
    const unexpected = this.source.unexpected ? ` (${this.source.unexpected})` : "";
    const tabs = TABS.map(([id, label]) => h("button", { role: "tab", id: `tab-${id}`, "aria-selected": String(this.state.tab === id),
      "aria-controls": "view", tabindex: this.state.tab === id ? 0 : -1, onclick: () => this.set({ tab: id }) },
    label + (id === "buffers" ? unexpected : "")));
    const { step } = this.state;
    const moment = this.moment(step);
    return h("div", { class: "row spread bar" }, h("div", { role: "tablist", "aria-label": "Views" }, tabs),
      h("div", { class: "row" },
        h("span", {}, button("first", "|◀", "First step", () => this.goTo(0)), button("previous", "◀", "Previous step", () => this.goTo(step - 1)),
          h("span", { class: "mono" }, `step ${grouped(this.base.steps ? step + 1 : 0)}/${grouped(this.base.steps)}`),
          button("next", "▶", "Next step", () => this.goTo(step + 1)), button("last", "▶|", "Last step", () => this.goTo(this.base.steps))),
        moment && h("span", {}, h("span", { class: "dim" }, "visit "), button("visit-back", "◀", "Previous visit", () => this.visit(-1)),
          h("span", { class: "mono" }, `${moment.visit}/${moment.visits}`), button("visit-on", "▶", "Next visit", () => this.visit(1))),
        h("span", {}, button("table", "▤", "Show as a table", () => this.set({ table: !this.state.table }), String(this.state.table)),
          button("copy-markdown", "Copy MD", "Copy as Markdown", () => this.copy("markdown")),
          button("copy-csv", "CSV", "Copy as CSV", () => this.copy("csv")))));
  }

  caption() {
    const moment = this.moment(this.state.step);
    const active = this.laneSentence();
    if (!moment) return h("span", {}, active);
    const text = this.statement(moment.line);
    return h("span", { "aria-live": "polite" }, h("span", { class: "dim mono" }, `line ${moment.line + 1} `), h("code", {}, text), ` ${active}`);
  }

  /** The text of a line, with single spaces. */
  statement(line) {
    return (this.source.lines[line] ?? "").trim().replace(/\s+/g, " ");
  }

  laneSentence() {
    const run = runAt(this.page?.runs ?? [], this.state.step) ?? runAt(this.base.runs, this.state.step);
    if (!run) return "";
    return `${lanesOf(run.active, this.base.width).length} of ${this.base.width} lanes active`;
  }

  tableOf([head, ...rows]) {
    const isNumber = (value) => typeof value === "number";
    const cell = (value) => h("td", { class: isNumber(value) ? "number" : undefined }, isNumber(value) ? grouped(value) : String(value ?? ""));
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", {},
      h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows.slice(0, 2000).map((row) => h("tr", {}, row.map(cell))))));
  }

  async copy(format) {
    const rows = this.rows.map((row) => row.map((value) => String(value ?? "")));
    const csv = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    const markdown = (row) => `| ${row.map((value) => value.replaceAll("|", "\\|")).join(" | ")} |`;
    const text = format === "csv" ? rows.map((row) => row.map(csv).join(",")).join("\n")
      : [markdown(rows[0] ?? []), `|${"-|".repeat((rows[0] ?? []).length)}`, ...rows.slice(1).map(markdown)].join("\n");
    await (this.source.copy ? this.source.copy(text) : navigator.clipboard.writeText(text));
  }

  /** The whole run: active lanes over steps, with the window and the moment. */
  overview() {
    const width = Math.max(240, this.root.clientWidth - 190);
    const values = this.base.overview;
    const each = this.base.overview_steps;
    const x = (step) => (step / Math.max(1, this.base.steps)) * width;
    const points = values.map((value, at) => {
      const y = 36 - (value / this.base.width) * 34;
      return `L${x(at * each).toFixed(1)},${y.toFixed(1)}L${x(Math.min(this.base.steps, (at + 1) * each)).toFixed(1)},${y.toFixed(1)}`;
    });
    const move = (event) => {
      if (!(event.buttons & 1)) return;
      const box = event.currentTarget.getBoundingClientRect();
      this.goTo(((event.clientX - box.left) / width) * this.base.steps);
    };
    const { from, to, step } = this.state;
    const drawing = h("svg", { width, height: 40, role: "img", "aria-label": `Active lanes over all ${grouped(this.base.steps)} steps`,
      onpointerdown: move, onpointermove: move },
    h("path", { d: `M0,36${points.join("")}L${width},36Z`, fill: "var(--lane)", "fill-opacity": "0.35", stroke: "var(--lane)" }),
    h("rect", { x: x(from), y: 1, width: Math.max(2, x(to) - x(from)), height: 37, fill: "none", stroke: "var(--fg)" }),
    h("line", { x1: x(step + 0.5), x2: x(step + 0.5), y1: 0, y2: 40, stroke: "var(--fg)", "stroke-width": 2 }));
    return h("div", { class: "row bar" }, h("span", { class: "dim" }, `active 0–${this.base.width}`), drawing,
      h("span", { class: "dim" }, `1–${grouped(this.base.steps)}`));
  }
}

/** The masks of a step, from the runs of a page. */
function runAt(runs, step) {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle].step <= step) low = middle + 1;
    else high = middle;
  }
  const run = runs[low - 1];
  if (!run) return null;
  let at = run.step;
  for (const [active, executed, steps] of run.masks) {
    if (step < at + steps) return { active, executed, block: run.block };
    at += steps;
  }
  return null;
}

/** One for each tab: `load` asks the source, `table` is the twin of the picture that `draw` makes. */
const VIEWS = {};
