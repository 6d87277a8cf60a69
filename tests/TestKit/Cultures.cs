using System.Globalization;

namespace Picollo.TestKit;

/// <summary>Cultures for tests of culture-invariant output and parsing.</summary>
internal static class Cultures
{
    /// <summary>The reason why only the invariant culture is available; null if the runtime has other cultures.</summary>
    public static string? UnavailableReason { get; } = HasCultureData()
        ? null
        : "the runtime has no culture data: install ICU (./build.sh setup) and unset DOTNET_SYSTEM_GLOBALIZATION_INVARIANT";

    /// <summary>A culture with a decimal comma and points between thousands, or the invariant culture if there is no culture data.</summary>
    public static CultureInfo German { get; } = Get("de-DE");

    /// <summary>A culture in which the upper case of i is İ and the lower case of I is ı, or the invariant culture if there is no
    /// culture data.</summary>
    public static CultureInfo Turkish { get; } = Get("tr-TR");

    /// <summary>Runs the action in <see cref="German"/> as the current culture.</summary>
    public static void RunInGerman(Action action)
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        CultureInfo.CurrentCulture = German;
        try
        {
            action();
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    private static CultureInfo Get(string name) =>
        UnavailableReason is null ? CultureInfo.GetCultureInfo(name) : CultureInfo.InvariantCulture;

    // Without the data, the runtime compares strings by code units, so a with a combining diaeresis is not equal to ä.
    private static bool HasCultureData() => CultureInfo.InvariantCulture.CompareInfo.Compare("a\u0308", "\u00E4") == 0;
}
