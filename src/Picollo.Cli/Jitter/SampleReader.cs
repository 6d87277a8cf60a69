using System.Buffers.Binary;

namespace Picollo.Cli.Jitter;

/// <summary>A sample: the CPU, the CLOCK_MONOTONIC time when the thread ran, and the latency in the unit of the file.</summary>
internal readonly record struct JitterSample(int Cpu, long TimeNanoseconds, ulong Latency);

/// <summary>Reads samples that <c>picollo jitter</c> or jitterdebugger saved (see <see cref="SampleFile"/>).</summary>
internal sealed class SampleReader(Stream stream, string name, ulong unitNanoseconds) : IDisposable
{
    private const int SamplesInBuffer = 2048;
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const long MaxSeconds = (long.MaxValue / NanosecondsPerSecond) - 1;

    public bool IsFile => stream.CanSeek;

    /// <summary>Reads all samples in order. Can be called again only if <see cref="IsFile"/> is <see langword="true"/>.</summary>
    /// <exception cref="CommandException">The input is truncated or damaged; the message contains the offset. In a file, but not in a pipe,
    /// truncation is detected before the first sample is returned.</exception>
    public IEnumerable<JitterSample> ReadAll()
    {
        if (IsFile)
        {
            stream.Position = 0;
            ThrowIfIncomplete(stream.Length);
        }

        return Read();
    }

    public void Dispose() => stream.Dispose();

    private IEnumerable<JitterSample> Read()
    {
        byte[] buffer = new byte[SamplesInBuffer * SampleFile.SampleLength];
        int length;
        for (long offset = 0; (length = Fill(buffer)) > 0; offset += length)
        {
            for (int i = 0; i <= length - SampleFile.SampleLength; i += SampleFile.SampleLength)
            {
                yield return Parse(buffer.AsSpan(i, SampleFile.SampleLength), offset + i);
            }

            ThrowIfIncomplete(offset + length);
        }
    }

    private int Fill(byte[] buffer) =>
        CommandException.OnFile(name, () => stream.ReadAtLeast(buffer, buffer.Length, throwOnEndOfStream: false));

    private JitterSample Parse(ReadOnlySpan<byte> sample, long offset)
    {
        uint cpu = BinaryPrimitives.ReadUInt32LittleEndian(sample);
        long seconds = BinaryPrimitives.ReadInt64LittleEndian(sample[4..]);
        long nanoseconds = BinaryPrimitives.ReadInt64LittleEndian(sample[12..]);
        ulong latency = BinaryPrimitives.ReadUInt64LittleEndian(sample[20..]);
        if (cpu > CpuList.Highest)
        {
            throw Damaged(offset, Invariant($"invalid CPU {cpu}"));
        }

        if (seconds is < 0 or > MaxSeconds || nanoseconds is < 0 or >= NanosecondsPerSecond)
        {
            throw Damaged(offset, Invariant($"invalid time of {seconds} s and {nanoseconds} ns"));
        }

        // The clock starts with the machine, so a latency cannot be longer than the time.
        long time = (seconds * NanosecondsPerSecond) + nanoseconds;
        return latency <= (ulong)time / unitNanoseconds
            ? new((int)cpu, time, latency)
            : throw Damaged(offset, Invariant($"invalid latency of {latency} at {seconds} s"));
    }

    private CommandException Damaged(long offset, string what) =>
        new(Invariant($"{name}: offset {offset}: {what}: the file is damaged or does not contain samples"));

    private void ThrowIfIncomplete(long length)
    {
        if (length % SampleFile.SampleLength is > 0 and var rest)
        {
            throw new CommandException(Invariant(
                $"{name}: offset {length - rest}: the last sample is incomplete: {rest} of {SampleFile.SampleLength} bytes"));
        }
    }
}

/// <summary>The location of saved samples, and the unit of their latencies, which the file does not contain.</summary>
/// <param name="Path">The path of the file, or <see cref="StandardInput"/>.</param>
/// <param name="UnitNanoseconds">The unit: 1 for nanoseconds, 1,000 for microseconds.</param>
internal sealed record SampleSource(string Path, ulong UnitNanoseconds)
{
    public const string StandardInput = "-";

    private const ulong Microseconds = 1000;

    public string UnitName => UnitNanoseconds == 1 ? "ns" : "us";

    /// <summary>Finds the sample file in a folder of results, or uses the specified file.</summary>
    /// <param name="path">The path of a file or folder, or <see cref="StandardInput"/>.</param>
    /// <param name="inNanoseconds">Whether the unit is nanoseconds. Otherwise, the unit is read from the results in the same folder; it
    /// defaults to microseconds.</param>
    public static SampleSource Find(string path, bool inNanoseconds)
    {
        string file = Directory.Exists(path) ? System.IO.Path.Combine(path, SampleFile.Name) : path;
        bool hasResults = System.IO.Path.GetFileName(file) == SampleFile.Name;
        ulong? unit = inNanoseconds ? 1 : hasResults ? SavedResults.UnitOf(System.IO.Path.GetDirectoryName(file)!) : null;
        return new(file, unit ?? Microseconds);
    }

    public SampleReader Open(Terminal terminal) => CommandException.OnFile(Path, () => Path == StandardInput
        ? new SampleReader(terminal.OpenInput(), "standard input", UnitNanoseconds)
        : new(new FileStream(Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete), Path, UnitNanoseconds));
}
