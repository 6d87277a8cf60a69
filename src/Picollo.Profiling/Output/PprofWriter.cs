using System.IO.Compression;
using Picollo.Export;

namespace Picollo.Profiling;

/// <summary>Writes a profile as the message <c>perftools.profiles.Profile</c> of pprof's proto/profile.proto, compressed with
/// gzip.</summary>
internal sealed class PprofWriter : IDisposable
{
    /// <summary>The bits of the addresses of a module. The addresses are not real; pprof distinguishes functions by them.</summary>
    private const int MappingBits = 32;

    private const int FlushBytes = 1 << 16;

    private readonly GZipStream _output;
    private readonly ProtobufBuffer _message = new();

    // The position of an entry is its number. In pprof, numbers start at 1, except those of strings.
    private readonly OrderedDictionary<string, bool> _strings = new(StringComparer.Ordinal) { [""] = true };
    private readonly OrderedDictionary<CpuProfileFrame, bool> _functions = [];
    private readonly OrderedDictionary<string, bool> _mappings = new(StringComparer.Ordinal);

    private PprofWriter(Stream output) => _output = new GZipStream(output, CompressionLevel.Optimal, leaveOpen: true);

    public static void Write(ProfileData profile, Stream output)
    {
        using var writer = new PprofWriter(output);
        writer.Write(profile);
    }

    public void Dispose()
    {
        _output.Dispose();
        _message.Dispose();
    }

    private void Write(ProfileData profile)
    {
        ulong period = profile.Frequency > 0 ? (ulong)Math.Round(ProfileData.NanosecondsPerSecond / profile.Frequency) : 0;
        bool isSamples = profile.SampleUnit == ProfileData.SamplesUnit;
        if (isSamples)
        {
            WriteValueType(PprofField.SampleType, ProfileData.SamplesUnit, ProfileData.CountUnit);
        }

        if (!isSamples || period > 0)
        {
            WriteValueType(PprofField.SampleType, profile.SampleType, isSamples ? ProfileData.TimeUnit : profile.SampleUnit);
        }

        WriteValueType(PprofField.PeriodType, profile.SampleType, period > 0 ? ProfileData.TimeUnit : ProfileData.CountUnit);
        _message.WriteVarint(PprofField.Period, period);
        _message.WriteVarint(PprofField.TimeNanos, Nanoseconds((profile.StartTime ?? default) - DateTimeOffset.UnixEpoch));
        _message.WriteVarint(PprofField.DurationNanos, Nanoseconds(profile.Duration));
        _message.WriteVarint(
            PprofField.DefaultSampleType, Text(isSamples && period == 0 ? ProfileData.SamplesUnit : profile.SampleType));
        foreach (string comment in profile.Notes.Prepend(profile.Title))
        {
            _message.WriteVarint(PprofField.Comment, Text(comment));
        }

        int own = _message.Begin(PprofField.Picollo);
        _message.WriteText(PicolloField.Event, profile.EventName);
        _message.WriteVarint(PicolloField.IncludesKernel, profile.IncludesKernel ? 1u : 0);
        _message.WriteVarint(PicolloField.UserNanoseconds, (ulong)(profile.CpuUsage ?? default).UserNanoseconds);
        _message.WriteVarint(PicolloField.KernelNanoseconds, (ulong)(profile.CpuUsage ?? default).KernelNanoseconds);
        _message.WriteVarint(PicolloField.Lost, (ulong)profile.LostSampleCount);
        if (!isSamples && profile.Size is { } size)
        {
            _message.WriteVarint(PicolloField.SampleCount, (ulong)size.Count);
            _message.WriteVarint(PicolloField.EffectiveSampleCount, (ulong)size.Effective);
        }

        _message.End(own);

        // pprof regards the first mapping as the program. Frames without a module belong to it.
        NumberOf(_mappings, "");
        foreach ((IReadOnlyList<CpuProfileFrame> stack, long count) in profile.GetStacks())
        {
            WriteSample(stack, isSamples && period > 0 ? [(ulong)count, Product(count, period)] : [(ulong)count]);
        }

        foreach (CpuProfileFrame frame in _functions.Keys)
        {
            WriteFunction(frame);
        }

        foreach (string module in _mappings.Keys)
        {
            WriteMapping(module, module.Length > 0 ? module : profile.Title);
        }

        foreach (string text in _strings.Keys)
        {
            _message.WriteText(PprofField.StringTable, text);
            Flush(FlushBytes);
        }

        Flush(0);
    }

    private void WriteValueType(int field, string type, string unit)
    {
        int start = _message.Begin(field);
        _message.WriteVarint(1, Text(type));
        _message.WriteVarint(2, Text(unit));
        _message.End(start);
    }

    private void WriteSample(IReadOnlyList<CpuProfileFrame> stack, ReadOnlySpan<ulong> counts)
    {
        int start = _message.Begin(PprofField.Sample);
        int locations = _message.Begin(1);
        for (int i = stack.Count - 1; i >= 0; i--)
        {
            _message.WriteUnsigned(NumberOf(_functions, stack[i]));
        }

        _message.End(locations);
        int values = _message.Begin(2);
        foreach (ulong count in counts)
        {
            _message.WriteUnsigned(count);
        }

        _message.End(values);
        _message.End(start);
        Flush(FlushBytes);
    }

    /// <summary>Writes a function and its only location, which has the same number.</summary>
    private void WriteFunction(CpuProfileFrame frame)
    {
        ulong number = NumberOf(_functions, frame);
        ulong mapping = NumberOf(_mappings, frame.Module);
        int function = _message.Begin(PprofField.Function);
        _message.WriteVarint(1, number);
        _message.WriteVarint(2, Text(frame.Name));
        _message.WriteVarint(3, Text(frame.Name)); // system_name
        _message.WriteVarint(4, Text(frame.Module)); // filename
        _message.WriteVarint(PprofField.Picollo, (ulong)frame.Kind);
        _message.End(function);
        int location = _message.Begin(PprofField.Location);
        _message.WriteVarint(1, number);
        _message.WriteVarint(2, mapping);
        _message.WriteVarint(3, (mapping << MappingBits) + number); // address
        int line = _message.Begin(4);
        _message.WriteVarint(1, number);
        _message.End(line);
        _message.End(location);
        Flush(FlushBytes);
    }

    private void WriteMapping(string module, string filename)
    {
        ulong number = NumberOf(_mappings, module);
        int start = _message.Begin(PprofField.Mapping);
        _message.WriteVarint(1, number);
        _message.WriteVarint(2, number << MappingBits); // memory_start
        _message.WriteVarint(3, (number + 1) << MappingBits); // memory_limit
        _message.WriteVarint(5, Text(filename));
        _message.WriteVarint(7, 1); // has_functions: pprof need not look for symbols
        _message.End(start);
    }

    private ulong Text(string text) => NumberOf(_strings, text) - 1;

    private static ulong NumberOf<T>(OrderedDictionary<T, bool> all, T one)
        where T : notnull
    {
        all.TryAdd(one, true, out int index);
        return (ulong)index + 1;
    }

    private static ulong Nanoseconds(TimeSpan time) => Product(Math.Max(time.Ticks, 0), TimeSpan.NanosecondsPerTick);

    /// <summary>Returns a product as an int64, the type of the fields: the largest one if it does not fit.</summary>
    private static ulong Product(long count, ulong factor) => (ulong)UInt128.Min((UInt128)count * factor, long.MaxValue);

    private void Flush(int minimum)
    {
        if (_message.Written.Length > minimum)
        {
            _output.Write(_message.Written);
            _message.Clear();
        }
    }
}

/// <summary>The fields of pprof's <c>Profile</c>.</summary>
internal static class PprofField
{
    public const int SampleType = 1;
    public const int Sample = 2;
    public const int Mapping = 3;
    public const int Location = 4;
    public const int Function = 5;
    public const int StringTable = 6;
    public const int DropFrames = 7;
    public const int KeepFrames = 8;
    public const int TimeNanos = 9;
    public const int DurationNanos = 10;
    public const int PeriodType = 11;
    public const int Period = 12;
    public const int Comment = 13;
    public const int DefaultSampleType = 14;

    /// <summary>A field for data that pprof does not support: in <c>Profile</c> a message of <see cref="PicolloField"/>, and in
    /// <c>Function</c> the kind of code. Readers of Protocol Buffers skip unknown fields.</summary>
    public const int Picollo = 1000;
}

/// <summary>The fields of the message <see cref="PprofField.Picollo"/>.</summary>
internal static class PicolloField
{
    public const int Event = 1;
    public const int IncludesKernel = 2;
    public const int UserNanoseconds = 3;
    public const int KernelNanoseconds = 4;
    public const int Lost = 5;
    public const int SampleCount = 6;
    public const int EffectiveSampleCount = 7;
}
