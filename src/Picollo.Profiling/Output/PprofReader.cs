using System.Globalization;
using System.IO.Compression;
using System.Text;
using Picollo.Cpu;
using Picollo.Export;
using Picollo.Export.Plots;

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
    private const int MaxEventNameLength = 60;
    private const int MaxLetters = 1 << 28; // of all names of functions
    private const long MaxWork = 1L << 31; // about a nanosecond each
    private const int WorkOfFrame = 16;
    private const double NanosecondsPerSecond = 1e9;

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
    private ulong _start;
    private ulong _duration;
    private bool _isFromPicollo;
    private ulong _lost;
    private string _event = "";
    private bool _includesKernel;
    private CpuUsage _usage;
    private int _lineCount;
    private long _letters;
    private long _work;

    private PprofReader(byte[] bytes) => _bytes = bytes;

    public static CpuProfile Read(Stream input)
    {
        byte[] bytes = ReadAll(input);
        if (bytes is [0x1F, 0x8B, ..])
        {
            using GZipStream gzip = new(new MemoryStream(bytes), CompressionMode.Decompress);
            bytes = ReadAll(gzip);
        }

        var reader = new PprofReader(bytes);
        reader.ReadFields();
        return reader.Build();
    }

    private static byte[] ReadAll(Stream input)
    {
        using MemoryStream all = new();
        byte[] buffer = new byte[1 << 16];
        while (all.Length <= MaxBytes)
        {
            int read = Read(input, buffer);
            if (read == 0)
            {
                return all.ToArray();
            }

            all.Write(buffer, 0, read);
        }

        throw ProtobufReader.TooLarge($"it has more than {MaxBytes:N0} bytes");
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

    private CpuProfile Build()
    {
        if (_sampleTypes.Count == 0 || _texts.Count == 0 || !Text(0).IsEmpty)
        {
            throw ProtobufReader.Damage($"it has no sample types, or no strings");
        }

        string[] comments = [.. _comments.Select(TextOf)];
        int type = Math.Max(_sampleTypes.FindIndex(one => TextOf(one.Type) == "samples" && TextOf(one.Unit) == "count"), 0);
        bool isTime = TextOf(_sampleTypes[type].Unit) == "nanoseconds";
        int frequency = TextOf(_periodType.Unit) == "nanoseconds" && Signed(_period) > 0
            ? (int)Math.Round(NanosecondsPerSecond / _period)
            : 0;

        // In a profile that has only times, each period counts as a sample.
        CpuProfileNode root = BuildTree(type, isTime && frequency > 0 ? Signed(_period) : 1);
        return new CpuProfile(root)
        {
            Title = _isFromPicollo ? comments.FirstOrDefault("") : _mappings.Count > 0 ? FileName(_mappings[0].File) : "",
            StartTimeUtc = Time(_start) > TimeSpan.Zero ? DateTime.UnixEpoch + Time(_start) : default,
            Duration = Time(_duration),
            Frequency = frequency,
            EventName = PlotText.Shorten(CleanText.Of(EventOf(type)), MaxEventNameLength),
            IncludesKernel = _includesKernel,
            CpuUsage = _isFromPicollo || frequency == 0
                ? _usage
                : new CpuUsage((long)(root.SampleCount * (NanosecondsPerSecond / frequency)), 0),
            LostSampleCount = Signed(_lost),
            Notes = [.. comments.Skip(_isFromPicollo ? 1 : 0).Take(MaxNotes)],
        };
    }

    private string EventOf(int type) => _isFromPicollo ? _event
        : TextOf(_periodType.Type) is { Length: > 0 } name ? name
        : TextOf(_sampleTypes[type].Type);

    /// <summary>Reads the samples. Equal stacks are first merged by the numbers of their frames, because names are long.</summary>
    private CpuProfileNode BuildTree(int type, long period)
    {
        Dictionary<CpuProfileFrame, int> numbers = [];
        List<CpuProfileFrame> frames = [];
        List<(int Parent, int Frame, long Own)> nodes = [(-1, -1, 0)];
        Dictionary<(int Parent, int Frame), int> nodeOf = [];
        Dictionary<ulong, int[]> framesOf = [];
        List<ulong> locations = [], values = [];
        List<int> stack = [];
        long all = 0;
        foreach (Range sample in _samples)
        {
            ReadSample(_bytes.AsSpan(sample), locations, values);
            if (values.Count != _sampleTypes.Count)
            {
                throw ProtobufReader.Damage($"a sample has {values.Count} values for {_sampleTypes.Count} types");
            }

            long count = (long)values[type] >= 0 ? (long)Math.Round((double)values[type] / period) : throw ProtobufReader.Damage(
                $"a sample has a negative value, as in a difference of profiles");
            count = period == 1 ? (long)values[type] : count;
            if (count == 0)
            {
                continue;
            }

            all = count <= long.MaxValue - all ? all + count : throw ProtobufReader.TooLarge($"it has more than {long.MaxValue} samples");
            stack.Clear();
            foreach (ulong location in locations)
            {
                if (!framesOf.TryGetValue(location, out int[]? ofLocation))
                {
                    framesOf[location] = ofLocation = [.. FramesOf(location).Select(NumberOf)];
                }

                stack.AddRange(ofLocation);
                Spend(WorkOfFrame * (1 + ofLocation.Length));
                if (stack.Count > MaxFrames)
                {
                    throw ProtobufReader.TooLarge($"a stack has more than {MaxFrames:N0} frames");
                }
            }

            int node = 0;
            for (int i = stack.Count - 1; i >= 0; i--)
            {
                if (!nodeOf.TryGetValue((node, stack[i]), out int child))
                {
                    child = nodes.Count;
                    nodeOf.Add((node, stack[i]), child);
                    Add(nodes, (node, stack[i], 0));
                }

                node = child;
            }

            nodes[node] = nodes[node] with { Own = nodes[node].Own + count };
        }

        return Name(nodes, frames);

        int NumberOf(CpuProfileFrame frame)
        {
            if (!numbers.TryGetValue(frame, out int number))
            {
                numbers.Add(frame, number = frames.Count);
                frames.Add(frame);
            }

            return number;
        }
    }

    private CpuProfileNode Name(List<(int Parent, int Frame, long Own)> nodes, List<CpuProfileFrame> frames)
    {
        var root = new CpuProfileNode(All);
        var path = new Stack<CpuProfileFrame>();
        foreach ((int Parent, int Frame, long Own) leaf in nodes.Where(node => node.Own > 0))
        {
            path.Clear();
            for ((int Parent, int Frame, long Own) node = leaf; node.Parent >= 0; node = nodes[node.Parent])
            {
                path.Push(frames[node.Frame]);
                Spend(WorkOfFrame + frames[node.Frame].Name.Length + frames[node.Frame].Module.Length);
            }

            // WritePprof writes samples without a function as a stack of the root.
            root.Add(path.Count == 1 && path.Peek() == All ? [] : [.. path], leaf.Own);
        }

        return root;
    }

    /// <summary>Returns the functions of a location, the innermost one first: an inlined function before its caller.</summary>
    private IEnumerable<CpuProfileFrame> FramesOf(ulong id)
    {
        if (!_locations.TryGetValue(id, out Location? location))
        {
            throw ProtobufReader.Damage($"location {id} does not exist");
        }

        int mapping = location.Mapping == 0 ? -1
            : _mappingOf.TryGetValue(location.Mapping, out int index) ? index
            : throw ProtobufReader.Damage($"mapping {location.Mapping} does not exist");
        return location.Functions.Length == 0 ? [AddressOf(location, mapping)] : location.Functions.Select(number =>
        {
            Function function = number == 0 ? default
                : _functions.TryGetValue(number, out Function found) ? found
                : throw ProtobufReader.Damage($"function {number} does not exist");
            string name = TextOf(function.Name) is { Length: > 0 } given ? given : TextOf(function.SystemName);
            string module = _isFromPicollo ? TextOf(function.File) : ModuleOf(mapping);
            return name.Length == 0 && !_isFromPicollo ? AddressOf(location, mapping) : new CpuProfileFrame(
                name, module, function.Kind ?? (IsManaged(module) ? CpuProfileFrameKind.Managed : CpuProfileFrameKind.Native));
        });
    }

    private CpuProfileFrame AddressOf(Location location, int mapping)
    {
        string module = ModuleOf(mapping);
        ulong start = mapping < 0 ? 0 : unchecked(_mappings[mapping].Start - _mappings[mapping].Offset);
        string offset = string.Create(CultureInfo.InvariantCulture, $"0x{unchecked(location.Address - start):x}");
        return new CpuProfileFrame(module.Length == 0 ? offset : $"{module}+{offset}", module, CpuProfileFrameKind.Unnamed);
    }

    /// <summary>Returns the file name of a mapping. The first mapping is the program, whose name may differ between two profiles.</summary>
    private string ModuleOf(int mapping) => mapping <= 0 ? "" : FileName(_mappings[mapping].File);

    private static bool IsManaged(string module) => module.EndsWith(".dll", StringComparison.OrdinalIgnoreCase);

    private string FileName(ulong text) => TextOf(text) is var path ? path[(path.LastIndexOf('/') + 1)..] : "";

    private string TextOf(ulong index)
    {
        ReadOnlySpan<byte> text = Text(index);
        _letters += text.Length;
        return _letters <= MaxLetters ? Encoding.UTF8.GetString(text) : throw ProtobufReader.TooLarge($"its names are too long");
    }

    private ReadOnlySpan<byte> Text(ulong index) =>
        index < (ulong)_texts.Count ? _bytes.AsSpan(_texts[(int)index]) : throw ProtobufReader.Damage($"string {index} does not exist");

    /// <summary>Counts work, so that a small file cannot cause a large amount of it.</summary>
    private void Spend(int work)
    {
        _work += work;
        if (_work > MaxWork)
        {
            throw ProtobufReader.TooLarge($"its stacks are too long");
        }
    }

    private static long Signed(ulong number) => Math.Max((long)number, 0);

    private static TimeSpan Time(ulong nanoseconds) => TimeSpan.FromTicks(Signed(nanoseconds) / TimeSpan.NanosecondsPerTick);
}
