
(() => {
  // ---- Numbers, as in ProfileText.
  const { frequency, frames, nodes } = JSON.parse(document.getElementById("profile").textContent);
  const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
  const samplesOf = count => count === 1 ? "1 sample" : numbers.format(count) + " samples";
  const shareOf = (part, whole) => {
    const percent = whole ? 100 * part / whole : 0;
    return percent.toFixed(percent > 0 && percent < 1 ? 2 : 1) + " %";
  };
  const timeOf = count => {
    const seconds = frequency ? count / frequency : 0;
    return seconds > 0 && seconds < .1 ? numbers.format(seconds * 1000) + " ms" : numbers.format(seconds) + " s";
  };
  const kinds = ["managed", "native", "kernel", "unnamed", "group"];
  const group = 4;

  // ---- The tree. A node has its frame, its samples and own ones, and the number of samples to the left of it.
  const tintOf = name => {
    let hash = 2166136261;
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
    return hash >>> 8 & 3;
  };
  const functions = frames.map(([name, module, kind, own, total]) =>
    ({ name, module, kind, own, total, look: `k${kind} t${tintOf(name)}`, lower: name.toLowerCase() }));
  const all = [];
  const path = [];
  for (let i = 0; i < nodes.length; i += 3) {
    const [frame, samples, depth] = [functions[nodes[i]], nodes[i + 1], nodes[i + 2]];
    const parent = depth ? path[depth - 1] : null;
    const start = parent ? parent.start + parent.samples - parent.own : 0;
    const node = { frame, samples, own: samples, start, depth, parent, children: [] };
    if (parent) {
      parent.own -= samples;
      parent.children.push(node);
    }
    path[depth] = node;
    all.push(node);
  }
  const root = all[0];

  // ---- Elements.
  const make = (tag, className, text = "", ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text) element.textContent = text;
    element.append(...children);
    return element;
  };
  const makeButton = (text, action) => {
    const button = make("button", "", text);
    button.type = "button";
    button.addEventListener("click", action);
    return button;
  };

  // ---- A table of entries { frame, counts, children() }, whose rows open; the counts are shares of all samples.
  const fillTable = (table, entries) => {
    const rowsAtOnce = 100, deepest = 24;
    const shorten = text => text.length > 130 ? `${text.slice(0, 75)}…${text.slice(-50)}` : text;
    const states = new WeakMap(); // of rows
    const makeRow = (entry, depth, indent) => {
      const { frame, counts } = entry;
      const row = make("tr");
      const name = make("div", "function", "", make("i", "swatch " + frame.look),
        make("span", "", "", make("bdi", "", shorten(frame.name)), " ", make("small", "", shorten(frame.module))));
      name.title = frame.name;
      name.style.setProperty("--indent", Math.min(indent, deepest));
      if (entry.children) {
        const children = entry.children();
        const button = makeButton("", () => { if (button.ariaExpanded === "true") close(row); else open(row); });
        button.className = "fold";
        button.ariaLabel = frame.name;
        button.disabled = !children.length;
        if (children.length) button.ariaExpanded = "false";
        name.prepend(button);
        states.set(row, { depth, indent, children, button });
      }
      const head = make("th", "", "", name);
      head.scope = "row";
      row.append(head, ...counts.map(count => {
        const cell = make("td", "", "",
          make("b", "", shareOf(count, root.samples)), make("span", "", timeOf(count)), make("span", "", numbers.format(count)));
        cell.style.setProperty("--share", 100 * count / root.samples + "%");
        return cell;
      }));
      return row;
    };
    const makeRows = (entries, depth, indent) => {
      const rows = entries.slice(0, rowsAtOnce).map(entry => makeRow(entry, depth, indent));
      if (entries.length > rowsAtOnce) {
        const more = make("tr", "", "", make("td", "more"));
        more.firstChild.colSpan = table.tHead.rows[0].cells.length;
        more.firstChild.append(makeButton(`Show more of ${numbers.format(entries.length)}`, () => {
          const next = makeRows(entries.slice(rowsAtOnce), depth, indent);
          more.replaceWith(...next);
          next[0].querySelector("button")?.focus();
        }));
        states.set(more, { depth });
        rows.push(more);
      }
      return rows;
    };
    // A path without branches opens at once, and is not indented.
    const open = row => {
      for (let next = row; next;) {
        const { depth, indent, children, button } = states.get(next);
        if (!children.length) break;
        button.ariaExpanded = "true";
        const rows = makeRows(children, depth + 1, children.length > 1 ? indent + 1 : indent);
        next.after(...rows);
        next = rows.length === 1 ? rows[0] : null;
      }
    };
    const close = row => {
      const { depth, button } = states.get(row);
      button.ariaExpanded = "false";
      while (row.nextSibling && states.get(row.nextSibling).depth > depth) row.nextSibling.remove();
    };
    table.tBodies[0].append(...makeRows(entries, 0, 0));
    if (entries.length === 1 && entries[0].children) open(table.tBodies[0].rows[0]);
  };

  // ---- The three tables: functions; calls; and callers of own samples.
  const called = node => ({ frame: node.frame, counts: [node.own, node.samples], children: () => node.children.map(called) });
  const byFrame = pairs => {
    const groups = new Map();
    for (const [node, count] of pairs) {
      const entry = groups.get(node.frame) ?? { frame: node.frame, counts: [0], pairs: [] };
      entry.counts[0] += count;
      entry.pairs.push([node, count]);
      groups.set(node.frame, entry);
    }
    return [...groups.values()].sort((a, b) => b.counts[0] - a.counts[0]).map(({ frame, counts, pairs }) => ({
      frame, counts, children: () => byFrame(pairs.map(([node, count]) => [node.parent, count]).filter(([node]) => node && node !== root)),
    }));
  };
  const entriesOf = {
    functions: () => functions.filter(one => one.kind !== group).map(frame => ({ frame, counts: [frame.own, frame.total] })),
    calls: () => [called(root)],
    callers: () => byFrame(all.filter(node => node.own > 0).map(node => [node, node.own])),
  };

  const tabs = [...document.querySelectorAll("[role=tab]")];
  const select = tab => {
    for (const one of tabs) {
      one.ariaSelected = String(one === tab);
      one.tabIndex = one === tab ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
    const id = tab.getAttribute("aria-controls");
    const table = document.querySelector(`#${id} table`);
    if (!table.tBodies[0].rows.length) fillTable(table, entriesOf[id]());
  };
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      next.focus();
      select(next);
    });
  }
  select(tabs[0]);

  // ---- The page: zoom, path and search.
  const [pathLine, reset, search, foundText, legend] =
    ["path", "reset", "search", "found", "legend"].map(id => document.getElementById(id));
  const showPath = node => {
    reset.disabled = node === root;
    if (node === root) {
      pathLine.replaceChildren(
        make("span", "", "Click a function to zoom."), make("span", "keys", "Keys: arrows move, Enter zooms, Escape resets, / searches."));
      return;
    }
    const callers = [];
    for (let caller = node.parent; caller; caller = caller.parent) callers.unshift(caller);
    const shown = callers.length > 4 ? [callers[0], null, ...callers.slice(-2)] : callers;
    pathLine.replaceChildren(
      ...shown.map(one => one ? makeButton(one.frame.name, () => graph.zoom(one)) : make("span", "", "…")),
      make("b", "", node.frame.name), make("span", "", `${shareOf(node.samples, root.samples)} of samples`));
  };
  const graph = flameGraph(document.getElementById("graph"), root, {
    describe: ({ frame, samples, own }) =>
      `${frame.name}\n${frame.module ? frame.module + ", " : ""}${kinds[frame.kind]}\n`
      + `${samplesOf(samples)}, ${shareOf(samples, root.samples)}, ${timeOf(samples)}\n`
      + `own: ${samplesOf(own)}, ${shareOf(own, root.samples)}, ${timeOf(own)}`,
    onZoom: showPath,
  });
  showPath(root);
  reset.addEventListener("click", () => graph.zoom(root));
  search.addEventListener("input", () => {
    const text = search.value.toLowerCase();
    const found = text ? new Set(functions.filter(one => one.lower.includes(text))) : null;
    graph.highlight(found);
    if (!found) { foundText.textContent = ""; return; }
    // The samples of the outermost matches: each sample counts once.
    let samples = 0;
    const open = [root];
    while (open.length) {
      const node = open.pop();
      if (found.has(node.frame)) samples += node.samples; else open.push(...node.children);
    }
    const count = found.size === 1 ? "1 function" : numbers.format(found.size) + " functions";
    foundText.textContent = found.size ? `${count}, ${shareOf(samples, root.samples)} of samples` : "no function";
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && event.target !== search && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && event.target !== search) {
      graph.zoom(root);
    }
  });
  for (let kind = 0; kind < group; kind++) {
    if (!functions.some(one => one.kind === kind)) continue;
    legend.append(make("span", "", "", make("i", `swatch k${kind} t3`), kinds[kind]));
  }
})();
