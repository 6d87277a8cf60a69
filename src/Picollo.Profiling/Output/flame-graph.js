
// Shows a tree as a flame graph in an element: a box for each node that is wider than half a pixel, the root at the top, with tooltips in
// the element #tip. A node has width, start (the position of its left edge), depth, parent, children, look (the classes of its color),
// and frame (name and kind). Options: describe(node), which returns the text of its tooltip, and onZoom(node), a callback. Returns the
// functions show(root), zoom(node), and highlight(frames), whose argument is a set or null.
const flameGraph = (element, { describe, onZoom }) => {
  const rowHeight = 20, letterWidth = 6.6, minWidth = .5;
  const tree = document.createElement("div");
  tree.setAttribute("role", "tree");
  tree.setAttribute("aria-label", "Flame graph");
  element.append(tree);
  let root = null, zoomed = null, focused = null, found = null, width = 0;
  let boxes = new Map();
  const nodeOf = new WeakMap();
  // Shows the tooltip of a box.
  const tip = document.getElementById("tip");
  const showTip = (box, x, y, above) => {
    const node = nodeOf.get(box);
    tip.hidden = !node;
    if (!node) return;
    tip.textContent = describe(node);
    tip.style.left = "0";
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x, document.documentElement.clientWidth - width - 4)) + "px";
    tip.style.top = Math.max(4, y + height > innerHeight ? above - height : y) + "px";
  };
  const hideTip = () => { tip.hidden = true; };
  // Omits the outer namespaces and types if the name is too long, as FlameGraph.Label does.
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
    const box = document.createElement("div");
    box.className = "box " + node.look;
    if (room > 16) box.textContent = label(node.frame, room);
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
    box.tabIndex = -1;
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
      const share = node.width / zoomed.width;
      if (share * width < minWidth) continue;
      makeBox(node, (node.start - zoomed.start) / zoomed.width, share);
      depth = Math.max(depth, node.depth);
      for (let i = node.children.length - 1; i >= 0; i--) open.push(node.children[i]);
    }
    if (!boxes.has(focused)) focused = zoomed;
    boxes.get(focused).tabIndex = 0;
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
  const focus = node => boxes.get(node)?.focus();
  const showTipAtPointer = event => showTip(event.target.closest(".box"), event.clientX + 14, event.clientY + 18, event.clientY - 10);
  const showTipForFocus = () => {
    const box = document.activeElement, frame = element.getBoundingClientRect();
    const { left, top, bottom } = box.getBoundingClientRect();
    const isSeen = box.matches(":focus-visible") && top >= frame.top && bottom <= frame.bottom;
    showTip(isSeen ? box : null, left, bottom + 6, top - 6);
  };
  for (const type of ["pointermove", "pointerdown"]) tree.addEventListener(type, showTipAtPointer);
  for (const type of ["pointerleave", "focusout"]) tree.addEventListener(type, hideTip);
  tree.addEventListener("focusin", ({ target }) => {
    boxes.get(focused).tabIndex = -1;
    target.tabIndex = 0;
    focused = nodeOf.get(target);
    showTipForFocus();
  });
  addEventListener("scroll", showTipForFocus, true);
  tree.addEventListener("click", event => {
    const node = nodeOf.get(event.target.closest(".box"));
    if (!node) return;
    focus(node);
    zoom(node);
  });
  tree.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const siblings = focused.parent?.children ?? [focused];
    const index = siblings.indexOf(focused);
    switch (event.key) {
      case "ArrowDown": focus(focused.children[0]); break;
      case "ArrowUp": focus(focused.parent); break;
      case "ArrowLeft": focus(siblings[index - 1]); break;
      case "ArrowRight": focus(siblings[index + 1]); break;
      case "Home": focus(root); break;
      case "Enter": case " ": zoom(focused); break;
      default: return;
    }
    event.preventDefault();
  });
  new ResizeObserver(() => {
    if (!tree.clientWidth || tree.clientWidth === width) return;
    width = tree.clientWidth;
    if (root) draw();
  }).observe(tree);
  return {
    show: node => {
      root = zoomed = focused = node;
      hideTip();
      width = tree.clientWidth;
      if (width) draw();
      element.scrollTop = 0;
    },
    zoom,
    highlight: frames => {
      found = frames;
      tree.classList.toggle("searching", found !== null);
      boxes.forEach((box, node) => box.classList.toggle("found", found?.has(node.frame) ?? false));
    },
  };
};
