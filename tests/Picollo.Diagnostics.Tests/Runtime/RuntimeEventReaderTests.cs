using System.Globalization;
using Picollo.Diagnostics.Runtime;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Runtime;

/// <summary>Tests events in the orders in which the runtime writes them. Times are in nanoseconds.</summary>
public class RuntimeEventReaderTests
{
    private const uint Collection = 1;
    private const uint AllocSmall = 0, Induced = 1;
    private const uint Blocking = 0, Background = 1;

    private readonly RuntimeEventReader _reader = new(new RuntimeHistograms(registry: null));

    /// <summary>Events, pauses, suspensions (null: not checked) and causes. The events are begin:time:reason, end:time (of the suspension),
    /// gc:number:generation:reason, background:number:generation:reason, gc-end:number, restart:time, lost, and
    /// pause:time:length[:number:generation:reason] for a whole pause. Reasons of begin: 0 is another one, 1 a collection, 5 a debugger, 6
    /// the preparation of a collection. Reasons of a gc: 0 is a small allocation, 1 induced.</summary>
    public static TheoryData<string, string, string?, string> Events => new()
    {
        // A pause starts with the request and ends with the restart.
        { "begin:1000:1 end:1030 gc:1:0:0 gc-end:1 restart:1200", "200", "30", "gen0 alloc_small 1" },
        {
            "pause:0:10:1:0:0 pause:100:20:2:1:0 pause:200:30:3:2:1 pause:300:40:4:0:0",
            "10 20 30 40", null, "gen0 alloc_small 2, gen1 alloc_small 1, gen2 induced 1"
        },
        // A lost end is not counted. A collection would end the state of the lost suspension.
        { "begin:0:1 lost pause:1000:20", "20", null, "unknown unknown 1" },
        { "begin:0:1 end:5 lost pause:1000:20", "20", null, "unknown unknown 1" },
        { "begin:0:5 lost pause:1000:20", "20", null, "unknown unknown 1" },
        { "begin:0:5 end:5 lost pause:1000:20", "20", null, "unknown unknown 1" },
        // The end of a background collection was lost.
        { "begin:0:1 background:1:2:1 restart:10 lost begin:100:1 restart:130", "10 30", null, "gen2 induced 1, unknown unknown 1" },
        // Unknown generations and reasons.
        {
            "pause:0:10:1:3:18 pause:100:10:2:4294967295:4294967295 pause:200:10:3:2:17",
            "10 10 10", null, "unknown unknown 2, gen2 induced_aggressive 1"
        },
        // A background collection has several pauses, and collections of younger generations between them. As in the runtime, the first
        // pause contains a collection of generation 1. The pause with reason 6 is the final marking.
        {
            "begin:0:1 end:1 gc:1:1:0 gc-end:1 background:2:2:1 restart:100 pause:200:10:3:0:0 begin:300:6 end:301 restart:320 gc-end:2 pause:400:30",
            "10 20 30 100", null, "gen2 induced 2, gen0 alloc_small 1, unknown unknown 1"
        },
        // A pause with several collections counts for the oldest generation. A second end has no request.
        { "begin:0:1 end:1 end:5 gc:1:2:1 gc-end:1 gc:2:1:0 restart:100", "100", "1", "gen2 induced 1" },
        // Suspensions for other reasons are not pauses.
        { "begin:0:0 end:1 restart:50 begin:100:5 end:101 restart:150", "", "", "" },
        // A collection on another thread waits for another suspension, and pauses until its own restart.
        { "begin:0:0 begin:10:1 end:20 restart:30 end:40 gc:1:0:0 restart:110", "100", "30", "gen0 alloc_small 1" },
        // Another suspension waits for a collection.
        { "begin:0:1 end:10 begin:20:0 restart:100 end:110 restart:500 pause:1000:7:1:0:0", "7 100", "1 10", "unknown unknown 1, gen0 alloc_small 1" },
        // A repeated request before the suspension belongs to the same pause.
        { "begin:0:1 begin:50:6 end:60 restart:100", "100", null, "unknown unknown 1" },
        // A pause whose restart was lost is dropped instead of lasting until the next.
        { "begin:0:1 end:10 gc:1:2:1 pause:1000000:20:2:0:0", "20", null, "gen0 alloc_small 1" },
        { "begin:0:0 pause:1000:20:1:0:0 pause:2000:30:2:0:0", "20 30", null, "gen0 alloc_small 2" },
        // A collection started before the listener.
        { "end:10 gc-end:7 restart:20", "", "", "" },
        // The clock was set back.
        { "begin:1000:1 end:900 restart:800", "0", "0", "unknown unknown 1" },
    };

    [Theory]
    [MemberData(nameof(Events))]
    public void Pauses_suspensions_and_causes_are_computed(string events, string pauses, string? suspensions, string causes)
    {
        foreach (string text in events.Split(' '))
        {
            string name = text.Split(':')[0];
            long[] values = [.. text.Split(':')[1..].Select(value => long.Parse(value, CultureInfo.InvariantCulture))];
            switch (name)
            {
                case "begin": _reader.OnSuspendBegin(values[0], (uint)values[1]); break;
                case "end": _reader.OnSuspendEnd(values[0]); break;
                case "gc": _reader.OnCollectionStart((uint)values[0], (uint)values[1], (uint)values[2], Blocking); break;
                case "background": _reader.OnCollectionStart((uint)values[0], (uint)values[1], (uint)values[2], Background); break;
                case "gc-end": _reader.OnCollectionEnd((uint)values[0]); break;
                case "restart": _reader.OnRestartBegin(values[0]); break;
                case "lost": _reader.OnEventsLost(); break;
                default: Pause(values[0], values[1], values.Length > 2 ? ((uint)values[2], (uint)values[3], (uint)values[4]) : null); break;
            }
        }

        ValuesOf(_reader.Pauses).Should().Be(pauses);
        if (suspensions is not null)
        {
            ValuesOf(_reader.Suspensions).Should().Be(suspensions);
        }

        Causes().Should().Be(causes);
    }

    [Fact]
    public void Reasons_have_the_names_of_the_runtime()
    {
        string[] names =
        [
            "alloc_small", "induced", "low_memory", "empty", "alloc_large", "out_of_space_small", "out_of_space_large", "induced_not_forced",
            "stress", "induced_low_memory", "induced_compacting", "low_memory_host", "provisional_mode_full", "low_memory_host_blocking",
            "background_tuning_small", "background_tuning_large", "background_stepping", "induced_aggressive",
        ];
        for (uint reason = 0; reason < names.Length; reason++)
        {
            Pause(1_000 * reason, 10, (reason, 0, reason));
        }

        Causes().Should().Be(string.Join(", ", names.Select(name => $"gen0 {name} 1")));
    }

    [Fact]
    public void Waits_that_are_not_positive_numbers_are_zero()
    {
        _reader.OnLockWait(-1);
        _reader.OnLockWait(double.NaN);
        _reader.OnLockWait(1.9);

        ValuesOf(_reader.LockWaits).Should().Be("0 0 1");
    }

    [Fact]
    public void Nothing_is_allocated_once_a_cause_has_been_seen()
    {
        long time = 0;

        Allocations.InSteadyState(() => Pause(time += 1_000, 100, (1, 0, AllocSmall))).Should().Be(0);
    }

    [Fact]
    public void Causes_are_registered_when_they_are_first_seen_and_removed_with_the_rest()
    {
        HdrHistogramRegistry registry = new();
        RuntimeHistograms histograms = new(registry);
        RuntimeEventReader reader = new(histograms);
        reader.OnSuspendBegin(0, Collection);
        reader.OnCollectionStart(1, 2, Induced, Blocking);
        reader.OnRestartBegin(10);

        registry.Registrations.Select(registration => registration.ToString()).Should().Equal(
            "dotnet.gc.pause.duration{gc.heap.generation=\"gen2\",gc.reason=\"induced\"}",
            "dotnet.gc.suspension.duration",
            "dotnet.lock.wait.duration");
        registry.Registrations[0].Histogram.Should().BeSameAs(reader.PausesByCause.Single().Histogram);

        histograms.Dispose();
        registry.Registrations.Should().BeEmpty();
    }

    [Fact]
    public void A_histogram_of_the_application_with_the_name_of_a_cause_remains()
    {
        HdrHistogramRegistry registry = new();
        HdrHistogram own = HdrHistogram.Create();
        registry.Add(RuntimeEventReader.PauseName, own);
        RuntimeHistograms histograms = new(registry);
        RuntimeEventReader reader = new(histograms);
        reader.OnSuspendBegin(0, Collection);
        reader.OnRestartBegin(10);
        histograms.Dispose();

        reader.PausesByCause.Single().Histogram.TotalCount.Should().Be(1);
        registry.Registrations.Single().Histogram.Should().BeSameAs(own);
        own.TotalCount.Should().Be(0);
    }

    private static string ValuesOf(HdrHistogram histogram) => string.Join(
        ' ', histogram.BucketsWithValues.SelectMany(bucket => Enumerable.Repeat(bucket.Start, (int)bucket.Count)));

    private string Causes() => string.Join(", ", _reader.PausesByCause.Select(cause =>
        $"{string.Join(' ', cause.Labels.Select(label => label.Value))} {cause.Histogram.TotalCount}"));

    private void Pause(long time, long length, (uint Number, uint Generation, uint Reason)? collection)
    {
        _reader.OnSuspendBegin(time, Collection);
        _reader.OnSuspendEnd(time + 1);
        if (collection is { } one)
        {
            _reader.OnCollectionStart(one.Number, one.Generation, one.Reason, Blocking);
            _reader.OnCollectionEnd(one.Number);
        }

        _reader.OnRestartBegin(time + length);
    }
}
