
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
    const node = { frame, samples, own: samples, depth, parent, children: [], start: parent ? parent.start + parent.samples - parent.own : 0 };
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

  // ---- The tooltip, at the pointer or below what has the focus.
  const tip = document.getElementById("tip");
  const hideTip = () => { tip.hidden = true; };
  const showTip = (text, x, y, above) => {
    tip.hidden = false;
    tip.textContent = text;
    tip.style.left = "0";
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x, document.documentElement.clientWidth - width - 4)) + "px";
    tip.style.top = Math.max(4, y + height > innerHeight ? above - height : y) + "px";
  };

  // ---- The flame graph of a tree in an element: a box for each node that is wider than half a pixel, the root at the top. Options:
  // describe(node), the text of its tooltip, and onZoom(node).
  const flameGraph = (element, data, { describe, onZoom }) => {
    const rowHeight = 20, letterWidth = 6.6, leastWidth = .5;
    const tree = make("div");
    tree.setAttribute("role", "tree");
    tree.setAttribute("aria-label", "Flame graph");
    element.append(tree);
    let zoomed = data, focused = data, found = null, width = 0;
    let boxes = new Map();
    const nodeOf = new WeakMap();
    // The name without its outer namespaces and types where it is too long, as in FlameGraph.Label.
    const label = ({ name, kind }, room) => {
      let start = 0, brackets = 0;
      for (let i = 1; i < name.length - 1 && kind === 0 && (name.length - start) * letterWidth > room; i++) {
        brackets += "<[".includes(name[i]) ? 1 : ">]".includes(name[i]) ? -1 : 0;
        if (name[i] === "." && brackets === 0 && name[i - 1] !== ".") start = i + 1;
      }
      return name.slice(start);
    };
    const makeBox = (node, left, share) => {
      const room = share * width - 8;
      const box = make("div", "box " + node.frame.look, room > 16 ? label(node.frame, room) : "");
      if (room < 2) box.classList.add("thin");
      if (room < -5) box.classList.add("hair");
      if (node.depth < zoomed.depth) box.classList.add("above");
      if (found?.has(node.frame)) box.classList.add("found");
      box.style.left = left * 100 + "%";
      box.style.width = share * 100 + "%";
      box.style.top = node.depth * rowHeight + "px";
      box.setAttribute("role", "treeitem");
      box.setAttribute("aria-level", node.depth + 1);
      box.setAttribute("aria-label", describe(node));
      box.tabIndex = node === focused ? 0 : -1;
      boxes.set(node, box);
      nodeOf.set(box, node);
    };
    const draw = () => {
      const hadFocus = tree.contains(document.activeElement);
      boxes = new Map();
      let depth = 0;
      const ancestors = [];
      for (let node = zoomed.parent; node; node = node.parent) ancestors.unshift(node);
      for (const node of ancestors) makeBox(node, 0, 1);
      const open = [zoomed];
      while (open.length) {
        const node = open.pop();
        const share = node.samples / zoomed.samples;
        if (share * width < leastWidth) continue;
        makeBox(node, (node.start - zoomed.start) / zoomed.samples, share);
        depth = Math.max(depth, node.depth);
        for (let i = node.children.length - 1; i >= 0; i--) open.push(node.children[i]);
      }
      if (!boxes.has(focused)) {
        focused = zoomed;
        boxes.get(focused).tabIndex = 0;
      }
      tree.style.height = (depth + 1) * rowHeight + "px";
      tree.replaceChildren(...boxes.values());
      if (hadFocus) boxes.get(focused).focus({ preventScroll: true });
    };
    const zoom = node => {
      if (node === zoomed) return;
      zoomed = focused = node;
      hideTip();
      draw();
      element.scrollTop = Math.max(0, node.depth - 3) * rowHeight;
      onZoom(node);
    };
    const focus = node => {
      const box = boxes.get(node);
      if (!box) return;
      boxes.get(focused).tabIndex = -1;
      focused = node;
      box.tabIndex = 0;
      box.focus();
      box.scrollIntoView({ block: "nearest" });
    };
    const tell = (box, x, y, above) => showTip(describe(nodeOf.get(box)), x, y, above);
    const tellAtPointer = event => {
      const box = event.target.closest(".box");
      if (box) tell(box, event.clientX + 14, event.clientY + 18, event.clientY - 10); else hideTip();
    };
    tree.addEventListener("pointermove", tellAtPointer);
    tree.addEventListener("pointerdown", tellAtPointer);
    tree.addEventListener("pointerleave", hideTip);
    const tellFocused = () => {
      const box = document.activeElement;
      if (!nodeOf.has(box) || !box.matches(":focus-visible")) { hideTip(); return; }
      const { left, top, bottom } = box.getBoundingClientRect(), frame = element.getBoundingClientRect();
      if (top >= frame.top && bottom <= frame.bottom) tell(box, left, bottom + 6, top - 6); else hideTip();
    };
    tree.addEventListener("focusin", tellFocused);
    tree.addEventListener("focusout", hideTip);
    addEventListener("scroll", tellFocused, true);
    tree.addEventListener("click", event => {
      const node = nodeOf.get(event.target.closest(".box"));
      if (!node) return;
      focus(node);
      zoom(node);
    });
    tree.addEventListener("keydown", event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const siblings = focused.parent?.children ?? [focused];
      const place = siblings.indexOf(focused);
      switch (event.key) {
        case "ArrowDown": focus(focused.children[0]); break;
        case "ArrowUp": focus(focused.parent); break;
        case "ArrowLeft": focus(siblings[place - 1]); break;
        case "ArrowRight": focus(siblings[place + 1]); break;
        case "Home": focus(data); break;
        case "Enter": case " ": zoom(focused); break;
        default: return;
      }
      event.preventDefault();
    });
    new ResizeObserver(() => {
      if (!tree.clientWidth || tree.clientWidth === width) return;
      width = tree.clientWidth;
      draw();
    }).observe(tree);
    return {
      zoom,
      highlight: frames => {
        found = frames;
        tree.classList.toggle("searching", found !== null);
        boxes.forEach((box, node) => box.classList.toggle("found", found?.has(node.frame) ?? false));
      },
    };
  };

  // ---- A table of entries { frame, counts, children() }, whose rows open; the counts are shares of all samples.
  const fillTable = (table, entries) => {
    const rowsAtOnce = 100, deepest = 24;
    const shorten = text => text.length > 130 ? `${text.slice(0, 75)}…${text.slice(-50)}` : text;
    const body = table.tBodies[0];
    const states = new WeakMap(); // of rows: depth, for what to remove; open()
    const makeRow = (entry, depth, indent) => {
      const { frame } = entry;
      const row = make("tr");
      const name = make("div", "function", "", make("i", frame.look),
        make("span", "", "", make("bdi", "", shorten(frame.name)), " ", make("small", "", shorten(frame.module))));
      name.title = frame.name;
      name.style.setProperty("--indent", Math.min(indent, deepest));
      const children = entry.children?.() ?? [];
      if (entry.children) {
        const button = makeButton("", () => {
          const isOpen = button.ariaExpanded === "true";
          if (isOpen) close(row); else open(row);
        });
        button.className = "fold";
        if (children.length) {
          button.ariaExpanded = "false";
          button.ariaLabel = "Open " + frame.name;
        } else {
          button.disabled = true;
          button.ariaLabel = "Nothing below " + frame.name;
        }
        name.prepend(button);
        states.set(row, { depth, indent, children, button });
      }
      const head = make("th", "", "", name);
      head.scope = "row";
      row.append(head, ...entry.counts.map(count => {
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
    body.replaceChildren(...makeRows(entries, 0, 0));
    if (entries.length === 1 && entries[0].children) open(body.rows[0]);
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
  const listed = functions.filter(one => one.kind !== group).map(frame => ({ frame, counts: [frame.own, frame.total] }));
  const tableOf = id => document.querySelector(`#${id} table`);
  const fills = {
    functions: () => fillTable(tableOf("functions"), listed),
    calls: () => fillTable(tableOf("calls"), [called(root)]),
    callers: () => fillTable(tableOf("callers"), byFrame(all.filter(node => node.own > 0).map(node => [node, node.own]))),
  };

  const tabs = [...document.querySelectorAll("[role=tab]")];
  const select = tab => {
    for (const one of tabs) {
      one.ariaSelected = String(one === tab);
      one.tabIndex = one === tab ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
    const id = tab.getAttribute("aria-controls");
    if (!tableOf(id).tBodies[0].rows.length) fills[id]();
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
  const [pathLine, reset, search, foundText, legend] = ["path", "reset", "search", "found", "legend"].map(id => document.getElementById(id));
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
    foundText.textContent = found.size === 0
      ? "no function" : `${numbers.format(found.size)} ${found.size === 1 ? "function" : "functions"}, ${shareOf(samples, root.samples)} of samples`;
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && event.target !== search && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && event.target !== search) {
      graph.zoom(root);
    }
  });
  for (const kind of kinds.keys()) {
    if (kind !== group && functions.some(one => one.kind === kind)) legend.append(make("span", "", "", make("i", `k${kind} t3`), kinds[kind]));
  }
})();
