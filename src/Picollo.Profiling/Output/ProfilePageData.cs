using System.Buffers;
using System.Text.Json;
using Picollo.Export.Text;

namespace Picollo.Profiling.Output;

/// <summary>The data in the page, as compact JSON. <c>frames</c> has the name, the module and the kind of each function. Each of the
/// <c>parts</c> has <c>functions</c>, with frame, own samples and all samples of each function, and <c>nodes</c>, with frame, samples and
/// depth of each node of the tree, a node before its callees. In a difference, each number of samples is a pair: before and after. The
/// <c>units</c> have one entry for each of these numbers: the unit, the numbers per second, and the effective number of samples. If there
/// are several parts, they also have their facts and notes.</summary>
internal sealed class ProfilePageData
{
    private const int MaxNodes = 20_000; // of all parts
    private const int MaxNameLength = 1000;

    private readonly OrderedDictionary<CpuProfileFrame, bool> _frames = [];
    private readonly Utf8JsonWriter _json;
    private readonly bool _isDifference;

    private ProfilePageData(Utf8JsonWriter json, bool isDifference) => (_json, _isDifference) = (json, isDifference);

    /// <param name="parts">The parts of the page.</param>
    /// <param name="notes">Receives the notes of each part, including a note about merged nodes.</param>
    /// <returns>The JSON, in ASCII, without characters that have a meaning in HTML.</returns>
    public static string Serialize(IReadOnlyList<ProfilePagePart> parts, out IReadOnlyList<string>[] notes)
    {
        ArrayBufferWriter<byte> buffer = new();
        using (Utf8JsonWriter json = new(buffer))
        {
            notes = new ProfilePageData(json, parts[0].Tree.IsDifference).Write(parts);
        }

        return Encoding.ASCII.GetString(buffer.WrittenSpan);
    }

    private IReadOnlyList<string>[] Write(IReadOnlyList<ProfilePagePart> parts)
    {
        _json.WriteStartObject();
        _json.WriteBoolean("isDifference", _isDifference);
        _json.WriteStartArray("parts");
        double[] minWidths = GetMinWidths(parts);
        IReadOnlyList<string>[] notes =
            [.. parts.Select((part, i) => minWidths[i] == 0 ? part.Notes : [.. part.Notes, NoteOf(part, minWidths[i])])];
        for (int i = 0; i < parts.Count; i++)
        {
            _json.WriteStartObject();
            if (parts.Count > 1)
            {
                WriteFacts(parts[i], notes[i]);
            }

            WritePart(parts[i], minWidths[i]);
            _json.WriteEndObject();
        }

        _json.WriteEndArray();
        WriteFrames();
        _json.WriteEndObject();
        return notes;
    }

    private void WriteFacts(ProfilePagePart part, IReadOnlyList<string> notes)
    {
        _json.WriteString("name", part.Name);
        _json.WriteStartArray("facts");
        foreach ((string name, string value, string detail) in part.Facts)
        {
            _json.WriteStartArray();
            _json.WriteStringValue(name);
            _json.WriteStringValue(value);
            _json.WriteStringValue(detail);
            _json.WriteEndArray();
        }

        _json.WriteEndArray();
        _json.WriteStartArray("notes");
        foreach (string note in notes)
        {
            _json.WriteStringValue(note);
        }

        _json.WriteEndArray();
        _json.WriteString("noSamplesReason", part.NoSamplesReason ?? "");
    }

    private void WritePart(ProfilePagePart part, double minWidth)
    {
        _json.WriteStartArray("units");
        foreach (ProfileData profile in part.Profiles)
        {
            _json.WriteStartArray();
            _json.WriteStringValue(profile.SampleUnit);
            _json.WriteNumberValue(profile.UnitsPerSecond);
            WriteNumber(profile.Size?.Effective);
            _json.WriteEndArray();
        }

        _json.WriteEndArray();
        _json.WriteStartArray("functions");
        foreach ((CpuProfileFrame frame, SampleCounts own, SampleCounts total) in part.Functions)
        {
            if (part.Tree.WidthOf(total) >= minWidth)
            {
                _json.WriteNumberValue(NumberOf(frame));
                WriteCounts(own);
                WriteCounts(total);
            }
        }

        _json.WriteEndArray();
        _json.WriteStartArray("nodes");
        foreach (FlameNode node in part.Tree.GetNodes(minWidth))
        {
            _json.WriteNumberValue(NumberOf(node.Frame));
            WriteCounts(node.Counts);
            _json.WriteNumberValue(node.Depth);
        }

        _json.WriteEndArray();
    }

    private void WriteCounts(SampleCounts counts)
    {
        _json.WriteNumberValue(counts.Before);
        if (_isDifference)
        {
            _json.WriteNumberValue(counts.After);
        }
    }

    private void WriteNumber(long? number)
    {
        if (number is { } known)
        {
            _json.WriteNumberValue(known);
        }
        else
        {
            _json.WriteNullValue();
        }
    }

    private void WriteFrames()
    {
        _json.WriteStartArray("frames");
        foreach (CpuProfileFrame frame in _frames.Keys)
        {
            _json.WriteStartArray();
            _json.WriteStringValue(FittedText.Shorten(frame.Name, MaxNameLength));
            _json.WriteStringValue(FittedText.Shorten(frame.Module, MaxNameLength));
            _json.WriteNumberValue((int)frame.Kind);
            _json.WriteEndArray();
        }

        _json.WriteEndArray();
    }

    private int NumberOf(CpuProfileFrame frame)
    {
        _frames.TryAdd(frame, true, out int number);
        return number;
    }

    /// <summary>Returns the minimum width of a node that is not merged, for each part, so that at most <see cref="MaxNodes"/> nodes remain
    /// in all parts, plus at most as many merged nodes; 0 if all remain. The first part gets at least half of them. The others share the
    /// rest, and small parts are preferred, so that they are complete.</summary>
    private static double[] GetMinWidths(IReadOnlyList<ProfilePagePart> parts)
    {
        double[][] widths = [.. parts.Select(part => part.Tree.GetNodes(0).Select(node => node.Width).OrderDescending().ToArray())];
        double[] minWidths = new double[parts.Count];
        int rest = MaxNodes / 2;
        int[] others = [.. Enumerable.Range(1, parts.Count - 1).OrderBy(i => widths[i].Length)];
        for (int i = 0; i < others.Length; i++)
        {
            rest -= Limit(others[i], rest / (others.Length - i));
        }

        Limit(0, (MaxNodes / 2) + rest);
        return minWidths;

        int Limit(int part, int count)
        {
            double[] all = widths[part];
            if (all.Length <= count)
            {
                return all.Length;
            }

            minWidths[part] = parts[part].Tree.IsDifference ? Math.BitIncrement(all[count]) : all[count] + 1;
            return count;
        }
    }

    private static string NoteOf(ProfilePagePart part, double minWidth)
    {
        string few = part.Tree.IsDifference ? "the smallest shares"
            : part.Profiles[0].SampleUnit == ProfileData.SamplesUnit ? Invariant($"fewer than {minWidth:N0} samples")
            : $"less than {ProfileText.Amount(part.Profiles[0], (long)minWidth)}";
        return Invariant(
            $"The page is limited to {MaxNodes:N0} nodes. Nodes with {few} are merged into (other), each below its caller. ")
            + "The table of functions counts all samples.";
    }

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);
}
