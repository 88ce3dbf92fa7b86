// The source of a page without a server: the answers that the program wrote into it.
(function () {
  const data = JSON.parse(document.getElementById("warplens-data").textContent);
  const statements = data.statements ?? [];
  /** By step, the number of the visit; by statement, the steps of its visits. */
  const visits = [];
  const steps = new Map();
  (data.steps ?? []).forEach((statement, step) => {
    const all = steps.get(statement) ?? steps.set(statement, []).get(statement);
    all.push(step);
    visits.push(all.length);
  });
  const missing = (what) => new Error(data.moments.count === 0 ? `The ${what} of steps are not recorded for this run.` : `The report has no ${what} of this step: it has those of ${data.moments.count} of `
    + `${data.timeline.steps} steps. Open the file in an editor with Warplens to see all.`);
  const answers = {
    timeline: () => data.timeline,
    graph: () => data.graph,
    registers: ({ step }) => {
      const answer = data.moments.registers[step];
      if (!answer) throw missing("registers");
      return answer;
    },
    accesses: ({ step }) => {
      const answer = data.moments.accesses[step];
      return { requests: answer ?? [], worst: data.worst };
    },
    buffers: ({ name, element }) => {
      if (name === undefined) return data.buffers;
      if (element !== undefined) return { element: data.writers[`${name} ${element}`] };
      return { ...data.buffers, page: data.pages[name] };
    },
  };
  const source = {
    ...data.header,
    lines: data.lines,
    request: async (method, params) => answers[method](params),
    moment(step) {
      const statement = data.steps?.[step];
      if (statement === undefined) return null;
      return { line: statements[statement], visit: visits[step], visits: steps.get(statement).length };
    },
    visit(step, by) {
      const statement = data.steps?.[step];
      return statement === undefined ? null : steps.get(statement)[visits[step] - 1 + by];
    },
  };
  new Panel(document.getElementById("warplens-panel"), source, { step: data.step ?? 0 }).start();
})();
