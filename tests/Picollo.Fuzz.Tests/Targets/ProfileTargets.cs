using Picollo.Cpu;
using Picollo.Profiling;
using Picollo.Profiling.Events;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Tests;
using Picollo.Profiling.Tests.Events;
using Picollo.Profiling.Tests.Output;
using Picollo.Profiling.Waits;
using static Picollo.Fuzz.Tests.FuzzTargets;
using static Picollo.Profiling.Tests.Profiles;
using static Picollo.Profiling.Tests.Sampling.KernelRecords;

namespace Picollo.Fuzz.Tests;

/// <summary>Profiles, and the kernel's records from which they are created.</summary>
internal static class ProfileTargets
{
    public static FuzzTarget[] All { get; } =
    [
        new("pprof", () => [.. Pprofs], ReadPprof)
        {
            Documented = [typeof(InvalidDataException)],
            ConstantBytes = 32_000_000, // the automaton of a pattern of dropped frames, which .NET limits
            BytesPerByte = 3_000, // a repeated function of a few bytes is a node
        },
        new("perf-records", () => [new([.. Records]), new(Sample(100, 101, 5, 77, 0x30, 0x21, 0x31))], ReadRecords) { BytesPerByte = 200 },
        new("nettrace", () => [new(Events())], ReadEvents) { Documented = [typeof(InvalidDataException)], BytesPerByte = 200, ConstantBytes = 1_000_000 },
    ];

    private static IEnumerable<FuzzSeed> Pprofs
    {
        get
        {
            foreach (CpuProfile profile in new[] { Profiles.Of("Main;Work;Inner 5", "Main;Rest 300"), Profiles.Random(new Random(1)) })
            {
                yield return new(Written(profile));
                yield return new(Decompressed(profile));
            }

            yield return new(Times().ToBytes());
            yield return new(Heap().ToBytes());
        }
    }

    /// <summary>Times of single samples, with labels and patterns of dropped frames.</summary>
    private static ForeignProfile Times()
    {
        ForeignProfile profile = ForeignProfile.Of(3, ("sample", "count"), ("wall", "microseconds"));
        profile.ValueType(11, "wall", "microseconds");
        profile.Number(12, 10_000);
        profile.TextNumber(7, "F[12]|std::.*");
        profile.TextNumber(8, "F2");
        profile.Location(4, 0, 4, 3, 1, 2);
        profile.Sample([1, 3], [1, 10_000]);
        profile.LabeledSample([2, 4, 3], [2, 20_000], "end_timestamp_ns", 1_700_000_000);
        return profile;
    }

    private static ForeignProfile Heap()
    {
        ForeignProfile profile = ForeignProfile.Of(2, ("alloc_objects", "count"), ("inuse_space", "bytes"));
        profile.TextNumber(14, "inuse_space");
        profile.Sample([1], [990, 0]);
        profile.Sample([2], [10, 10_485_760]);
        return profile;
    }

    private static IEnumerable<byte> Records =>
    [
        .. Mmap(100, 0x400000, 0x1000, 0, "/usr/bin/app"), .. Task(7, 200, 200, 100), .. Comm(200, 200, Exec, "child"), .. Sample(100, 101, 5, 1, 0x400010, 0x400020),
        .. Sample(200, 200, 6, 1, 0xfffffffffffffe00, 0x400010), .. Record(2, 0, Numbers(1, 40)), .. Task(4, 200, 200, 100),
    ];

    private static byte[] Events() => new NettraceStream()
        .Describe(1, "Microsoft-Windows-DotNETRuntime", 301)
        .Describe(2, "Microsoft-Windows-DotNETRuntime", 302)
        .Describe(3, "System.Diagnostics.Eventing.FrameworkEventSource", 31)
        .Stacks(1, [0x10, 0x20], [0x30])
        .Events(new(1, 1, 100, 1, 1000, [1, 2]), new(2, 2, 100, 0, 1010, []), new(3, 7, 101, 2, 1020, [1, 0, 0, 0, 0, 0, 0, 0]))
        .SequencePoint(2000, (100, 3), (101, 9))
        .ToArray();

    /// <summary>Reads events and adds up their waits.</summary>
    private static long ReadEvents(byte[] input)
    {
        MemoryStream stream = new(input);
        NettraceReader reader = new(stream.Read);
        WaitCollector waits = new(new FlowTimeline(new FlowRecorder(maxChunks: 2)));
        long count = 0;
        for (; reader.MoveNext(); count++)
        {
            Check(reader.Payload.Length <= input.Length && reader.Stack.Length <= input.Length, "An event is longer than the stream.");
            waits.Add(reader, (int)(count % 2));
        }

        waits.Complete(long.MaxValue);
        return count + reader.LostCount;
    }

    /// <summary>Writes a profile and reads it again. The result must be equal, in its unit and with its sample size.</summary>
    private static long ReadPprof(byte[] input)
    {
        CpuProfile profile = Read(input);
        using StringWriter page = new();
        profile.WriteHtml(page);
        CpuProfile read = Read(Written(profile));
        Check(Json(read) == Json(profile), "The profile differs after it was written and read.");
        string difference = new CpuProfileDifference(profile, profile).ToString();
        Check(new CpuProfileDifference(read, read).ToString() == difference, "The difference changed after the profile was written and read.");
        Check(!difference.Contains("NaN", StringComparison.Ordinal), "The difference contains numbers that are not defined.");
        return profile.Value;
    }

    /// <summary>Splits records like the reader of a ring: each record has its size.</summary>
    private static long ReadRecords(byte[] input)
    {
        SampleCollector samples = new(100, "app", [new(0x400000, 0x1000, 0, "/usr/bin/app")], followsChildren: true);
        ReadOnlySpan<byte> rest = input;
        while (rest.Length >= PerfRecord.HeaderSize && PerfRecord.SizeOf(rest) is >= PerfRecord.HeaderSize and var size && size <= rest.Length)
        {
            PerfRecord record = new(rest[..size]);
            Check(record.CallChain.Length <= size / sizeof(ulong), "A call chain is longer than its record.");
            _ = (record.ProcessId, record.ThreadId, record.Time, record.EventId, record.LostCount, record.Name, record.Mapping);
            samples.Handle(record, 0);
            rest = rest[size..];
        }

        Check(samples.SampleCount >= 0, "The number of samples is negative.");
        return samples.SampleCount + samples.Processes.Count;
    }
}
