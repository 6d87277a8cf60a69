using Picollo.Export.Html;
using Picollo.Export.Plots;
using Picollo.Export.Text;

namespace Picollo.Profiling.Output;

/// <summary>Draws the flame graphs of <see cref="CpuProfile.WriteSvg"/> and <see cref="CpuProfileDifference.WriteSvg"/>.</summary>
/// <remarks>The root is at the top, as in browser profilers, Speedscope, pprof and Grafana: readers start there without scrolling, and the
/// picture grows downwards with the stacks, as pages do. The function with the most samples is at the left.</remarks>
internal static class FlameGraph
{
    private const double Width = 1180;
    private const double RowHeight = 19;
    private const double MinWidthFraction = 0.001; // a fraction of the width
    private const double LetterWidth = 6.9; // of a lowercase letter, in the font size of boxes
    private const double Padding = 4;

    private static readonly string Style =
        "<style>svg{height:auto;color:#1b1f24;background:#fff}rect{stroke:#fff;stroke-width:.6}"
        + "rect:hover{stroke:currentColor;stroke-width:1}text{pointer-events:none}"
        + ".name{font-size:12px}.quiet{fill-opacity:.75;font-size:12px}\n"
        + "@media(prefers-color-scheme:dark){svg{color:#e6e8eb;background:#16181d}rect{stroke:#16181d}}\n"
        + Export.HtmlAssets.DarkStyle + "</style>";

    // Indexed by CpuProfileFrameKind. Text on a box, whose color is translucent, has a contrast of 4.5:1 or more.
    private static readonly string[] Colors =
        [PlotPalette.Colors[0], PlotPalette.Colors[2], PlotPalette.Colors[1], PlotPalette.Colors[3], PlotPalette.Text];

    private static readonly string[] Opacities = [".3", ".36", ".42", ".48"];
    private const string GroupOpacity = ".1";

    // Indexed by the size of a change.
    private static readonly string[] StepOpacities = [".2", ".34", ".48"];

    private static readonly string[] KindNames = ["managed", "native", "kernel", "unnamed"];

    public static string Draw(ProfileData profile) => Draw(
        ProfileText.Title(profile),
        LabelOf(profile),
        [Summary(profile)],
        profile.Value == 0 ? $"No samples. {ProfileText.NoSamplesReason(profile)}" : null,
        new FlameTree(profile.Root),
        KindsOf,
        node => LookOf(node.Frame),
        node => ProfileText.Weight(profile, node.Counts.Before));

    public static string Draw(DifferenceData difference) => Draw(
        ProfileText.Title(difference),
        LabelOf(difference.After),
        [$"before: {Summary(difference.Before)}", $"after: {Summary(difference.After)}"],
        difference.Before.Value + difference.After.Value == 0 ? "No samples in either profile." : null,
        new FlameTree(difference.Roots.Before, difference.Roots.After),
        _ => [.. ProfileText.Steps.Select(step => (ProfileText.Step(step, difference.HasIntervals), LookOf(step)))],
        node => LookOf(ProfileText.StepOf(difference, node.Counts)),
        node => ProfileText.Weight(difference, node.Counts));

    private static string Draw(
        string title,
        string label,
        string[] summary,
        string? noSamplesReason,
        FlameTree tree,
        Func<FlameNode[], (string Name, Look Look)[]> getLegend,
        Func<FlameNode, Look> getLook,
        Func<FlameNode, string> describe)
    {
        SvgWriter svg = new(Width);
        double left = SvgWriter.Margin, inner = Width - (2 * left);
        svg.Text(left, 22, FittedText.Shorten(title, 100), attributes: " font-size=\"16\" font-weight=\"600\"");
        double top = 24;
        foreach (string line in summary)
        {
            svg.Text(left, top += 18, line, attributes: " class=\"quiet\"");
        }

        top += 10;
        if (noSamplesReason is not null)
        {
            svg.Text(left, top + 20, noSamplesReason);
            return Finish(svg, title, label, top + 32);
        }

        double minWidth = tree.IsDifference ? tree.Width * MinWidthFraction : Math.Max(1, Math.Ceiling(tree.Width * MinWidthFraction));
        FlameNode[] nodes = [.. tree.GetNodes(minWidth).Where(node => node.Width >= minWidth)];
        top = DrawLegend(svg, getLegend(nodes), top);
        double scale = inner / tree.Width;
        int depth = 0;
        foreach (FlameNode node in nodes)
        {
            (double x, double y) = (left + (node.Start * scale), top + (node.Depth * RowHeight));
            DrawNode(svg, node, x, y, node.Width * scale, getLook(node), describe(node));
            depth = Math.Max(depth, node.Depth);
        }

        return Finish(svg, title, label, top + ((depth + 1) * RowHeight) + SvgWriter.Margin);
    }

    /// <summary>Returns the label of a box. If the name is too long, the outer namespaces and types are omitted, because the method's own
    /// name is the most informative part.</summary>
    public static string Label(CpuProfileFrame frame, int letters)
    {
        string name = FittedText.OneLine(frame.Name);
        int start = 0;
        int brackets = 0;
        bool isTooLong = frame.Kind == CpuProfileFrameKind.Managed && FittedText.LettersOf(name) > letters;
        for (int i = 1; i < name.Length - 1 && isTooLong; i++)
        {
            brackets += name[i] is '<' or '[' ? 1 : name[i] is '>' or ']' ? -1 : 0;
            if (name[i] == '.' && brackets == 0 && name[i - 1] != '.')
            {
                start = i + 1;
                isTooLong = FittedText.LettersOf(name[start..]) > letters;
            }
        }

        return FittedText.Cut(name[start..], letters);
    }

    /// <summary>Returns the opacity of a box, derived from its name (FNV-1a) so that adjacent boxes differ.</summary>
    private static int TintOf(string name) =>
        (int)(name.Aggregate(2166136261u, (hash, letter) => unchecked((hash ^ letter) * 16777619)) >> 8) & 3;

    private static Look LookOf(CpuProfileFrame frame) => new(
        Colors[(int)frame.Kind], frame.Kind == CpuProfileFrameKind.Group ? GroupOpacity : Opacities[TintOf(frame.Name)]);

    private static Look LookOf(int step) => step == 0
        ? new(PlotPalette.Text, GroupOpacity)
        : new(PlotPalette.Colors[step > 0 ? 1 : 0], StepOpacities[Math.Abs(step) - 1]);

    private static void DrawNode(SvgWriter svg, FlameNode node, double x, double y, double width, Look look, string numbers)
    {
        const int MaxTooltipLength = 1000;
        string name = node.Frame.Name + (node.Frame.Module.Length == 0 ? "" : $" ({node.Frame.Module})");
        svg.Rectangle(x, y, width, RowHeight, look.Attributes, $"{FittedText.Shorten(name, MaxTooltipLength)} {numbers}");
        int letters = (int)((width - (2 * Padding)) / LetterWidth);
        if (letters >= 3)
        {
            svg.Text(x + Padding, y + 13.5, Label(node.Frame, letters), attributes: " class=\"name\"");
        }
    }

    private static (string Name, Look Look)[] KindsOf(FlameNode[] nodes) =>
    [
        .. nodes.Select(node => node.Frame.Kind).Where(kind => kind != CpuProfileFrameKind.Group).Distinct().Order()
            .Select(kind => (KindNames[(int)kind], new Look(Colors[(int)kind], Opacities[^1]))),
    ];

    /// <summary>Draws the legend if there is more than one color. Returns the top of the graph.</summary>
    private static double DrawLegend(SvgWriter svg, (string Name, Look Look)[] colors, double top)
    {
        if (colors.Length < 2)
        {
            return top;
        }

        double x = SvgWriter.Margin;
        foreach ((string name, Look look) in colors)
        {
            svg.Rectangle(x, top, 12, 12, look.Attributes, name);
            svg.Text(x + 18, top + 10.5, name, attributes: " class=\"quiet\"");
            x += 34 + (FittedText.LettersOf(name) * LetterWidth);
        }

        return top + 22;
    }

    private static string LabelOf(ProfileData profile) =>
        ProfileText.IsCpuTime(profile) ? "CPU flame graph" : $"Flame graph ({profile.SampleType})";

    private static string Finish(SvgWriter svg, string title, string label, double height)
    {
        label = $"{label} of {FittedText.Shorten(title, 80)}";
        return svg.ToElement(label, height, $"<title>{Markup.Encode(label)}</title>{Style}");
    }

    private static string Summary(ProfileData profile)
    {
        string start = profile.StartTime is { } time
            ? string.Create(CultureInfo.InvariantCulture, $" · {time:yyyy-MM-dd HH:mm:ss} UTC")
            : "";
        if (profile.EventName.Length == 0)
        {
            return ProfileText.Total(profile) + start;
        }

        string lost = profile.LostSampleCount == 0 ? "" : $", {ProfileText.Samples(profile.LostSampleCount)} lost";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{ProfileText.Samples(profile.Value)} at {profile.Frequency:N0} Hz ({ProfileText.Event(profile)}){lost} · "
            + $"{ProfileText.Time((profile.CpuUsage ?? default).Total)} of CPU time in {ProfileText.Time(profile.Duration)}{start}");
    }

    private readonly record struct Look(string Color, string Opacity)
    {
        public string Attributes => $"fill=\"{Color}\" fill-opacity=\"{Opacity}\"";
    }
}
