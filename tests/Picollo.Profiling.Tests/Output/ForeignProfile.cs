using System.Text;

namespace Picollo.Profiling.Tests.Output;

/// <summary>A pprof profile as other tools write it.</summary>
public sealed class ForeignProfile
{
    private readonly List<string> _texts = [""];
    private readonly List<byte> _message = [];

    /// <summary>Returns a profile with functions F1, F2, …, each of which has a location with the same number.</summary>
    internal static ForeignProfile Of(int functions, params (string Type, string Unit)[] types)
    {
        ForeignProfile profile = new();
        foreach ((string type, string unit) in types)
        {
            profile.SampleType(type, unit);
        }

        for (ulong i = 1; i <= (ulong)functions; i++)
        {
            profile.Function(i, $"F{i}", "", "");
            profile.Location(i, 0, i, i);
        }

        return profile;
    }

    internal byte[] ToBytes() => [.. _message, .. _texts.SelectMany(text => Field(6, Encoding.UTF8.GetBytes(text)))];

    internal CpuProfile Read() => Profiles.Read(ToBytes());

    /// <summary>Adds a field whose value is the number of a text, such as the default sample type.</summary>
    internal ForeignProfile TextNumber(int field, string text) => Number(field, Text(text));

    internal ForeignProfile Number(int field, ulong number) => Raw(Field(field, number));

    /// <summary>Adds bytes as they are: a field of any type.</summary>
    internal ForeignProfile Raw(params byte[] field)
    {
        _message.AddRange(field);
        return this;
    }

    internal ForeignProfile SampleType(string type, string unit) => ValueType(1, type, unit);

    internal ForeignProfile ValueType(int field, string type, string unit) => Message(field, Field(1, Text(type)), Field(2, Text(unit)));

    /// <summary>Adds the type of the period and the period.</summary>
    internal ForeignProfile Period(string type, string unit, ulong period) => ValueType(11, type, unit).Number(12, period);

    internal ForeignProfile Mapping(ulong id, ulong start, ulong offset, string file) =>
        Message(3, Field(1, id), Field(2, start), Field(4, offset), Field(5, Text(file)));

    internal ForeignProfile Function(ulong id, string name, string systemName = "", string file = "") =>
        Message(5, Field(1, id), Field(2, Text(name)), Field(3, Text(systemName)), Field(4, Text(file)));

    internal ForeignProfile Location(ulong id, ulong mapping, ulong address, params ulong[] functions) => Message(
        4,
        [
            Field(1, id), Field(2, mapping), Field(3, address),
            .. functions.Select(function => Field(4, [.. Field(1, function), .. Field(2, 12)])), // and the line in the source
        ]);

    internal ForeignProfile Sample(ulong[] locations, ulong[] values, bool isPacked = true) => Message(2, isPacked
        ? [Field(1, [.. locations.SelectMany(Varint)]), Field(2, [.. values.SelectMany(Varint)])]
        : [.. locations.Select(location => Field(1, location)), .. values.Select(value => Field(2, value))]);

    /// <summary>Adds a number of equal samples.</summary>
    internal ForeignProfile Samples(int count, ulong[] locations, params ulong[] values)
    {
        for (int i = 0; i < count; i++)
        {
            Sample(locations, values);
        }

        return this;
    }

    /// <summary>Adds a sample with a label, or with two.</summary>
    internal ForeignProfile LabeledSample(ulong[] locations, ulong[] values, string label, ulong number, string? second = null) => Message(
        2,
        Field(1, [.. locations.SelectMany(Varint)]),
        Field(2, [.. values.SelectMany(Varint)]),
        Field(3, [.. Field(1, Text(label)), .. Field(3, number)]),
        second is null ? [] : Field(3, Field(1, Text(second))));

    private ForeignProfile Message(int field, params byte[][] fields) => Raw(Field(field, [.. fields.SelectMany(bytes => bytes)]));

    private ulong Text(string text)
    {
        _texts.Add(text);
        return (ulong)_texts.Count - 1;
    }

    private static byte[] Field(int field, ulong number) => [.. Varint((ulong)field << 3), .. Varint(number)];

    private static byte[] Field(int field, byte[] bytes) => [.. Varint(((ulong)field << 3) | 2), .. Varint((ulong)bytes.Length), .. bytes];

    private static IEnumerable<byte> Varint(ulong number)
    {
        for (; number >= 0x80; number >>= 7)
        {
            yield return (byte)(number | 0x80);
        }

        yield return (byte)number;
    }
}
