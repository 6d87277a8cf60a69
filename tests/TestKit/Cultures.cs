using System.Globalization;

namespace Picollo.TestKit;

/// <summary>Cultures for tests that what is printed, parsed and written does not depend on them.</summary>
internal static class Cultures
{
    /// <summary>Why the invariant culture is the only one; null where the runtime has others.</summary>
    public static string? UnavailableReason { get; } = HasCultureData()
        ? null
        : "the runtime has no culture data: install ICU (./build.sh setup) and unset DOTNET_SYSTEM_GLOBALIZATION_INVARIANT";

    /// <summary>A comma before decimals, points between thousands. Where there is no culture data, the invariant culture.</summary>
    public static CultureInfo German { get; } = Get("de-DE");

    /// <summary>The upper case of i is İ, the lower case of I is ı. Where there is no culture data, the invariant culture.</summary>
    public static CultureInfo Turkish { get; } = Get("tr-TR");

    private static CultureInfo Get(string name) =>
        UnavailableReason is null ? CultureInfo.GetCultureInfo(name) : CultureInfo.InvariantCulture;

    // Without the data the runtime compares strings by their code units, so that a and its combining diaeresis are not ä.
    private static bool HasCultureData() => CultureInfo.InvariantCulture.CompareInfo.Compare("a\u0308", "\u00E4") == 0;
}
