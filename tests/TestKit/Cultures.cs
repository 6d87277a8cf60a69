using System.Globalization;

namespace Picollo.TestKit;

/// <summary>Cultures for tests that printing does not depend on them; made by hand, as the tests run without culture data.</summary>
internal static class Cultures
{
    /// <summary>Points between thousands, a comma before decimals.</summary>
    public static CultureInfo German { get; } = Make();

    private static CultureInfo Make()
    {
        CultureInfo culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NumberDecimalSeparator = ",";
        culture.NumberFormat.NumberGroupSeparator = ".";
        culture.NumberFormat.NegativeSign = "−";
        culture.NumberFormat.PercentSymbol = " %";
        return culture;
    }
}
