// The time line: a canvas for the lanes, and one for the moment and the lane, so that scrubbing does not repaint the lanes.
const LEFT = 50;
const RIGHT = 84;
const TOP = 40;

VIEWS.timeline = {
  legend: "< diverge   > reconverge   ‖ barrier   ▲ finding   ▯ predicated off",

  async load(panel) {
    const { from, to } = panel.state;
    const known = panel.page;
    const isKnown = known.from <= from && to <= known.to && !(known.column && to - from < known.to - known.from);
    if (!isKnown) panel.page = await panel.source.request("timeline", { from, to, bins: 2000 });
    return panel.page;
  },

  table(panel, page) {
    const marks = (from, to) => page.marks.filter((mark) => from <= mark.step && mark.step < to)
      .map((mark) => (mark.count > 1 ? `${mark.count} × ${mark.kind}` : mark.code ?? `${mark.kind} ${(mark.lanes ?? [])
        .map((lanes) => lanesOf(lanes, page.width).length).join(" | ")}`)).join(", ");
    const head = ["steps", "lines", "active", "lanes", "marks"];
    if (page.column) {
      return [["steps", "lines", "active (average)", "marks"], ...page.columns.map((column, at) => {
        const first = page.from + at * page.column;
        const end = Math.min(page.to, first + page.column);
        const active = [...column.share].reduce((sum, digit) => sum + parseInt(digit, 16) / 15, 0);
        return [`${first + 1}–${end}`, lineRange(page.blocks[column.block]?.lines), Number(active.toFixed(1)), marks(first, end)];
      })];
    }
    return [head, ...page.runs.map((run) => {
      const end = run.masks.reduce((sum, [, , steps]) => sum + steps, run.step);
      const lanes = run.masks[0][0];
      return [`${run.step + 1}–${end}`, lineRange(page.blocks[run.block]?.lines), lanesOf(lanes, page.width).length,
        ranges(lanes, page.width), marks(run.step, end)];
    })];
  },

  geometry(panel, page) {
    const width = Math.max(320, panel.root.clientWidth - 16);
    const pitch = page.width > 32 ? 3 : panel.root.clientWidth < 600 ? 4 : 6;
    const y = (lane) => TOP + lane * pitch + Math.floor(lane / 8) * 2;
    const { from, to } = panel.state;
    const scale = (width - LEFT - RIGHT) / Math.max(1, to - from);
    return { width, pitch, y, scale, x: (step) => LEFT + (step - from) * scale, height: y(page.width) + 24 };
  },

  draw(panel, page) {
    const { width, height } = this.geometry(panel, page);
    const canvas = () => {
      const ratio = window.devicePixelRatio || 1;
      const element = h("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio),
        style: `width:${width}px;height:${height}px` });
      element.getContext("2d").scale(ratio, ratio);
      return element;
    };
    const [lanes, cursor] = [canvas(), canvas()];
    lanes.setAttribute("role", "img");
    lanes.setAttribute("aria-label", `Time line of steps ${panel.state.from + 1} to ${panel.state.to}. ${panel.laneSentence()}. `
      + "The table has the same numbers.");
    cursor.setAttribute("aria-hidden", "true");
    const choose = (event) => {
      if (!(event.buttons & 1)) return;
      const box = cursor.getBoundingClientRect();
      const { x, scale, y } = this.geometry(panel, page);
      const lane = Array.from({ length: page.width }, (_, at) => at).find((at) => event.clientY - box.top < y(at + 1));
      const step = Math.floor(panel.state.from + (event.clientX - box.left - x(panel.state.from)) / scale);
      panel.goTo(step);
      if (event.type === "pointerdown" && lane !== undefined && event.clientY - box.top > TOP) panel.set({ lane });
    };
    cursor.addEventListener("pointerdown", choose);
    cursor.addEventListener("pointermove", choose);
    cursor.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = cursor.getBoundingClientRect();
      const { scale } = this.geometry(panel, page);
      const at = panel.state.from + (event.clientX - box.left - LEFT) / scale;
      if (event.shiftKey) {
        const by = Math.round((event.deltaY || event.deltaX) / scale);
        const span = panel.state.to - panel.state.from;
        const from = Math.max(0, Math.min(panel.base.steps - span, panel.state.from + by));
        panel.set({ from, to: from + span });
      } else panel.zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
    }, { passive: false });
    return h("div", { class: "stack" }, lanes, cursor);
  },

  after(panel, page) {
    const [lanes, cursor] = panel.root.querySelectorAll(".stack canvas");
    if (!lanes) return;
    this.paint(panel, page, lanes.getContext("2d"));
    this.paintCursor(panel, page, cursor.getContext("2d"));
  },

  paint(panel, page, context) {
    const style = getComputedStyle(panel.root);
    const colour = (name) => style.getPropertyValue(name).trim();
    const { width, pitch, y, x, scale } = this.geometry(panel, page);
    const bar = Math.max(1, pitch - 1);
    const [fg, dim, rule] = [colour("--fg"), colour("--dim"), colour("--rule")];
    context.font = `11px ${style.fontFamily}`;
    context.fillStyle = dim;
    ["lines", "marks"].forEach((label, at) => context.fillText(label, 4, 11 + at * 20));
    for (let lane = 0; lane < page.width; lane += 8) context.fillText(`${lane ? "" : "lane "}${lane}`, lane ? 30 : 4, y(lane) + 8);
    context.fillStyle = rule;
    for (let lane = 0; lane < page.width; lane++) context.fillRect(LEFT, y(lane) + bar / 2, width - LEFT - RIGHT, 0.5);
    // Short visits of the blocks of a loop have the colour of its header.
    const average = page.runs.length ? ((page.to - page.from) * scale) / page.runs.length : 0;
    const shown = (block) => (average < 7 ? page.blocks[block]?.loop ?? block : block);
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, width - LEFT - RIGHT, 4000);
    context.clip();
    const fills = new Map();
    const fill = (block) => {
      const key = shown(block);
      if (!fills.has(key)) fills.set(key, hatch(context, colour(`--b${key % 4}`), colour("--bg"), (key + Math.floor(key / 4)) % 4));
      return fills.get(key);
    };
    let label = -1e9;
    for (const run of page.runs) {
      let step = run.step;
      const length = run.masks.reduce((sum, [, , steps]) => sum + steps, 0);
      if (x(step + length) < LEFT || x(step) > width - RIGHT) continue;
      context.fillStyle = fill(run.block);
      context.fillRect(x(step), 16, Math.max(0.5, length * scale - 0.5), 6);
      const text = lineRange(page.blocks[run.block]?.lines);
      if (length * scale > context.measureText(text).width + 4 && x(step) > label) {
        context.fillStyle = dim;
        context.fillText(text, x(step) + 2, 11);
        label = x(step + length);
      }
      for (const [active, executed, steps] of run.masks) {
        const [left, size] = [x(step), Math.max(0.5, steps * scale - (scale > 3 ? 0.5 : 0))];
        for (const lane of lanesOf(active, page.width)) {
          if (bit(executed, lane) || average < 7) {
            context.fillStyle = fill(run.block);
            context.fillRect(left, y(lane), size, bar);
          } else {
            context.strokeStyle = colour(`--b${shown(run.block) % 4}`);
            context.strokeRect(left + 0.5, y(lane) + 0.5, Math.max(0.5, size - 1), bar - 1);
          }
        }
        step += steps;
      }
    }
    page.columns.forEach((column, at) => {
      const left = x(page.from + at * page.column);
      const size = Math.max(0.6, page.column * scale);
      context.fillStyle = fill(column.block);
      context.fillRect(left, 16, size, 6);
      [...column.share].forEach((digit, lane) => {
        const quarters = Math.ceil(parseInt(digit, 16) / 3.75);
        if (quarters) context.fillRect(left, y(lane) + bar * (1 - quarters / 4), size, (bar * quarters) / 4);
      });
    });
    this.paintMarks(panel, page, context, { x, y, scale, fg, error: colour("--error"), bar });
    context.restore();
    context.fillStyle = dim;
    const span = panel.state.to - panel.state.from;
    const unit = 10 ** Math.floor(Math.log10(Math.max(1, span / 4)));
    const tick = span / unit > 20 ? unit * 5 : span / unit > 8 ? unit * 2 : unit;
    context.fillText("step", 4, y(page.width) + 14);
    for (let step = Math.ceil((panel.state.from + 1) / tick) * tick; step <= panel.state.to; step += tick) {
      context.fillText(grouped(step), x(step - 0.5) - 8, y(page.width) + 14);
    }
    context.fillText("share of", width - RIGHT + 8, 20);
    context.fillText("steps", width - RIGHT + 8, 33);
    for (let lane = 0; lane < page.width; lane++) {
      context.fillStyle = rule;
      context.fillRect(width - RIGHT + 8, y(lane), 36, bar);
      context.fillStyle = fg;
      context.fillRect(width - RIGHT + 8, y(lane), (36 * page.lanes[lane]) / Math.max(1, page.steps), bar);
    }
  },

  paintMarks(panel, page, context, { x, y, fg, error, bar, scale }) {
    const signs = { diverge: "<", reconverge: ">", finding: "▲" };
    const last = {};
    for (const mark of page.marks) {
      const at = x(mark.step + (mark.kind === "reconverge" ? 0 : 1));
      context.fillStyle = mark.kind === "finding" ? error : fg;
      if (mark.kind === "barrier") {
        if (!(at - last.barrier < 3)) context.fillRect(at - 2, 26, 1, y(page.width) - 26), context.fillRect(at + 1, 26, 1, y(page.width) - 26);
        last.barrier = at;
        continue;
      }
      if (mark.kind === "finding") {
        for (const lane of (mark.lanes ?? []).flatMap((lanes) => lanesOf(lanes, page.width))) {
          context.fillRect(x(mark.step), y(lane), Math.max(2, scale), bar);
        }
      }
      if (at - last.sign < 18) continue;
      last.sign = at;
      const near = page.marks.filter((other) => other.kind === mark.kind && x(other.step) >= at - 1 && x(other.step) < at + 18);
      const count = near.reduce((sum, other) => sum + (other.count ?? 1), 0);
      context.fillText(signs[mark.kind] + (count > 1 ? count : ""), at - 4, 34);
    }
  },

  paintCursor(panel, page, context) {
    const style = getComputedStyle(panel.root);
    const { width, y, x, scale, pitch } = this.geometry(panel, page);
    const { step, lane } = panel.state;
    context.strokeStyle = style.getPropertyValue("--fg").trim();
    context.lineWidth = 2;
    context.strokeRect(x(step) - 1, TOP - 4, Math.max(3, scale), y(page.width) - TOP + 4);
    context.strokeStyle = style.getPropertyValue("--accent").trim();
    context.strokeRect(LEFT - 1, y(lane) - 1, width - LEFT - RIGHT + 2, pitch + 1);
    context.fillStyle = style.getPropertyValue("--fg").trim();
    context.font = `11px ${style.fontFamily}`;
    context.fillText(share(page.lanes[lane], page.steps), width - RIGHT + 46, y(lane) + 7);
  },
};

/** A colour with one of four hatches, so that blocks differ without colour. */
function hatch(context, colour, background, kind) {
  if (kind === 0) return colour;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const drawing = tile.getContext("2d");
  drawing.fillStyle = colour;
  drawing.fillRect(0, 0, 8, 8);
  drawing.strokeStyle = drawing.fillStyle = background;
  drawing.globalAlpha = 0.75;
  drawing.lineWidth = 1.4;
  drawing.beginPath();
  if (kind === 3) drawing.arc(4, 3, 1.2, 0, 7), drawing.fill();
  else for (const at of [-8, 0, 8]) {
    drawing.moveTo(at, kind === 1 ? 8 : 0);
    drawing.lineTo(at + 8, kind === 1 ? 0 : 8);
  }
  if (kind !== 3) drawing.stroke();
  return context.createPattern(tile, "repeat");
}
