using Picollo.Cpu;
using Picollo.Export;

namespace Picollo.Profiling;

/// <content>The fields of the messages.</content>
internal sealed partial class PprofReader
{
    private void ReadFields()
    {
        ProtobufReader profile = new(_bytes);
        while (Next(ref profile))
        {
            switch (profile.Field)
            {
                case PprofField.SampleType: Add(_sampleTypes, ReadPair(profile.Bytes)); break;
                case PprofField.Sample: Add(_samples, profile.Place); break;
                case PprofField.Mapping: ReadMapping(profile.Bytes); break;
                case PprofField.Location: ReadLocation(profile.Bytes); break;
                case PprofField.Function: ReadFunction(profile.Bytes); break;
                case PprofField.DropFrames: _dropFrames = profile.Number; break;
                case PprofField.KeepFrames: _keepFrames = profile.Number; break;
                case PprofField.StringTable: Add(_texts, profile.Place); break;
                case PprofField.TimeNanos: _start = profile.Number; break;
                case PprofField.DurationNanos: _duration = profile.Number; break;
                case PprofField.PeriodType: _periodType = ReadPair(profile.Bytes); break;
                case PprofField.Period: _period = profile.Number; break;
                case PprofField.Comment: AddNumbers(profile, _comments); break;
                case PprofField.DefaultSampleType: _defaultType = profile.Number; break;
                case PprofField.Picollo: ReadPicollo(profile.Bytes); break;
                default: break;
            }
        }
    }

    private static bool Next(ref ProtobufReader fields) =>
        fields.Read() || (fields.Damage is { } damage ? throw Damage($"{damage}") : false);

    /// <summary>Adds the numbers of a repeated field, packed or not.</summary>
    private static void AddNumbers(in ProtobufReader field, List<ulong> numbers)
    {
        if (field.IsVarint)
        {
            numbers.Add(field.Number);
        }

        for (ReadOnlySpan<byte> rest = field.Bytes; !rest.IsEmpty && numbers.Count <= MaxEntries;)
        {
            numbers.Add(ProtobufReader.TryReadNumber(ref rest, out ulong number)
                ? number
                : throw Damage($"{ProtobufReader.BadNumber}"));
        }

        if (numbers.Count > MaxEntries)
        {
            throw TooLarge($"a list has more than {MaxEntries:N0} entries");
        }
    }

    private static InvalidDataException TooLarge(FormattableString what) =>
        new($"The profile is too large: {FormattableString.Invariant(what)}.");

    private static InvalidDataException Damage(FormattableString what) =>
        new($"This is not a pprof profile, or it is damaged: {FormattableString.Invariant(what)}.");

    /// <summary>Reads the numbers of the first two fields: type and unit of a value type, function of a line, or name of a label.</summary>
    private static (ulong First, ulong Second) ReadPair(ReadOnlySpan<byte> message)
    {
        (ulong first, ulong second) = (0, 0);
        ProtobufReader fields = new(message);
        while (Next(ref fields))
        {
            first = fields.Field == 1 ? fields.Number : first;
            second = fields.Field == 2 ? fields.Number : second;
        }

        return (first, second);
    }

    private void ReadMapping(ReadOnlySpan<byte> message)
    {
        (ulong id, Mapping mapping) = (0, default);
        ProtobufReader fields = new(message);
        while (Next(ref fields))
        {
            switch (fields.Field)
            {
                case 1: id = fields.Number; break;
                case 2: mapping.Start = fields.Number; break;
                case 4: mapping.Offset = fields.Number; break;
                case 5: mapping.File = fields.Number; break;
                default: break;
            }
        }

        Add(_mappingOf, id, _mappings.Count, "mapping");
        Add(_mappings, mapping);
    }

    private void ReadLocation(ReadOnlySpan<byte> message)
    {
        ulong id = 0, mapping = 0, address = 0;
        List<ulong> functions = [];
        ProtobufReader fields = new(message);
        while (Next(ref fields))
        {
            switch (fields.Field)
            {
                case 1: id = fields.Number; break;
                case 2: mapping = fields.Number; break;
                case 3: address = fields.Number; break;
                case 4 when _lineCount++ < MaxEntries: functions.Add(ReadPair(fields.Bytes).First); break;
                case 4: throw TooMany();
                default: break;
            }
        }

        Add(_locations, id, new Location(mapping, address, [.. functions]), "location");
    }

    private void ReadFunction(ReadOnlySpan<byte> message)
    {
        (ulong id, Function function) = (0, default);
        ProtobufReader fields = new(message);
        while (Next(ref fields))
        {
            switch (fields.Field)
            {
                case 1: id = fields.Number; break;
                case 2: function.Name = fields.Number; break;
                case 3: function.SystemName = fields.Number; break;
                case 4: function.File = fields.Number; break;
                case PprofField.Picollo: function.Kind = KindOf(fields.Number); break;
                default: break;
            }
        }

        Add(_functions, id, function, "function");
    }

    private static CpuProfileFrameKind KindOf(ulong number) =>
        (CpuProfileFrameKind)Math.Min(number, (ulong)CpuProfileFrameKind.Group);

    private void ReadPicollo(ReadOnlySpan<byte> message)
    {
        _isFromPicollo = true;
        long user = 0, kernel = 0, count = 0, effective = 0;
        ProtobufReader fields = new(message);
        while (Next(ref fields))
        {
            switch (fields.Field)
            {
                case PicolloField.Event: _event = Encoding.UTF8.GetString(fields.Bytes); break;
                case PicolloField.IncludesKernel: _includesKernel = fields.Number != 0; break;
                case PicolloField.UserNanoseconds: user = Signed(fields.Number); break;
                case PicolloField.KernelNanoseconds: kernel = Signed(fields.Number); break;
                case PicolloField.Lost: _lost = fields.Number; break;
                case PicolloField.SampleCount: count = Signed(fields.Number); break;
                case PicolloField.EffectiveSampleCount: effective = Signed(fields.Number); break;
                default: break;
            }
        }

        _usage = (user | kernel) > 0 ? new(user, kernel) : null;
        _size = count > 0 ? new(count, effective) : null;
    }

    /// <returns>A hash of the locations and the labels.</returns>
    private ulong ReadSample(ReadOnlySpan<byte> message, List<ulong> locations, List<ulong> values, out bool hasTimestamp)
    {
        locations.Clear();
        values.Clear();
        ulong labels = 0;
        hasTimestamp = false;
        ProtobufReader fields = new(message);
        while (Next(ref fields))
        {
            switch (fields.Field)
            {
                case 1: AddNumbers(fields, locations); break;
                case 2: AddNumbers(fields, values); break;
                case 3:
                    labels = Hash(labels, fields.Bytes);
                    hasTimestamp = hasTimestamp || IsTimestamp(fields.Bytes);
                    break;
                default: break;
            }
        }

        return Hash(labels, MemoryMarshal.AsBytes(CollectionsMarshal.AsSpan(locations)));
    }

    /// <summary>Returns whether a label is the time of a sample, such as <c>end_timestamp_ns</c>.</summary>
    private bool IsTimestamp(ReadOnlySpan<byte> label) => Text(ReadPair(label).First).IndexOf("timestamp"u8) >= 0;

    /// <summary>Continues a hash (FNV-1a).</summary>
    private static ulong Hash(ulong hash, ReadOnlySpan<byte> bytes)
    {
        foreach (byte value in bytes)
        {
            hash = unchecked((hash ^ value ^ 0xcbf29ce484222325) * 0x100000001b3);
        }

        return hash;
    }

    private static void Add<T>(List<T> all, T value)
    {
        if (all.Count == MaxEntries)
        {
            throw TooMany();
        }

        all.Add(value);
    }

    private static void Add<T>(Dictionary<ulong, T> all, ulong id, T value, string kind)
    {
        if (all.Count == MaxEntries)
        {
            throw TooMany();
        }

        if (id == 0 || !all.TryAdd(id, value))
        {
            throw Damage($"a {kind} has an invalid or duplicate ID: {id}");
        }
    }

    private static InvalidDataException TooMany() =>
        TooLarge($"it has more than {MaxEntries:N0} entries of one kind");

    private record struct Mapping(ulong Start, ulong Offset, ulong File);

    private record struct Function(ulong Name, ulong SystemName, ulong File, CpuProfileFrameKind? Kind);

    private sealed record Location(ulong Mapping, ulong Address, ulong[] Functions);
}
