using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Picollo.Cli.Shell;

/// <summary>Writes and reads JSON. Each folder has records with the members of its JSON, and a context that generates their code. The names
/// and the order of the members are a contract (docs/schemas).</summary>
/// <remarks>
/// <para>Writing members with <see cref="Utf8JsonWriter"/>, and reading them with <see cref="JsonDocument"/>, took 1,089 lines instead of
/// 928 (2026-11-26), and a sample of picollo top took more CPU time: 1.0 ms instead of 0.7 ms for 300 processes.</para>
/// <para>Generated code for writing is used only with the default encoder and without converters, so the writer has the encoder, and
/// <see cref="Finite"/> replaces a converter. Contexts for writing have the mode Serialization: with metadata, picollo stat --json takes
/// 18 ms more to start.</para>
/// </remarks>
internal static class ToolJson
{
    private const long MaxBytes = 256 << 20; // a file is read into memory

    // The output is not embedded in HTML, so letters and apostrophes remain readable. Control characters are escaped.
    public static JavaScriptEncoder Readable => JavaScriptEncoder.UnsafeRelaxedJsonEscaping;

    public static string Line<T>(T record, JsonTypeInfo<T> type)
    {
        ArrayBufferWriter<byte> buffer = new();
        using (Utf8JsonWriter json = new(buffer, new JsonWriterOptions { Encoder = Readable }))
        {
            JsonSerializer.Serialize(json, record, type);
        }

        return ForeignText.EscapeInJson(Encoding.UTF8.GetString(buffer.WrittenSpan));
    }

    public static string Note(string text) => Line(new JsonNote("note", text), ShellJson.Default.JsonNote);

    /// <summary>Returns null for infinity and NaN, which JSON does not support.</summary>
    public static double? Finite(double value) => double.IsFinite(value) ? value : null;

    public static long ToNanoseconds(this TimeSpan time) => time.Ticks * TimeSpan.NanosecondsPerTick;

    public static void Write<T>(Stream file, T record, JsonTypeInfo<T> type, JavaScriptEncoder? encoder = null)
    {
        using Utf8JsonWriter json = new(file, new JsonWriterOptions { Indented = true, NewLine = "\n", Encoder = encoder });
        JsonSerializer.Serialize(json, record, type);
    }

    /// <summary>Reads a file. This is the only check of its content: whatever is damaged, the error is the same.</summary>
    /// <param name="read">A function that parses the content. It throws <see cref="JsonException"/> or <see cref="FormatException"/> if the
    /// content is damaged.</param>
    /// <param name="problemOf">A function that returns the error message for the details of the damage.</param>
    public static T Read<T>(string path, Func<ArraySegment<byte>, T> read, Func<string, string> problemOf)
    {
        try
        {
            return read(CommandException.OnFile(path, () => ReadAll(path)));
        }
        catch (Exception e) when (e is JsonException or FormatException or OverflowException)
        {
            throw new CommandException($"{path}: {problemOf(e.Message)}");
        }
    }

    /// <summary>Parses a text, which may start with a byte order mark.</summary>
    /// <exception cref="JsonException">The text is not this record.</exception>
    public static T Parse<T>(ReadOnlySpan<byte> text, JsonTypeInfo<T> type)
        where T : class
    {
        ReadOnlySpan<byte> mark = Encoding.UTF8.Preamble;
        text = text.StartsWith(mark) ? text[mark.Length..] : text;
        return JsonSerializer.Deserialize(text, type) ?? throw new JsonException("The file contains null.");
    }

    // Reads in blocks because the length of a device is not reliable.
    private static ArraySegment<byte> ReadAll(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        using MemoryStream content = new();
        byte[] buffer = new byte[64 * 1024];
        int length;
        while ((length = file.Read(buffer)) > 0)
        {
            content.Write(buffer.AsSpan(0, length));
            if (content.Length > MaxBytes)
            {
                throw new FormatException("the file is too large");
            }
        }

        return new(content.GetBuffer(), 0, (int)content.Length);
    }
}

internal sealed record JsonNote(string Kind, string Text);

[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Serialization, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(JsonNote))]
internal sealed partial class ShellJson : JsonSerializerContext;
