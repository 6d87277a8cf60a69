using System.IO.Compression;
using Picollo.Cpu;
using Picollo.Export;
using Picollo.Export.Text;

namespace Picollo.Profiling;

/// <summary>Reads a pprof profile: the message <c>perftools.profiles.Profile</c> of its proto/profile.proto, with or without
/// gzip.</summary>
/// <remarks>The input may be malicious. Its size, the number of its entries and the work that they cause are limited.</remarks>
internal sealed partial class PprofReader
{
    private const int MaxBytes = 1 << 28; // also decompressed
    private const int MaxEntries = 1_000_000; // of each kind, and nodes of the tree
    private const int MaxFrames = 1 << 16; // of a stack
    private const int MaxNotes = 100;
    private const int MaxLetters = 1 << 28; // of all names of functions
    private const long MaxWork = 1L << 31; // about a nanosecond each
    private const int WorkOfFrame = 16;

    private static readonly CpuProfileFrame All = new("all", "", CpuProfileFrameKind.Group);

    private readonly byte[] _bytes;
    private readonly List<Range> _texts = [];
    private readonly List<Range> _samples = [];
    private readonly List<(ulong Type, ulong Unit)> _sampleTypes = [];
    private readonly List<ulong> _comments = [];
    private readonly List<Mapping> _mappings = [];
    private readonly Dictionary<ulong, int> _mappingOf = [];
    private readonly Dictionary<ulong, Function> _functions = [];
    private readonly Dictionary<ulong, Location> _locations = [];
    private (ulong Type, ulong Unit) _periodType;
    private ulong _period;
    private ulong _defaultType;
    private ulong _dropFrames;
    private ulong _keepFrames;
    private ulong _start;
    private ulong _duration;
    private bool _isFromPicollo;
    private ulong _lost;
    private SampleSize? _size;
    private string _event = "";
    private bool _includesKernel;
    private CpuUsage? _usage;
    private int _lineCount;
    private long _letters;
    private long _work;

    private PprofReader(byte[] bytes) => _bytes = bytes;

    public static ProfileData Read(Stream input, string? sampleType)
    {
        byte[] bytes = ReadAll(input);
        var reader = new PprofReader(bytes is [0x1F, 0x8B, ..] ? Decompress(bytes) : bytes);
        reader.ReadFields();
        return reader.Build(sampleType);
    }

    private ProfileData Build(string? sampleType)
    {
        if (_sampleTypes.Count == 0 || _texts.Count == 0 || !Text(0).IsEmpty)
        {
            throw Damage($"it has no sample types, or no strings");
        }

        string[] comments = [.. _comments.Select(TextOf)];
        ReadPatterns();
        PprofValues values = ReadValues(sampleType, out CpuProfileNode root);
        return new ProfileData(root)
        {
            Title = _isFromPicollo ? comments.FirstOrDefault("") : _mappings.Count > 0 ? FileName(_mappings[0].File) : "",
            StartTime = Time(_start) > TimeSpan.Zero ? DateTimeOffset.UnixEpoch + Time(_start) : null,
            Duration = Time(_duration),
            SampleType = values.Type,
            SampleUnit = values.Unit,
            Frequency = values.Frequency,
            Size = values.Size,
            EventName = FittedText.Shorten(CleanText.From(_event), MaxTypeLength),
            IncludesKernel = _includesKernel,
            CpuUsage = _usage,
            LostSampleCount = Signed(_lost),
            Notes = [.. comments.Skip(_isFromPicollo ? 1 : 0).Take(MaxNotes)],
        };
    }

    private static byte[] ReadAll(Stream input)
    {
        using MemoryStream all = new();
        CopyTo(input, all);
        return all.ToArray();
    }

    /// <summary>Decompresses data. First only counts the bytes, so that a small file that expands allocates nothing.</summary>
    private static byte[] Decompress(byte[] compressed)
    {
        byte[] all;
        using (GZipStream gzip = new(new MemoryStream(compressed), CompressionMode.Decompress))
        {
            all = new byte[CopyTo(gzip, Stream.Null)];
        }

        using (GZipStream gzip = new(new MemoryStream(compressed), CompressionMode.Decompress))
        {
            CopyTo(gzip, new MemoryStream(all));
        }

        return all;
    }

    private static int CopyTo(Stream input, Stream output)
    {
        byte[] buffer = new byte[1 << 16];
        int length = 0;
        for (int read; (read = Read(input, buffer)) > 0; length += read)
        {
            if (read > MaxBytes - length)
            {
                throw TooLarge($"it has more than {MaxBytes:N0} bytes");
            }

            output.Write(buffer, 0, read);
        }

        return length;
    }

    private static int Read(Stream input, byte[] buffer)
    {
        try
        {
            return input.Read(buffer);
        }
        catch (InvalidDataException e)
        {
            throw new InvalidDataException("The gzip data is damaged.", e);
        }
    }

    private string TextOf(ulong index)
    {
        ReadOnlySpan<byte> text = Text(index);
        _letters += text.Length;
        return _letters <= MaxLetters ? Encoding.UTF8.GetString(text) : throw TooLarge($"its names are too long");
    }

    private ReadOnlySpan<byte> Text(ulong index) =>
        index < (ulong)_texts.Count ? _bytes.AsSpan(_texts[(int)index]) : throw Damage($"string {index} does not exist");

    /// <summary>Counts work, so that a small file cannot cause a large amount of it.</summary>
    private void Spend(int work)
    {
        _work += work;
        if (_work > MaxWork)
        {
            throw TooLarge($"its stacks are too long");
        }
    }

    private static long Signed(ulong number) => Math.Max((long)number, 0);

    private static TimeSpan Time(ulong nanoseconds) => TimeSpan.FromTicks(Signed(nanoseconds) / TimeSpan.NanosecondsPerTick);
}
