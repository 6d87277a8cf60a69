using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Picollo.Profiling;

/// <summary>Writes a profile as JSON; see docs/schemas/picollo-profile.schema.json.</summary>
internal static class ProfileJson
{
    // The output is for a file or jq, not for a page, so letters and the characters in names of generic types are not escaped.
    private static readonly JsonWriterOptions Format = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static void Write(ProfileData profile, TextWriter output)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer, Format))
        {
            Write(profile, json);
        }

        output.Write(Encoding.UTF8.GetString(buffer.WrittenSpan));
        output.Write('\n');
    }

    private static void Write(ProfileData profile, Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("title", profile.Title);
        json.WriteString("startTimeUtc", DateTime.SpecifyKind(profile.StartTimeUtc, DateTimeKind.Utc));
        json.WriteNumber("durationSeconds", profile.Duration.TotalSeconds);
        json.WriteNumber("frequency", profile.Frequency);
        json.WriteString("event", profile.EventName);
        json.WriteBoolean("includesKernel", profile.IncludesKernel);
        json.WriteNumber("cpuUserSeconds", profile.CpuUsage.UserNanoseconds / ProfileData.NanosecondsPerSecond);
        json.WriteNumber("cpuKernelSeconds", profile.CpuUsage.KernelNanoseconds / ProfileData.NanosecondsPerSecond);
        json.WriteString("sampleType", profile.SampleType);
        json.WriteString("sampleUnit", profile.SampleUnit);
        json.WriteNumber("sampleCount", profile.SampleCount);
        json.WriteNumber("lostSampleCount", profile.LostSampleCount);
        json.WriteNumber("unnamedSampleCount", profile.UnnamedSampleCount);
        json.WriteStartArray("notes");
        foreach (string note in profile.Notes)
        {
            json.WriteStringValue(note);
        }

        json.WriteEndArray();
        WriteMethods(json, profile.GetMethods());
        var frames = new OrderedDictionary<CpuProfileFrame, bool>();
        WriteNodes(json, profile, frames);
        WriteFrames(json, frames.Keys);
        json.WriteEndObject();
    }

    private static void WriteMethods(Utf8JsonWriter json, IEnumerable<CpuProfileMethod> methods)
    {
        json.WriteStartArray("methods");
        foreach (CpuProfileMethod method in methods)
        {
            json.WriteStartObject();
            WriteFrame(json, method.Frame);
            json.WriteNumber("ownSampleCount", method.OwnSampleCount);
            json.WriteNumber("sampleCount", method.SampleCount);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    /// <summary>Writes the tree as a flat array: a deep tree would exceed the depth that JSON readers and writers permit.</summary>
    private static void WriteNodes(Utf8JsonWriter json, ProfileData profile, OrderedDictionary<CpuProfileFrame, bool> frames)
    {
        var path = new List<int>();
        int index = 0;
        json.WriteStartArray("nodes");
        foreach ((CpuProfileNode node, int depth) in profile.GetNodes())
        {
            path.RemoveRange(depth, path.Count - depth);
            frames.TryAdd(node.Frame, true, out int frame);
            json.WriteStartObject();
            json.WriteNumber("parent", depth > 0 ? path[depth - 1] : -1);
            json.WriteNumber("frame", frame);
            json.WriteNumber("sampleCount", node.SampleCount);
            json.WriteNumber("ownSampleCount", node.OwnSampleCount);
            json.WriteEndObject();
            path.Add(index++);
        }

        json.WriteEndArray();
    }

    private static void WriteFrames(Utf8JsonWriter json, IEnumerable<CpuProfileFrame> frames)
    {
        json.WriteStartArray("frames");
        foreach (CpuProfileFrame frame in frames)
        {
            json.WriteStartObject();
            WriteFrame(json, frame);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteFrame(Utf8JsonWriter json, CpuProfileFrame frame)
    {
        json.WriteString("name", frame.Name);
        json.WriteString("module", frame.Module);
        json.WriteString("kind", JsonNamingPolicy.CamelCase.ConvertName(frame.Kind.ToString()));
    }
}
