using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.Profiling;

/// <summary>Writes a profile as JSON; see docs/schemas/picollo-profile.schema.json.</summary>
internal static partial class ProfileJson
{
    private static readonly JsonContext Context = new(new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,

        // The output is for a file or jq, not for a page, so letters and the characters in names of generic types are not escaped.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });

    public static void Write(ProfileData profile, TextWriter output)
    {
        OrderedDictionary<CpuProfileFrame, bool> frames = [];
        Node[] nodes = [.. NodesOf(profile, frames)];
        Document document = new(
            profile.Title,
            (profile.StartTime ?? default).UtcDateTime,
            profile.Duration.TotalSeconds,
            profile.Frequency,
            profile.EventName,
            profile.IncludesKernel,
            (profile.CpuUsage ?? default).UserNanoseconds / ProfileData.NanosecondsPerSecond,
            (profile.CpuUsage ?? default).KernelNanoseconds / ProfileData.NanosecondsPerSecond,
            profile.SampleType,
            profile.SampleUnit,
            profile.Value,
            profile.LostSampleCount,
            profile.UnnamedValue,
            profile.Notes,
            profile.GetMethods().Select(method => new Method(
                method.Frame.Name, method.Frame.Module, KindOf(method.Frame), method.OwnValue, method.Value)),
            nodes,
            frames.Keys.Select(frame => new Function(frame.Name, frame.Module, KindOf(frame))));
        output.Write(JsonSerializer.Serialize(document, Context.Document));
        output.Write('\n');
    }

    /// <summary>Returns the tree as a flat sequence: a deep tree would exceed the depth that JSON readers and writers permit.</summary>
    private static IEnumerable<Node> NodesOf(ProfileData profile, OrderedDictionary<CpuProfileFrame, bool> frames)
    {
        List<int> path = [];
        int index = 0;
        foreach ((CpuProfileNode node, int depth) in profile.GetNodes())
        {
            path.RemoveRange(depth, path.Count - depth);
            frames.TryAdd(node.Frame, true, out int frame);
            yield return new(depth > 0 ? path[depth - 1] : -1, frame, node.Value, node.OwnValue);
            path.Add(index++);
        }
    }

    private static string KindOf(CpuProfileFrame frame) => JsonNamingPolicy.CamelCase.ConvertName(frame.Kind.ToString());

    private sealed record Document(
        string Title,
        DateTime StartTimeUtc,
        double DurationSeconds,
        int Frequency,
        string Event,
        bool IncludesKernel,
        double CpuUserSeconds,
        double CpuKernelSeconds,
        string SampleType,
        string SampleUnit,
        long SampleCount,
        long LostSampleCount,
        long UnnamedSampleCount,
        IReadOnlyList<string> Notes,
        IEnumerable<Method> Methods,
        IReadOnlyList<Node> Nodes,
        IEnumerable<Function> Frames);

    private sealed record Method(string Name, string Module, string Kind, long OwnSampleCount, long SampleCount);

    private readonly record struct Node(int Parent, int Frame, long SampleCount, long OwnSampleCount);

    private sealed record Function(string Name, string Module, string Kind);

    [JsonSerializable(typeof(Document))]
    private sealed partial class JsonContext : JsonSerializerContext;
}
