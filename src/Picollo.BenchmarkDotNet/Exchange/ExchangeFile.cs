using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.BenchmarkDotNet.Exchange;

/// <summary>The file through which the host and the engine in the benchmark's process talk: the host writes what is to be measured, and the
/// engine of each launch adds what was measured. An environment variable of the host names it, which the processes of benchmarks
/// inherit.</summary>
internal static class ExchangeFile
{
    public const string Variable = "PICOLLO_BENCHMARK_FILE";

    /// <summary>Makes the file, for this user alone.</summary>
    public static bool TryCreate(MeasureRequest request, [NotNullWhen(true)] out string? path, [NotNullWhen(false)] out string? reason)
    {
        string? made = null;
        bool isWritten = Try(
            () =>
            {
                made = Path.GetFullPath(Path.GetTempFileName()); // a benchmark may change the current directory
                Write(made, new(request, []), FileMode.Open);
            },
            out reason);
        if (!isWritten && made is not null)
        {
            Delete(made);
        }

        path = isWritten ? made : null;
        return isWritten;
    }

    /// <summary>Null if the file has none, or cannot be read.</summary>
    public static MeasureRequest? ReadRequest(string path) => Read(path)?.Request;

    /// <summary>Of each launch; none likewise.</summary>
    public static IReadOnlyList<MeasureResult> ReadResults(string path) => Read(path)?.Results ?? [];

    /// <summary>In one piece or not at all: a benchmark's process can be killed at any moment.</summary>
    public static bool TryAddResult(string path, MeasureResult result, [NotNullWhen(false)] out string? reason)
    {
        // In a folder that others can write to, a link planted at a known name would be followed.
        string whole = $"{path}.{Path.GetRandomFileName()}";
        bool isWritten = Try(
            () =>
            {
                Exchange? before = Read(path);
                Write(whole, new(before?.Request, [.. before?.Results ?? [], result]), FileMode.CreateNew);
                File.Move(whole, path, overwrite: true);
            },
            out reason);
        if (!isWritten)
        {
            Delete(whole);
        }

        return isWritten;
    }

    /// <summary>Takes the file away. Where that cannot be, it stays: in a folder for temporary files.</summary>
    public static void Delete(string path) => _ = Try(() => File.Delete(path), out _);

    private static Exchange? Read(string path)
    {
        Exchange? read = null;
        _ = Try(() => read = JsonSerializer.Deserialize(File.ReadAllBytes(path), ExchangeJson.Default.Exchange), out _);
        return read;
    }

    private static void Write(string path, Exchange exchange, FileMode mode)
    {
        FileStreamOptions options = new() { Mode = mode, Access = FileAccess.Write };
        if (mode == FileMode.CreateNew && !OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        using FileStream file = new(path, options);
        file.Write(JsonSerializer.SerializeToUtf8Bytes(exchange, ExchangeJson.Default.Exchange));
    }

    // A full disk or a folder that may not be written to costs the measures, never the run: BenchmarkDotNet lets no exception of a
    // diagnoser pass.
    private static bool Try(Action act, [NotNullWhen(false)] out string? reason)
    {
        try
        {
            act();
            reason = null;
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            reason = $"{Path.GetTempPath()}: {e.Message}";
            return false;
        }
    }
}

internal sealed record Exchange(MeasureRequest? Request, IReadOnlyList<MeasureResult>? Results);

// Generated code: a benchmark's process may be trimmed.
[JsonSourceGenerationOptions(NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals)]
[JsonSerializable(typeof(Exchange))]
internal sealed partial class ExchangeJson : JsonSerializerContext;
