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
    private const double LeastShare = 0.0002;
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
            foreach (CpuProfileFrame group in tree.Select(node => node.Frame).Where(frame => !numbers.ContainsKey(frame)).Distinct().ToArray())
            {
                WriteFrame(group);
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
                json.WriteStringValue(PlotText.Visible(PlotText.Shorten(frame.Name, LettersOfName)));
                json.WriteStringValue(PlotText.Visible(PlotText.Shorten(frame.Module, LettersOfName)));
                json.WriteNumberValue((int)frame.Kind);
                foreach (long count in counts)
                {
                    json.WriteNumberValue(count);
                }

                json.WriteEndArray();
            }
        }

        string note = least == 1 ? "" : $"The profile has more than {MostNodes.ToString("N0", CultureInfo.InvariantCulture)} nodes. Those with less than "
            + $"{ProfileText.Share(least, profile.SampleCount)} of the samples are merged into (other), each below its caller. The table of functions counts them.";
        return (Encoding.ASCII.GetString(buffer.WrittenSpan), note);
    }

    /// <summary>The samples of the smallest node that is not merged, so that no more than <see cref="MostNodes"/> remain, or a few times
    /// as many where most have a node of merged ones below.</summary>
    private static long LeastSamples(CpuProfile profile)
    {
        long[] counts = [.. FlameNode.Of(profile.Root, 1).Select(node => node.SampleCount)];
        long least = 1;
        for (double share = LeastShare; counts.Count(count => count >= least) > MostNodes && least < profile.SampleCount; share *= 2)
        {
            least = Math.Max(2, (long)Math.Ceiling(profile.SampleCount * share));
        }

        return least;
    }
}
