using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.BenchmarkDotNet.Measures;

/// <summary>The file through which the host and the engine in the benchmark process communicate: the host writes the request, and the
/// engine of each launch adds its result. The path is in an environment variable, which benchmark processes inherit from the
/// host.</summary>
internal static class ExchangeFile
{
    public const string Variable = "PICOLLO_BENCHMARK_FILE";

    /// <summary>Creates a file that only this user can access, and writes the request to it.</summary>
    public static bool TryCreate(MeasureRequest request, [NotNullWhen(true)] out string? path, [NotNullWhen(false)] out string? reason)
    {
        string? created = null;
        bool isWritten = Try(
            () =>
            {
                created = Path.GetFullPath(Path.GetTempFileName()); // a benchmark may change the current directory
                Write(created, new(request, []), FileMode.Open);
            },
            out reason);
        if (!isWritten && created is not null)
        {
            Delete(created);
        }

        path = isWritten ? created : null;
        return isWritten;
    }

    /// <summary>Reads the request. Returns null if the file contains none or cannot be read.</summary>
    public static MeasureRequest? ReadRequest(string path) => Read(path)?.Request;

    /// <summary>Reads the results of all launches. Returns an empty list if the file contains none or cannot be read.</summary>
    public static IReadOnlyList<MeasureResult> ReadResults(string path) => Read(path)?.Results ?? [];

    /// <summary>Adds a result atomically, because a benchmark process can be killed at any time.</summary>
    public static bool TryAddResult(string path, MeasureResult result, [NotNullWhen(false)] out string? reason)
    {
        // The name is unpredictable: in a shared folder, another user could plant a link with a known name.
        string temporaryPath = $"{path}.{Path.GetRandomFileName()}";
        bool isWritten = Try(
            () =>
            {
                Exchange? before = Read(path);
                Write(temporaryPath, new(before?.Request, [.. before?.Results ?? [], result]), FileMode.CreateNew);
                File.Move(temporaryPath, path, overwrite: true);
            },
            out reason);
        if (!isWritten)
        {
            Delete(temporaryPath);
        }

        return isWritten;
    }

    /// <summary>Deletes the file. If that fails, the file remains in the temporary folder.</summary>
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

    // A full disk or a read-only folder must not fail the run: BenchmarkDotNet does not catch the exceptions of a diagnoser.
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

// Uses source generation because a benchmark process may be trimmed.
[JsonSourceGenerationOptions(NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals)]
[JsonSerializable(typeof(Exchange))]
internal sealed partial class ExchangeJson : JsonSerializerContext;
