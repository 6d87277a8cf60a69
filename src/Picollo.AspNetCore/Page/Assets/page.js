
(() => {
  // The address that the application logs contains the token. The address bar and the history must not keep it.
  if (location.hash.startsWith("#token=")) history.replaceState(null, "", location.pathname + location.search);

  const { address, show, window: recent } = document.querySelector("main").dataset;
  const [state, usage, plots, tools, markButton, forgetButton, note] =
    ["state", "usage", "plots", "tools", "mark", "forget", "note"].map(id => document.getElementById(id));

  const updateTips = plotTooltips(plots);
  const draw = html => { plots.innerHTML = html; updateTips(); };

  // ---- Merges new tables into the old ones. Unchanged nodes keep the reader's focus and selection.
  const merge = (old, fresh) => {
    const before = [...old.childNodes];
    const after = [...fresh.childNodes];
    const same = (a, b) => b && a.nodeName === b.nodeName && a.dataset?.id === b.dataset?.id;
    if (before.length !== after.length || !before.every((node, i) => same(node, after[i]))) {
      old.replaceChildren(...after);
      return;
    }
    before.forEach((node, i) => {
      if (node.isEqualNode(after[i])) return;
      if (node.nodeType !== Node.ELEMENT_NODE) { node.data = after[i].data; return; }
      for (const { name, value } of after[i].attributes) {
        if (node.getAttribute(name) !== value) node.setAttribute(name, value);
      }
      for (const { name } of [...node.attributes]) {
        if (!after[i].hasAttribute(name) && name !== "open") node.removeAttribute(name);
      }
      merge(node, after[i]);
    });
  };

  // ---- Sorts each table with sort buttons by the column that the user chose. Without a choice, routes are sorted by CPU time, as the server sends them.
  const sorted = new Map();
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const text = (column && cell.querySelector("span") || cell).textContent; // details may precede a share
    const number = parseFloat(cell.querySelector("data")?.value ?? text.replace(/,/g, ""));
    return column === 0 ? text : Number.isNaN(number) ? -Infinity : number;
  };
  const sort = root => root.querySelectorAll("table.routes, table.histograms").forEach(table => {
    const choice = sorted.get(table.className + table.caption.firstChild.data);
    const head = choice && table.querySelector(`[data-column="${choice.column}"]`);
    if (!head) return; // a column may be absent again after a restart of the server
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const [x, y] = [keyOf(a, choice.column), keyOf(b, choice.column)];
      return (x < y ? -1 : x > y ? 1 : 0) * choice.direction;
    });
    table.tBodies[0].replaceChildren(...rows);
    head.closest("th").ariaSort = choice.direction > 0 ? "ascending" : "descending";
  });
  usage.addEventListener("click", event => {
    const head = event.target.closest("button[data-column]");
    if (!head) return;
    const table = head.closest("table");
    const column = Number(head.dataset.column);
    const key = table.className + table.caption.firstChild.data;
    const before = sorted.get(key);
    sorted.set(key, { column, direction: before?.column === column ? -before.direction : column === 0 ? 1 : -1 });
    table.querySelectorAll("th[aria-sort]").forEach(th => th.removeAttribute("aria-sort"));
    sort(usage);
  });

  // ---- The mark. The browser stores it, so that it survives a restart of the server.
  const key = "picollo-mark-" + show;
  const store = change => { try { change(sessionStorage); } catch { /* blocked or full: the mark lasts until the user leaves the page */ } };
  let mark = null;
  store(storage => { mark = storage.getItem(key); });
  let comparing = false;
  const compare = async () => {
    if (comparing) return;
    comparing = true;
    const compared = mark;
    try {
      const response = await fetch(`${address}/diff?show=${show}`, {
        method: "POST", body: compared, headers: { "Content-Type": "application/json" },
      });
      const html = await response.text();
      if (mark !== compared) return;
      if (response.ok) draw(html);
      // After a restart, a route has no row until it is requested.
      else note.textContent = response.status === 404 ? "No data since the server restarted." : `Comparing with the mark failed (status ${response.status}).`;
    } catch {
      // No connection: the event stream reports it.
    } finally {
      comparing = false;
    }
  };
  const setMark = value => {
    mark = value;
    store(storage => value ? storage.setItem(key, value) : storage.removeItem(key));
    follow();
  };
  markButton.addEventListener("click", async () => {
    try {
      const response = await fetch(`${address}/mark?show=${show}`);
      if (response.ok) setMark(await response.text());
      else note.textContent = `Setting the mark failed (status ${response.status}).`;
    } catch {
      note.textContent = "No connection.";
    }
  });
  forgetButton.addEventListener("click", () => setMark(null));
  const showTools = () => {
    tools.hidden = !show;
    forgetButton.hidden = !mark;
    note.textContent = mark
      ? "This browser tab keeps the mark until it is closed, even if the server restarts."
      : "Marks this moment. The plots then compare the values recorded before and after it.";
  };

  // ---- Takes a CPU profile, or measures waits, and opens the page of the result.
  for (const form of document.querySelectorAll(".take")) form.addEventListener("submit", async event => {
    event.preventDefault();
    const [button, status] = [form.querySelector("button"), form.querySelector("[role=status]")];
    const start = performance.now();
    const showProgress = () => {
      status.textContent = `Measuring: ${Math.round((performance.now() - start) / 1000)} s. Leaving the page cancels it.`;
    };
    const timer = setInterval(showProgress, 1000);
    showProgress();
    button.disabled = true;
    try {
      const response = await fetch(form.action, { method: "POST", redirect: "manual" });
      if (response.type === "opaqueredirect") { location.href = `?${form.id}=latest`; return; }
      status.textContent = await response.text() || `No profile was taken (status ${response.status}).`;
    } catch {
      status.textContent = "The connection was lost, so no profile was taken.";
    } finally {
      clearInterval(timer);
      button.disabled = false;
    }
  });

  // ---- The live view. It is paused while the page is hidden.
  let source = null;
  let retry = 0;
  let late = 0;
  const showState = (text, kind) => {
    if (state.textContent !== text) state.textContent = text;
    state.className = kind;
  };
  const cancelLate = () => { clearTimeout(late); late = 0; };
  const follow = () => {
    clearTimeout(retry);
    cancelLate();
    source?.close();
    source = null;
    showTools();
    if (document.hidden) { showState("paused", ""); return; }
    source = new EventSource(`${address}/events?chosen=${show}&window=${recent}` + (mark ? "" : `&show=${show}`));
    source.addEventListener("usage", event => {
      cancelLate();
      showState("live", "live");
      const fresh = document.createElement("template");
      fresh.innerHTML = event.data;
      sort(fresh.content);
      merge(usage, fresh.content);
      if (mark) compare();
      if (!show && usage.querySelector("[data-id]")) location.reload();
    });
    source.addEventListener("plots", event => { if (!mark) draw(event.data); });
    source.addEventListener("error", () => {
      // The browser reconnects automatically, as it does each minute when the stream ends, but not after a response that is not a stream.
      const isRefused = source.readyState === EventSource.CLOSED;
      if (isRefused) {
        cancelLate();
        showState("not live: the server has reached its limit of viewers, or refuses access (open the address in its log)", "late");
        retry = setTimeout(follow, 10_000);
      } else {
        late ||= setTimeout(() => showState("connecting …", "late"), 2000);
      }
    });
  };
  document.addEventListener("visibilitychange", follow);
  follow();
})();
