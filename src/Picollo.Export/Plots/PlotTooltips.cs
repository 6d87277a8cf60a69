namespace Picollo.Export.Plots;

/// <summary>The style and script that show a plot's values at the pointer instead of in the browser's tooltips. The page must have an
/// element <c>#tip</c> and the colors <c>--ground</c>, <c>--text</c> and <c>--rule</c>.</summary>
internal static class PlotTooltips
{
    public static string Style { get; } =
        """

        #tip { position: fixed; left: 0; top: 0; max-width: 90vw; padding: 4px 8px; border: 1px solid var(--rule); border-radius: 4px;
          background: var(--ground); color: var(--text); font-size: .8125em; white-space: pre-wrap; overflow-wrap: anywhere;
          pointer-events: none; }
        #tip[hidden] { display: none; }

        """.ReplaceLineEndings("\n");

    /// <summary>Defines <c>plotTooltips(plots)</c>. Its argument is the element that contains the plots. It returns a function that must be
    /// called after the plots have been redrawn.</summary>
    public static string Script { get; } =
        """

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

        """.ReplaceLineEndings("\n");
}
