using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.BenchmarkDotNet.Exchange;

/// <summary>The file through which the host and the engine in the benchmark's process talk: the host writes what is to be measured, the
/// engine puts what was measured in its place. An environment variable names it, in the process of the benchmark or, under the in-process
/// toolchains, in the host's own.</summary>
internal static class ExchangeFile
{
    public const string Variable = "PICOLLO_BENCHMARK_FILE";

    /// <summary>Makes the file, for this user alone.</summary>
    public static string Create(MeasureRequest request)
    {
        string path = Path.GetTempFileName();
        Write(path, new(request, Result: null));
        return path;
    }

    public static MeasureRequest? ReadRequest(string path) => Read(path)?.Request;

    public static MeasureResult? ReadResult(string path) => Read(path)?.Result;

    /// <summary>In one piece or not at all: a benchmark's process can be killed at any moment.</summary>
    public static void WriteResult(string path, MeasureResult result)
    {
        string whole = path + ".new";
        Write(whole, new(Request: null, result));
        File.Move(whole, path, overwrite: true);
    }

    private static Exchange? Read(string path) => JsonSerializer.Deserialize(File.ReadAllBytes(path), ExchangeJson.Default.Exchange);

    private static void Write(string path, Exchange exchange) =>
        File.WriteAllBytes(path, JsonSerializer.SerializeToUtf8Bytes(exchange, ExchangeJson.Default.Exchange));
}

internal sealed record Exchange(MeasureRequest? Request, MeasureResult? Result);

// Generated code: a benchmark's process may be trimmed.
[JsonSourceGenerationOptions(NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals)]
[JsonSerializable(typeof(Exchange))]
internal sealed partial class ExchangeJson : JsonSerializerContext;
