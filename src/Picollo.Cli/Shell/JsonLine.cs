using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Picollo.Cli.Shell;

/// <summary>Formats JSON Lines, and extends <see cref="Utf8JsonWriter"/> for them.</summary>
internal static class JsonLine
{
    // The output is not embedded in HTML, so letters and apostrophes remain readable. Control characters are escaped.
    private static readonly JsonWriterOptions Format = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Formats an object on one line. Its first member is <c>kind</c>.</summary>
    public static string Of(string kind, Action<Utf8JsonWriter> writeMembers)
    {
        ArrayBufferWriter<byte> buffer = new();
        using (Utf8JsonWriter json = new(buffer, Format))
        {
            json.WriteStartObject();
            json.WriteString("kind", kind);
            writeMembers(json);
            json.WriteEndObject();
        }

        return ForeignText.EscapeInJson(Encoding.UTF8.GetString(buffer.WrittenSpan));
    }

    /// <summary>Formats a note about the results.</summary>
    public static string OfNote(string text) => Of("note", json => json.WriteString("text", text));

    /// <summary>Writes a number, or null if it is unknown, infinite or NaN, because JSON supports neither infinity nor NaN.</summary>
    public static void WriteNumberOrNull(this Utf8JsonWriter json, string name, double? value)
    {
        if (value is { } number && double.IsFinite(number))
        {
            json.WriteNumber(name, number);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    public static void WriteNanoseconds(this Utf8JsonWriter json, string name, TimeSpan time) =>
        json.WriteNumber(name, time.Ticks * TimeSpan.NanosecondsPerTick);

    /// <summary>Writes an object, or null if it is unknown.</summary>
    public static void WriteObject<T>(this Utf8JsonWriter json, string name, T? value, Action<T> writeMembers)
        where T : struct
    {
        if (value is { } known)
        {
            json.WriteStartObject(name);
            writeMembers(known);
            json.WriteEndObject();
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <summary>Writes an array of objects.</summary>
    public static void WriteObjects<T>(this Utf8JsonWriter json, string name, IEnumerable<T> items, Action<T> writeMembers)
    {
        json.WriteStartArray(name);
        foreach (T item in items)
        {
            json.WriteStartObject();
            writeMembers(item);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    /// <summary>Writes an array of strings, or null if they are unknown.</summary>
    public static void WriteStrings(this Utf8JsonWriter json, string name, IEnumerable<string>? texts)
    {
        if (texts is null)
        {
            json.WriteNull(name);
            return;
        }

        json.WriteStartArray(name);
        foreach (string text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }
}
