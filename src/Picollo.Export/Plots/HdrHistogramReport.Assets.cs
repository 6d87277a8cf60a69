namespace Picollo.Export.Plots;

/// <content>The style and the script of the page.</content>
internal static partial class HdrHistogramReport
{
    private const string StyleHash = "sha256-L7IJGEUm1BDxgwAb/y1fQ3z5vALa28N4646JDWQXlAA=";
    private const string ScriptHash = "sha256-FNRKbTGqvmDPTdAhmNvUaIucyTY9kLwVFfIl62CaAdg=";

    public static string Style { get; } = PlotTooltips.Style + PlotPalette.DarkStyle + PlotPalette.PageStyle +
        """
        body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.4 system-ui, sans-serif; }
        main { max-width: 1180px; margin: 0 auto; padding: 12px; }
        h1 { margin: 0 0 12px; font-size: 1.4em; overflow-wrap: anywhere; }
        .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 20px; }
        .plots > * { min-width: 0; }
        figure { margin: 0; }
        figcaption, caption { font-weight: 600; text-align: left; padding: 2px 6px; }
        svg { display: block; width: 100%; height: auto; }
        /* A table that is wider than the page scrolls separately, with a fixed first column. A shadow marks hidden columns. */
        .table { overflow-x: auto; background:
          linear-gradient(to left, var(--ground) 50%, transparent) right / 48px 100% no-repeat local,
          linear-gradient(to left, rgb(128 128 128 / .5), transparent) right / 14px 100% no-repeat; }
        table { border-collapse: separate; border-spacing: 0; font-size: .875em; font-variant-numeric: tabular-nums; }
        th, td { padding: 2px 10px 2px 6px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
        th { font-weight: 600; vertical-align: bottom; }
        tr > :first-child { text-align: left; position: sticky; left: 0; background: var(--ground); }
        thead th { white-space: normal; overflow-wrap: anywhere; min-width: 6em; max-width: 16em; }
        thead th:first-child { overflow-wrap: normal; }
        @media (max-width: 480px) {
          table { font-size: .75em; }
          th, td { padding: 2px 4px; }
          thead th { min-width: 4em; }
        }
        @media print {
          @page { margin: 12mm; }
          :root { color-scheme: light; --ground: #fff; --text: #000; --rule: #bbb; }
          body { font-size: 9pt; }
          main { padding: 0; max-width: none; }
          .plots { grid-template-columns: 1fr 1fr; gap: 4mm; }
          figure { max-width: 88mm; }
          .table { overflow: visible; background: none; }
          .wide { grid-column: 1 / -1; }
          td { white-space: normal; overflow-wrap: anywhere; }
          th, td { padding: 0 2mm 0 1mm; line-height: 1.3; }
          figure, table { break-inside: avoid; }
          #tip { display: none; }
        }

        """.ReplaceLineEndings("\n");

    public static string Script { get; } = PlotTooltips.Script + "plotTooltips(document.querySelector(\".plots\"));\n";
}
