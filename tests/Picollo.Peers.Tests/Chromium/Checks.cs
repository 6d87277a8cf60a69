namespace Picollo.Peers.Tests.Chromium;

/// <summary>Expressions that find layout and contrast problems.</summary>
internal static class Checks
{
    // The parts of a color, and the luminance of its first three, as defined by WCAG 2.2.
    private const string Luminance =
        """
        const parse = color => color.match(/[\d.]+/g).map(Number);
        const luminance = color => {
          const [r, g, b] = color.map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
          return .2126 * r + .7152 * g + .0722 * b + .05;
        };
        """;

    /// <summary>Returns texts that are not within their plot.</summary>
    public const string OverflowingElements =
        """
        [...document.querySelectorAll("figure svg text")].filter(text => {
          const box = text.ownerSVGElement.getBoundingClientRect(), own = text.getBoundingClientRect();
          return own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1;
        }).map(text => text.textContent)
        """;

    /// <summary>Returns texts of a plot that overlap by more than the empty space above and below letters.</summary>
    public const string OverlappingTexts =
        """
        [...document.querySelectorAll("figure svg")].flatMap(svg => {
          const texts = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
          return texts.flatMap(([a, one], i) => texts.slice(i + 1)
            .filter(([, other]) => one.left < other.right && other.left < one.right
              && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > one.height * .45)
            .map(([b]) => a + " over " + b));
        })
        """;

    /// <summary>Returns the contrast of an element's text with the page, as defined by WCAG 2.2.</summary>
    public static string ContrastOf(string selector) =>
        $$"""
        (() => {
          {{Luminance}}
          const a = luminance(parse(getComputedStyle(document.querySelector("{{selector}}")).color));
          const b = luminance(parse(getComputedStyle(document.body).backgroundColor));
          return Math.max(a, b) / Math.min(a, b);
        })()
        """;

    /// <summary>Returns colors of plot lines that have less contrast with the page than required.</summary>
    public static string FaintLines(double contrast) =>
        $$"""
        (() => {
          {{Luminance}}
          const ground = luminance(parse(getComputedStyle(document.body).backgroundColor));
          return [...document.querySelectorAll("figure svg path[fill=none]")].map(line => getComputedStyle(line).stroke).filter(color => {
            const own = luminance(parse(color));
            return Math.max(own, ground) / Math.min(own, ground) < {{contrast.ToString(System.Globalization.CultureInfo.InvariantCulture)}};
          });
        })()
        """;

    /// <summary>Returns elements that overflow the page or their boxes, and letters that are too small to read.</summary>
    public const string Faults =
        """
        (() => {
          const faults = [];
          if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is " + document.documentElement.scrollWidth + " wide");
          for (const one of document.querySelectorAll("h1, h2, p, dd, dt, th, td, a, bdi, button, small, figcaption, figure svg text")) {
            const box = one.getBoundingClientRect();
            if (box.width === 0 || (innerWidth > 1180 && one.closest(".table"))) continue; // a wide table scrolls in its box
            if (box.left < -1 || box.right > innerWidth + 1) faults.push("out of the page: " + one.textContent.slice(0, 60));
            if (!one.closest("svg") && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0) faults.push("out of its box: " + one.textContent.slice(0, 60));
            const size = one.closest("svg") ? box.height : parseFloat(getComputedStyle(one).fontSize);
            if (size < 10) faults.push("small: " + one.textContent.slice(0, 60));
          }
          for (const row of document.querySelectorAll("tbody tr")) {
            const own = [...row.children].map(cell => [cell, cell.getBoundingClientRect()]);
            own.forEach(([a, one], i) => own.slice(i + 1).forEach(([b, other]) => {
              if (one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1) {
                faults.push(a.textContent.slice(0, 40) + " over " + b.textContent.slice(0, 40));
              }
            }));
          }
          return faults;
        })()
        """;

    /// <summary>Returns elements whose letters have less contrast with their background than WCAG 2.2, 1.4.3, requires, and the contrast.</summary>
    public const string FaintTexts =
        $$"""
        (() => {
          const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          // Computes how a color looks on a background, for any syntax, including color-mix().
          const painted = new Map();
          const paint = (...colors) => {
            const key = colors.join();
            if (!painted.has(key)) {
              for (const color of colors) { context.fillStyle = color; context.fillRect(0, 0, 1, 1); }
              painted.set(key, [...context.getImageData(0, 0, 1, 1).data]);
            }
            return painted.get(key);
          };
          {{Luminance}}
          const known = new Map(); // the backgrounds of a box and of those around it
          const grounds = box => {
            if (box && !known.has(box)) known.set(box, [...grounds(box.parentElement), getComputedStyle(box).backgroundColor]);
            return box ? known.get(box) : [];
          };
          return [...document.querySelectorAll("body *")].filter(one => one.checkVisibility() && !one.disabled && !one.querySelector("*") && one.textContent.trim()).map(one => {
            const colors = grounds(one), own = luminance(paint(...colors, getComputedStyle(one).color)), ground = luminance(paint(...colors));
            return [one.textContent.slice(0, 40), Math.max(own, ground) / Math.min(own, ground)];
          }).filter(([, contrast]) => !(contrast >= 4.5)).map(([text, contrast]) => `${text}: ${contrast}`);
        })()
        """;

    /// <summary>Returns names in the boxes of a picture that have less contrast than WCAG 2.2, 1.4.3, requires.</summary>
    public const string FaintNames =
        $$"""
        (() => {
          {{Luminance}}
          const ground = parse(getComputedStyle(document.documentElement).backgroundColor);
          return [...document.querySelectorAll(".name")].map(text => {
            const look = getComputedStyle(text.previousElementSibling), fill = parse(look.fill), share = Number(look.fillOpacity);
            const behind = luminance(ground.slice(0, 3).map((c, i) => c + (fill[i] - c) * share)), own = luminance(parse(getComputedStyle(text).fill));
            return [text.textContent, Math.max(own, behind) / Math.min(own, behind)];
          }).filter(([, contrast]) => !(contrast >= 4.5)).map(([text, contrast]) => `${text}: ${contrast}`);
        })()
        """;
}
