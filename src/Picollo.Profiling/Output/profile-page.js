
(() => {
  // ---- Numbers, as in Quantity and ProfileText. A profile has one count of samples; a difference has two: before and after. A count can be in
  // another unit than samples.
  const { isDifference, frames: frameData, parts } = JSON.parse(document.getElementById("profile").textContent);
  const sides = isDifference ? 2 : 1;
  const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
  const samplesOf = count => count === 1 ? "1 sample" : numbers.format(count) + " samples";
  const percentOf = (part, whole) => whole ? 100 * part / whole : 0;
  const shareOf = (part, whole) => {
    const percent = percentOf(part, whole);
    return percent.toFixed(percent > 0 && percent < .995 ? 2 : 1) + " %";
  };
  const threeDigits = new Intl.NumberFormat("en-US", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
  const scaled = (value, step, names) => {
    let unit = 0;
    for (; value >= step - .5 && unit < names.length - 1; unit++) value /= step;
    const isWhole = value >= 999.5 || unit === 0 && Number.isInteger(value);
    return (isWhole ? numbers.format(Math.round(value)) : threeDigits.format(value)) + " " + names[unit];
  };
  const timeOf = (count, side) => scaled(count / units[side].perSecond * 1e9, 1000, ["ns", "µs", "ms", "s"]);
  // A number in the unit of the profile, as in ProfileText.Amount.
  const amountOf = (count, side = 0) => {
    const { name } = units[side];
    return name === "samples" ? samplesOf(count) : name === "nanoseconds" ? timeOf(count, side)
      : name === "bytes" ? scaled(count, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])
      : numbers.format(count) + (name === "count" ? "" : " " + name);
  };
  const hasIntervals = () => units.every(unit => unit.samples !== null);
  const isSampled = () => units[0].name === "samples" && units[0].perSecond > 0;
  const pointsOf = points => {
    const digits = Math.abs(points).toFixed(2);
    return (digits === "0.00" ? "" : points > 0 ? "+" : "−") + digits;
  };
  // The change of a share in points, with its 95 % confidence interval, as in ShareChange.
  const changeOf = ([before, after]) => {
    const points = percentOf(after, total[1]) - percentOf(before, total[0]);
    if (!total[0] || !total[1]) return { points, low: -100, high: 100, mayBeRandom: true };
    const [size, sizeAfter] = units.map(unit => unit.samples);
    if (!hasIntervals()) return { points, low: null, high: null, mayBeRandom: false };
    const [n, m] = [size + 2, sizeAfter + 2];
    const [p, q] = [(before / total[0] * size + 1) / n, (after / total[1] * sizeAfter + 1) / m];
    const margin = 195.9963984540054 * Math.sqrt(p * (1 - p) / n + q * (1 - q) / m);
    const [low, high] = [Math.max(100 * (q - p) - margin, -100), Math.min(100 * (q - p) + margin, 100)];
    return { points, low, high, mayBeRandom: low <= 0 && high >= 0 };
  };
  const intervalOf = ({ low, high }) => low === null ? "unknown" : `${pointsOf(low)} to ${pointsOf(high)}`;
  const widthOf = counts => {
    if (!isDifference) return counts[0];
    const shares = counts.map((count, i) => total[i] ? count / total[i] : 0);
    return (shares[0] + shares[1]) / 2;
  };
  const rankOf = counts => isDifference ? Math.abs(changeOf(counts).points) : counts[0];
  const add = (counts, others, sign = 1) => counts.map((count, i) => count + sign * others[i]);
  const describeShare = counts => isDifference
    ? `${shareOf(counts[0], total[0])} before, ${shareOf(counts[1], total[1])} after`
    : shareOf(counts[0], total[0]) + (units[0].name === "samples" ? " of samples" : " of the total");
  const describeCounts = counts => {
    if (!isDifference) return `${amountOf(counts[0])}, ${shareOf(counts[0], total[0])}${isSampled() ? ", " + timeOf(counts[0], 0) : ""}`;
    const change = changeOf(counts);
    return counts.map((count, i) => `${shareOf(count, total[i])} ${["before", "after"][i]} (${amountOf(count, i)})`).join(", ")
      + `\nchange: ${pointsOf(change.points)} points (95 %: ${intervalOf(change)})${change.mayBeRandom ? ", may be random" : ""}`;
  };
  const kinds = ["managed", "native", "kernel", "unnamed", "group"];
  const group = 4;

  // ---- Colors: by the kind and name of a function or, in a difference, by the change of the share, as in ProfileText.StepOf.
  const tintOf = name => {
    let hash = 2166136261;
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
    return hash >>> 8 & 3;
  };
  const frames = frameData.map(([name, module, kind]) =>
    ({ name, module, kind, look: `k${kind} t${tintOf(name)}`, lower: name.toLowerCase() }));
  const steps = [["less", 3, "less: 5 points or more"], ["less", 2, "less: 1 to 5"], ["less", 1, "less: below 1 point"],
    ["k4", 0, null], ["more", 1, "more: below 1 point"], ["more", 2, "more: 1 to 5"], ["more", 3, "more: 5 points or more"]];
  const lookOf = (frame, counts) => {
    if (!isDifference) return frame.look;
    const { points, mayBeRandom } = changeOf(counts);
    if (mayBeRandom || points === 0) return "k4 s0";
    return `${points > 0 ? "more" : "less"} s${Math.abs(points) < 1 ? 1 : Math.abs(points) < 5 ? 2 : 3}`;
  };

  // ---- The selected part. A node has its frame, its counts and own counts, its width, and the position of its left edge.
  let units, total, functions, all, root, used;
  const load = part => {
    units = part.units.map(([name, perSecond, samples]) => ({ name, perSecond, samples }));
    total = part.nodes.slice(1, 1 + sides);
    functions = [];
    const step = 1 + 2 * sides;
    for (let i = 0; i < part.functions.length; i += step) {
      const [own, counts] = [part.functions.slice(i + 1, i + 1 + sides), part.functions.slice(i + 1 + sides, i + step)];
      functions.push({ frame: frames[part.functions[i]], own, counts });
    }
    all = [];
    const path = [];
    for (let i = 0; i < part.nodes.length; i += 2 + sides) {
      const [frame, counts, depth] = [frames[part.nodes[i]], part.nodes.slice(i + 1, i + 1 + sides), part.nodes[i + 1 + sides]];
      const parent = depth ? path[depth - 1] : null;
      const width = widthOf(counts);
      const node = { frame, counts, own: counts, width, start: parent?.next ?? 0, next: parent?.next ?? 0, depth, parent, children: [],
        look: lookOf(frame, counts) };
      if (parent) {
        parent.own = add(parent.own, counts, -1);
        parent.next += width;
        parent.children.push(node);
      }
      path[depth] = node;
      all.push(node);
    }
    root = all[0];
    used = new Set([...functions, ...all].map(one => one.frame));
  };

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

  // ---- A table of entries { frame, cells, look, children() }, whose rows can be expanded.
  const extra = "extra"; // columns that are hidden on a narrow page
  const fillTable = (table, columns, entries) => {
    const rowsAtOnce = 100, deepest = 24;
    const shorten = text => text.length > 130 ? `${text.slice(0, 75)}…${text.slice(-50)}` : text;
    const states = new WeakMap(); // of rows
    const makeRow = (entry, depth, indent) => {
      const { frame, cells, look } = entry;
      const row = make("tr");
      const name = make("div", "function", "", make("i", "swatch " + look),
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
      row.append(head, ...cells);
      return row;
    };
    const makeRows = (entries, depth, indent) => {
      const rows = entries.slice(0, rowsAtOnce).map(entry => makeRow(entry, depth, indent));
      if (entries.length > rowsAtOnce) {
        const more = make("tr", "", "", make("td", "more"));
        more.firstChild.colSpan = 2; // the number of columns on a narrow page
        more.firstChild.append(makeButton(`Show more (${numbers.format(entries.length - rowsAtOnce)} left)`, () => {
          const next = makeRows(entries.slice(rowsAtOnce), depth, indent);
          more.replaceWith(...next);
          next[0].querySelector("button")?.focus();
        }));
        states.set(more, { depth });
        rows.push(more);
      }
      return rows;
    };
    // A path without branches is expanded completely, and is not indented.
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
    const heads = columns.map(([name, ...details]) => {
      const head = make("th", details.includes(extra) ? extra : "", "", make("b", "", name),
        ...details.filter(detail => detail !== extra).map(detail => make("span", "", detail)));
      head.scope = "col";
      return head;
    });
    table.tHead.rows[0].replaceChildren(table.tHead.rows[0].cells[0], ...heads);
    table.tBodies[0].append(...makeRows(entries, 0, 0));
    if (entries.length === 1 && entries[0].children) open(table.tBodies[0].rows[0]);
  };

  // ---- The three tables: functions, callees, and callers of functions with own samples. Cells show a count, or a change and two shares.
  const shareCell = (count, whole, ...details) => {
    const cell = make("td", "", "", make("b", "", shareOf(count, whole)), ...details.map(detail => make("span", "", detail)));
    cell.style.setProperty("--share", percentOf(count, whole) + "%");
    return cell;
  };
  const columnUnits = () => isSampled() ? ["time", "samples"] : [units[0].name === "nanoseconds" ? "time" : units[0].name];
  const cellsOf = counts => {
    if (!isDifference) return [shareCell(counts[0], total[0], ...columnUnits().map(unit => unit === "time" ? timeOf(counts[0], 0) : numbers.format(counts[0])))];
    const change = changeOf(counts);
    return [make("td", change.mayBeRandom ? "change chance" : "change", "",
      make("b", "", (change.mayBeRandom ? "~ " : "") + pointsOf(change.points)), make("span", "", intervalOf(change))), ...sharesOf(counts)];
  };
  const sharesOf = counts => counts.map((count, i) => shareCell(count, total[i]));
  const extraCellsOf = counts => {
    const cells = isDifference ? sharesOf(counts) : cellsOf(counts);
    if (isDifference) cells.forEach(cell => cell.classList.add(extra));
    return cells;
  };
  const columnsFor = (first, second) => isDifference
    ? [[`${first} change`, "95 % interval"], [`${first} before`], [`${first} after`],
      ...second ? [[`${second} before`, extra], [`${second} after`, extra]] : []]
    : [first, second].filter(name => name).map(name => [name, ...columnUnits()]);
  const columnsOf = {
    functions: () => columnsFor("Own", "Total"),
    calls: () => isDifference ? columnsFor("Total", "Own") : columnsFor("Own", "Total"),
    callers: () => columnsFor("Own"),
  };
  const called = node => ({
    frame: node.frame,
    look: node.look,
    cells: isDifference ? [...cellsOf(node.counts), ...extraCellsOf(node.own)] : [...cellsOf(node.own), ...cellsOf(node.counts)],
    children: () => node.children.map(called),
  });
  const byFrame = pairs => {
    const groups = new Map();
    for (const [node, counts] of pairs) {
      const entry = groups.get(node.frame) ?? { frame: node.frame, counts: counts.map(() => 0), pairs: [] };
      entry.counts = add(entry.counts, counts);
      entry.pairs.push([node, counts]);
      groups.set(node.frame, entry);
    }
    return [...groups.values()].sort((a, b) => rankOf(b.counts) - rankOf(a.counts)).map(({ frame, counts, pairs }) => ({
      frame,
      look: lookOf(frame, counts),
      cells: cellsOf(counts),
      children: () => byFrame(pairs.map(([node, counts]) => [node.parent, counts]).filter(([node]) => node && node !== root)),
    }));
  };
  const entriesOf = {
    functions: () => functions.map(({ frame, own, counts }) =>
      ({ frame, look: lookOf(frame, own), cells: [...cellsOf(own), ...extraCellsOf(counts)] })),
    calls: () => [called(root)],
    callers: () => byFrame(all.filter(node => node.own.some(count => count > 0)).map(node => [node, node.own])),
  };

  const tabs = [...document.querySelectorAll("[role=tab]")];
  let selected = tabs[0];
  const select = tab => {
    selected = tab;
    for (const one of tabs) {
      one.ariaSelected = String(one === tab);
      one.tabIndex = one === tab ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
    const id = tab.getAttribute("aria-controls");
    const table = document.querySelector(`#${id} table`);
    if (!table.tBodies[0].rows.length) fillTable(table, columnsOf[id](), entriesOf[id]());
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
      make("b", "", node.frame.name), make("span", "", describeShare(node.counts)));
  };
  const graph = flameGraph(document.getElementById("graph"), {
    describe: ({ frame, counts, own }) =>
      `${frame.name}\n${frame.module ? frame.module + ", " : ""}${kinds[frame.kind]}\n${describeCounts(counts)}\nown: ${describeCounts(own)}`,
    onZoom: showPath,
  });
  const showFound = () => {
    const text = search.value.toLowerCase();
    const found = text ? new Set([...used].filter(one => one.lower.includes(text))) : null;
    graph.highlight(found);
    if (!found) { foundText.textContent = ""; return; }
    // The samples of the outermost matches: each sample counts once.
    let counts = total.map(() => 0);
    const open = [root];
    while (open.length) {
      const node = open.pop();
      if (found.has(node.frame)) counts = add(counts, node.counts); else open.push(...node.children);
    }
    const count = found.size === 1 ? "1 function" : numbers.format(found.size) + " functions";
    foundText.textContent = found.size ? `${count}, ${describeShare(counts)}` : "no matches";
  };
  reset.addEventListener("click", () => graph.zoom(root));
  search.addEventListener("input", showFound);
  document.addEventListener("keydown", event => {
    if (event.key === "/" && event.target !== search && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && event.target !== search) {
      graph.zoom(root);
    }
  });

  // ---- The parts. The fragment of the address names the part to show.
  const [choice, facts, notes, none] = ["part", "facts", "notes", "none"].map(id => document.getElementById(id));
  const views = [...document.querySelectorAll("main > section")];
  const showHead = part => {
    facts.replaceChildren(...part.facts.map(([name, value, detail]) => {
      const number = make("dd", "", value);
      if (detail) number.append(" ", make("small", "", detail));
      return make("div", "", "", make("dt", "", name), number);
    }));
    notes.replaceChildren(...part.notes.map(note => make("li", "", note)));
    none.replaceChildren(make("b", "", "No samples."), " " + part.noSamplesReason);
    none.hidden = !part.noSamplesReason;
    views.forEach(view => { view.hidden = !none.hidden; });
  };
  const show = part => {
    load(part);
    if (choice) showHead(part);
    const looks = isDifference ? steps.map(([hue, strength, name]) => [`${hue} s${strength}`, name ?? (hasIntervals() ? "may be random" : "equal")])
      : kinds.map((name, kind) => [`k${kind} t3`, name]).filter((_, kind) => kind < group && [...used].some(one => one.kind === kind));
    legend.replaceChildren(...looks.map(([look, name]) => make("span", "", "", make("i", "swatch " + look), name)));
    for (const body of document.querySelectorAll("tbody")) body.replaceChildren();
    graph.show(root);
    showPath(root);
    showFound();
    select(selected);
  };
  const showNamed = () => {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { /* not a fragment of this page */ }
    const index = Math.max(0, parts.findIndex(part => part.name === name));
    if (choice) choice.value = index;
    show(parts[index]);
  };
  if (choice) {
    choice.addEventListener("change", () => { location.hash = encodeURIComponent(parts[choice.value].name); });
    addEventListener("hashchange", showNamed);
  }
  if (isDifference) {
    document.querySelector(".tables").classList.add("changes");
    for (const text of document.querySelectorAll(".tables p")) {
      text.append(" Shares are in percent of each profile, changes in points. ~ marks a change that may be random.");
    }
  }
  showNamed();
})();
