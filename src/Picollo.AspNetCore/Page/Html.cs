using Picollo.Export.Plots;
using Picollo.Export.Text;

namespace Picollo.AspNetCore.Page;

/// <summary>Formats numbers that may be missing, and the application's names as HTML: encoded, shortened in the middle, and with their
/// writing direction isolated from the surrounding text.</summary>
internal static class Html
{
    // Longer names would take the space of other names.
    private const int MaxNameLength = 160;

    private const int MaxHeadingLength = 400;
    private const int MaxUnitLength = 20;

    public static string Name(string name) => Isolated(PlotText.Shorten(name, MaxNameLength));

    public static string Heading(string name) => Isolated(PlotText.Shorten(name, MaxHeadingLength));

    /// <summary>Formats the names of one table and keeps them distinct (<see cref="PlotNames"/>).</summary>
    public static IEnumerable<string> Names(IReadOnlyList<string> names) => PlotNames.Shorten(names, MaxNameLength).Select(Isolated);

    public static string Unit(string name) => Isolated(PlotText.Shorten(name, MaxUnitLength));

    public static string Number(double? value) => value is { } known ? Quantity.Number(known) : Quantity.MissingOnPage;

    private static string Isolated(string name) => $"<bdi>{PlotText.Encode(name)}</bdi>";
}
