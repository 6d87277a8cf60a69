namespace Picollo.Profiling.Symbols;

/// <summary>Demangles names of functions. The base of the parsers for each language.</summary>
/// <remarks>Any program may contain any name, so the depth, the number of steps and all lengths are limited. A flag marks an error, because
/// an exception would be visible in the profiled process.</remarks>
internal abstract class SymbolName(string symbol)
{
    protected const int MaxLength = 1 << 12;
    protected const int PrefixLength = 2; // _Z or _R
    private const int MaxDepth = 100;
    private const int MaxSteps = 2000;

    private int _steps;
    private int _depth;

    protected string Text => symbol;

    protected int At { get; set; } = PrefixLength;

    protected bool HasFailed { get; private set; }

    /// <summary>The next character; 0 at the end, or after an error.</summary>
    protected char Next => At < symbol.Length && !HasFailed ? symbol[At] : '\0';

    /// <summary>Returns the name in the source, without parameters: <c>foo::bar</c> for <c>_ZN3foo3barEi</c>. Names in other languages, and
    /// names that cannot be demangled, are not changed.</summary>
    public static string Demangle(string symbol) => RustName.TryDemangle(symbol) ?? CppName.TryDemangle(symbol) ?? symbol;

    protected bool Is(string text) => Next != '\0' && string.CompareOrdinal(symbol, At, text, 0, text.Length) == 0;

    protected bool Take(string text)
    {
        bool isNext = Is(text);
        At += isNext ? text.Length : 0;
        return isNext;
    }

    protected void Expect(char character)
    {
        Check(Next == character);
        At++;
    }

    protected void Check(bool isValid) => HasFailed |= !isValid;

    /// <summary>Starts a part that may contain itself. If it returns false, there is nothing to leave.</summary>
    protected bool Enter()
    {
        Check(++_depth < MaxDepth && ++_steps < MaxSteps);
        return !HasFailed;
    }

    protected void Leave() => _depth--;

    protected string Limit(string text)
    {
        Check(text.Length <= MaxLength);
        return HasFailed ? "" : text;
    }

    /// <summary>Joins parts, and fails at the first one that does not fit.</summary>
    protected string Join(string separator, IEnumerable<string> parts)
    {
        StringBuilder text = new();
        foreach (string part in parts)
        {
            if (text.Length > MaxLength)
            {
                Check(false);
                return "";
            }

            text.Append(part).Append(separator);
        }

        text.Length = Math.Max(text.Length - separator.Length, 0);
        return Limit(text.ToString());
    }

    /// <summary>Parses pairs of a code and its meaning: <c>a b;c d</c>.</summary>
    protected static Dictionary<string, string> Pairs(string text) =>
        text.Split(';').Select(pair => pair.Split(' ', 2)).ToDictionary(pair => pair[0], pair => pair[1]);
}
