using System.Text;

namespace Picollo.Profiling.Symbols;

/// <summary>Demangles simple names of C++ functions (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling), without a complete
/// demangler.</summary>
internal static class CppName
{
    /// <summary>Returns <c>foo::bar</c> for <c>_ZN3foo3barEi</c> and <c>foo</c> for <c>_Z3fooi</c>. Names with templates, operators,
    /// substitutions or other features, and names in other languages, are not changed.</summary>
    public static string Of(string symbol)
    {
        ReadOnlySpan<char> rest = symbol;
        if (!Take(ref rest, "_Z") || !Ascii.IsValid(symbol))
        {
            return symbol;
        }

        var name = new StringBuilder();
        bool isNested = Take(ref rest, "N");
        if (isNested)
        {
            rest = rest.TrimStart("rVKRO"); // a member function's qualifiers, such as const
            name.Append(Take(ref rest, "St") ? "std::" : "");
        }

        ReadOnlySpan<char> identifier;
        do
        {
            _ = Take(ref rest, "L"); // internal linkage
            int digits = Math.Max(rest.IndexOfAnyExceptInRange('0', '9'), 0);
            if (!int.TryParse(rest[..digits], NumberStyles.None, CultureInfo.InvariantCulture, out int length)
                || length > rest.Length - digits)
            {
                return symbol;
            }

            identifier = rest.Slice(digits, length);
            name.Append(identifier.StartsWith("_GLOBAL__N_") ? "(anonymous namespace)" : identifier).Append("::");
            rest = rest[(digits + length)..];
        }
        while (isNested && rest is [(>= '0' and <= '9') or 'L', ..]);
        if (isNested && rest is ['C' or 'D', >= '0' and <= '5', ..])
        {
            name.Append(rest[0] == 'D' ? "~" : "").Append(identifier).Append("::");
            rest = rest[2..];
        }

        // Template arguments start with I, ABI tags with B.
        bool isComplete = isNested ? rest is ['E', ..] : rest is not ['I' or 'B', ..];
        return isComplete ? name.ToString(0, name.Length - 2) : symbol;
    }

    private static bool Take(ref ReadOnlySpan<char> rest, string prefix)
    {
        bool isThere = rest.StartsWith(prefix);
        rest = isThere ? rest[prefix.Length..] : rest;
        return isThere;
    }
}
