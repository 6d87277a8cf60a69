using System.Buffers;
using System.Text;
using System.Text.Json;
using Picollo.Export.Plots;

namespace Picollo.Profiling.Output;

/// <summary>The data in the page, as compact JSON: <c>frames</c> has the name, the module and the kind of each function, and its own and
/// all samples unless it is a group; <c>nodes</c> has three numbers for each node of the tree, a node before what it called: its frame, its
/// samples and its depth.</summary>
internal static class ProfilePageData
{
    private const int MostNodes = 20_000;
    private const int LettersOfName = 1000;

    /// <returns>The JSON, in ASCII, without letters that mean something in HTML; and a note of what was merged, or an empty text.</returns>
    public static (string Json, string Note) Of(CpuProfile profile)
    {
        long least = LeastSamples(profile);
        Dictionary<CpuProfileFrame, int> numbers = [];
        List<int> nodes = [];
        ArrayBufferWriter<byte> buffer = new();
        using (Utf8JsonWriter json = new(buffer))
        {
            json.WriteStartObject();
            json.WriteNumber("frequency", profile.Frequency);
            json.WriteStartArray("frames");
            foreach (CpuProfileMethod method in profile.GetMethods().Where(method => method.SampleCount >= least))
            {
                WriteFrame(method.Frame, method.OwnSampleCount, method.SampleCount);
            }

            FlameNode[] tree = [.. FlameNode.Of(profile.Root, least)];
            foreach (CpuProfileFrame frame in tree.Select(node => node.Frame).Where(frame => !numbers.ContainsKey(frame)).ToHashSet())
            {
                WriteFrame(frame);
            }

            json.WriteEndArray();
            json.WriteStartArray("nodes");
            foreach (FlameNode node in tree)
            {
                json.WriteNumberValue(numbers[node.Frame]);
                json.WriteNumberValue(node.SampleCount);
                json.WriteNumberValue(node.Depth);
            }

            json.WriteEndArray();
            json.WriteEndObject();

            void WriteFrame(CpuProfileFrame frame, params ReadOnlySpan<long> counts)
            {
                numbers.Add(frame, numbers.Count);
                json.WriteStartArray();
                json.WriteStringValue(PlotText.Shorten(frame.Name, LettersOfName));
                json.WriteStringValue(PlotText.Shorten(frame.Module, LettersOfName));
                json.WriteNumberValue((int)frame.Kind);
                foreach (long count in counts)
                {
                    json.WriteNumberValue(count);
                }

                json.WriteEndArray();
            }
        }

        string note = least == 1 ? "" : string.Create(
            CultureInfo.InvariantCulture,
            $"The profile has more than {MostNodes:N0} nodes. Those with fewer than {least:N0} samples are merged into (other), "
            + $"each below its caller. The table of functions counts all samples.");
        return (Encoding.ASCII.GetString(buffer.WrittenSpan), note);
    }

    /// <summary>The number of samples from which on a node is not merged, so that no more than <see cref="MostNodes"/> remain, and at
    /// most as many nodes of merged ones.</summary>
    private static long LeastSamples(CpuProfile profile)
    {
        long[] counts = [.. FlameNode.Of(profile.Root, 1).Select(node => node.SampleCount).OrderDescending()];
        return counts.Length <= MostNodes ? 1 : counts[MostNodes] + 1;
    }
}
