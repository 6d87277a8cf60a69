using System.Collections;

namespace Picollo.Diagnostics.Meters;

/// <summary>Converts keys and values to the text of labels.</summary>
internal static class TagText
{
    /// <summary>The label of the overflow series, as in OpenTelemetry.</summary>
    public const string OverflowKey = "otel.metric.overflow";

    /// <summary>The text of a value whose <c>ToString</c> threw an exception.</summary>
    public const string Failed = "(ToString failed)";

    private const string NoKey = "(no key)";
    private const string Reserved = "exported_";
    private const string Nested = "(nested)";

    // Whether this thread runs code of the application. If that code measured such values, the recursion would not end.
    [ThreadStatic]
    private static bool _isFormatting;

    /// <summary>Returns a key, truncated to the maximum length. A missing key and the reserved key are replaced.</summary>
    public static string FormatKey(string? key) => string.IsNullOrEmpty(key) ? NoKey : key == OverflowKey ? Reserved + key : Cut(key);

    /// <summary>Returns the text of a value without truncation: empty for null, and in the invariant culture for numbers. No lock may be
    /// held, because this calls code of the application for values of its own types.</summary>
    public static string Format(object? value) => value switch
    {
        null => "",
        string text => text,
        true => "true",
        false => "false",
        IFormattable number when TagIdentity.IsComparable(number) => number.ToString(null, CultureInfo.InvariantCulture),
        _ => FormatOtherType(value),
    };

    public static string Cut(string text) => text.Length > TagIdentity.MaxTextLength ? text[..TagIdentity.MaxTextLength] : text;

    private static string FormatOtherType(object value)
    {
        if (_isFormatting)
        {
            return Nested;
        }

        _isFormatting = true;
        try
        {
            return Cut(value is Array array ? FormatArray(array) : TextOf(value));
        }
        catch (Exception)
        {
            return Failed; // The measuring code must not receive an exception that its value throws.
        }
        finally
        {
            _isFormatting = false;
        }
    }

    // The runtime caches the name of an enumeration value if no format is specified.
    private static string TextOf(object? value) =>
        (value is IFormattable number and not Enum ? number.ToString(null, CultureInfo.InvariantCulture) : value?.ToString()) ?? "";

    private static string FormatArray(Array array)
    {
        StringBuilder text = new();
        foreach (object? element in (IEnumerable)array)
        {
            text.Append(text.Length == 0 ? '[' : ',').Append(Cut(TextOf(element)));
            if (text.Length > TagIdentity.MaxTextLength)
            {
                break;
            }
        }

        return text.Append(text.Length == 0 ? "[]" : "]").ToString();
    }
}
