namespace Picollo.Diagnostics.Meters;

/// <summary>The names that a pattern matches, by the rules of OpenTelemetry's <c>AddMeter</c>: <c>*</c> stands for any characters,
/// <c>?</c> for one character, and case does not matter.</summary>
internal static class NamePattern
{
    /// <summary>Whether a pattern matches a whole name.</summary>
    public static bool Matches(string pattern, string name)
    {
        int inPattern = 0, inName = 0;

        // Where the last star was, and the end of what it stands for until now. Only the last one needs to be tried again: an earlier star
        // that stood for more could not match anything that the later one does not.
        int star = -1, afterStar = 0;
        while (inName < name.Length)
        {
            if (inPattern < pattern.Length && pattern[inPattern] == '*')
            {
                (star, afterStar) = (inPattern++, inName);
            }
            else if (inPattern < pattern.Length && (pattern[inPattern] == '?' || IsSame(pattern[inPattern], name[inName])))
            {
                inPattern++;
                inName++;
            }
            else if (star >= 0)
            {
                (inPattern, inName) = (star + 1, ++afterStar);
            }
            else
            {
                return false;
            }
        }

        return pattern.AsSpan(inPattern).TrimStart('*').IsEmpty;
    }

    private static bool IsSame(char a, char b) => a == b || char.ToUpperInvariant(a) == char.ToUpperInvariant(b);
}
