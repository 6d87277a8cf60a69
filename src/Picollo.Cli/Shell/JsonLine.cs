using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Picollo.Cli.Shell;

/// <summary>One object of JSON Lines.</summary>
internal static class JsonLine
{
    // For a terminal, a file or jq, not for a page: letters and apostrophes stay readable, control characters do not stay.
    private static readonly JsonWriterOptions Format = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static string Of(Action<Utf8JsonWriter> writeMembers)
    {
        ArrayBufferWriter<byte> buffer = new();
        using (Utf8JsonWriter json = new(buffer, Format))
        {
            json.WriteStartObject();
            writeMembers(json);
            json.WriteEndObject();
        }

        return ForeignText.EscapeInJson(Encoding.UTF8.GetString(buffer.WrittenSpan));
    }

    /// <summary>null for what is not known, and for what JSON has no number for: infinity and NaN.</summary>
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
}
