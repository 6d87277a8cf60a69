namespace Picollo.AspNetCore.Tests.Soak;

/// <summary>200 registered histograms of three kinds, and the number of values that were recorded into each.</summary>
internal sealed class SoakHistograms
{
    public const string Name = "soak.value";

    private const int Plain = 70;
    private const int Interlocked = 65;
    private const int All = 200;

    private static readonly HdrHistogramDescription Description = new() { LowestBound = 1, HighestBound = 1_000_000 };
    private static readonly PlainHdrHistogramFactory<uint> Factory = HdrHistogram.Factory.WithRelativeError(0.02).WithMaxTrackableValue(1_000_000);

    private readonly long[] _recorded = new long[All];
    private int _next;

    public HdrHistogram[] Histograms { get; } =
    [
        .. Enumerable.Range(0, All).Select<int, HdrHistogram>(i => i switch
        {
            < Plain => Factory.Create(),
            < Plain + Interlocked => Factory.WithInterlocked().Create(),
            _ => Factory.WithThreadLocal().Create(),
        }),
    ];

    public long RecordedOf(int index) => Volatile.Read(ref _recorded[index]);

    public static string LabelOf(int index) => index.ToString(CultureInfo.InvariantCulture);

    public void Register(IServiceCollection services)
    {
        HdrHistogramRegistry registry = new();
        for (int i = 0; i < All; i++)
        {
            registry.Add(Name, Histograms[i], Description, [new("index", LabelOf(i))]);
        }

        // Replaces the registry that AddPicollo() has added.
        services.AddSingleton(registry);
    }

    /// <summary>Records into each plain histogram. Only one thread calls it.</summary>
    public void RecordPlain(ulong value)
    {
        for (int i = 0; i < Plain; i++)
        {
            Record(i, value);
        }
    }

    /// <summary>Records into the next histogram that supports several writers.</summary>
    public void RecordShared(int value) =>
        Record(Plain + (int)((uint)System.Threading.Interlocked.Increment(ref _next) % (All - Plain)), (ulong)value);

    /// <summary>Records many values into the next thread-local histogram.</summary>
    public void RecordThreadLocal(int count)
    {
        int first = Plain + Interlocked;
        int index = first + (int)((uint)System.Threading.Interlocked.Increment(ref _next) % (All - first));
        for (int i = 0; i < count; i++)
        {
            Record(index, (ulong)(i * i));
        }
    }

    private void Record(int index, ulong value)
    {
        Histograms[index].Record(value);
        System.Threading.Interlocked.Increment(ref _recorded[index]);
    }
}
