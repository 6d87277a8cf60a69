using System.Collections;
using System.Text;

namespace Picollo.Diagnostics.Meters;

/// <summary>Keys and values as they are in labels.</summary>
internal static class TagText
{
    /// <summary>The label of the series that further tags share, as in OpenTelemetry.</summary>
    public const string OverflowKey = "otel.metric.overflow";

    /// <summary>The value of a tag whose text threw an exception.</summary>
    public const string Failed = "(ToString failed)";

    private const string NoKey = "(no key)";
    private const string Reserved = "exported_";
    private const string Nested = "(nested)";

    // Whether this thread is in code of the application. What that measures with such values again would not end.
    [ThreadStatic]
    private static bool _isInText;

    /// <summary>A key, cut to the length that counts. A missing one and the reserved one are replaced.</summary>
    public static string OfKey(string? key) => string.IsNullOrEmpty(key) ? NoKey : key == OverflowKey ? Reserved + key : Cut(key);

    /// <summary>The text of a value, not cut: empty for null, numbers as in the invariant culture. No lock may be held, because code of the
    /// application is called for values of its own types.</summary>
    public static string Of(object? value) => value switch
    {
        null => "",
        string text => text,
        true => "true",
        false => "false",
        IFormattable number when TagIdentity.IsComparable(number) => number.ToString(null, CultureInfo.InvariantCulture),
        _ => OfForeign(value),
    };

    public static string Cut(string text) => text.Length > TagIdentity.MaxTextLength ? text[..TagIdentity.MaxTextLength] : text;

    private static string OfForeign(object value)
    {
        if (_isInText)
        {
            return Nested;
        }

        _isInText = true;
        try
        {
            return Cut(value is Array array ? OfArray(array) : TextOf(value));
        }
        catch (Exception)
        {
            return Failed; // The application is measuring and must not see what its value throws.
        }
        finally
        {
            _isInText = false;
        }
    }

    // The name of an enumeration's value is kept by the runtime, as long as no format is asked for.
    private static string TextOf(object? value) =>
        (value is IFormattable number and not Enum ? number.ToString(null, CultureInfo.InvariantCulture) : value?.ToString()) ?? "";

    private static string OfArray(Array array)
    {
        StringBuilder text = new("[");
        foreach (object? element in (IEnumerable)array)
        {
            text.Append(text.Length > 1 ? "," : "").Append(Cut(TextOf(element)));
            if (text.Length > TagIdentity.MaxTextLength)
            {
                break;
            }
        }

        return text.Append(']').ToString();
    }
}
