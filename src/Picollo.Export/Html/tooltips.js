
// Shows a plot's values at the pointer, in the element #tip, instead of in the browser's tooltips. The argument is the element that
// contains the plots. Returns a function that must be called after the plots have been redrawn.
const plotTooltips = plots => {
  const tip = document.getElementById("tip");
  const texts = new WeakMap();
  let pointer = null;
  let strip = null;
  const takeTitles = () => {
    for (const title of plots.querySelectorAll("rect > title")) {
      texts.set(title.parentNode, title.textContent);
      title.remove();
    }
    // The accessible name is also in aria-label. The tooltip of this title would cover ours.
    for (const title of plots.querySelectorAll("svg > title")) title.remove();
  };
  const show = () => {
    const target = pointer && document.elementFromPoint(pointer.x, pointer.y);
    const text = target && texts.get(target);
    if (strip) strip.setAttribute("fill-opacity", "0");
    strip = text ? target : null;
    tip.hidden = !text;
    if (!text) return;
    strip.setAttribute("fill-opacity", ".15");
    tip.textContent = text;
    tip.style.left = "0";
    const { width, height } = tip.getBoundingClientRect();
    const below = pointer.y + 18;
    tip.style.left = Math.max(4, Math.min(pointer.x + 14, document.documentElement.clientWidth - width - 4)) + "px";
    tip.style.top = Math.max(4, below + height > innerHeight ? pointer.y - height - 10 : below) + "px";
  };
  const point = event => { pointer = { x: event.clientX, y: event.clientY }; show(); };
  const leave = () => { pointer = null; show(); };
  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", point);
  document.documentElement.addEventListener("pointerleave", leave);
  addEventListener("scroll", leave);
  takeTitles();
  return () => { takeTitles(); show(); };
};
