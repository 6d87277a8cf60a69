namespace Picollo.Diagnostics.Meters;

/// <summary>Matches names against patterns by the rules of OpenTelemetry's <c>AddMeter</c>: <c>*</c> matches any characters, <c>?</c>
/// matches one character, and names are not case-sensitive.</summary>
internal static class NamePattern
{
    public static bool Matches(string pattern, string name)
    {
        int inPattern = 0, inName = 0;

        // The position of the last star, and the end of its current match. Only the last star needs to be retried: if an earlier star
        // matched more characters, no additional names would match.
        int star = -1, afterStar = 0;
        while (inName < name.Length)
        {
            if (inPattern < pattern.Length && pattern[inPattern] == '*')
            {
                (star, afterStar) = (inPattern++, inName);
            }
            else if (inPattern < pattern.Length && (pattern[inPattern] == '?' || EqualsIgnoreCase(pattern[inPattern], name[inName])))
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

    private static bool EqualsIgnoreCase(char a, char b) => a == b || char.ToUpperInvariant(a) == char.ToUpperInvariant(b);
}
