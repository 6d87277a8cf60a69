using FsCheck;
using FsCheck.Fluent;
using Picollo.Diagnostics.Runtime;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Runtime;

/// <summary>Tests events in the orders in which the runtime writes them. Times are in nanoseconds.</summary>
public class RuntimeEventReaderTests
{
    private const uint Other = 0, Collection = 1, Preparation = 6, Debugger = 5;
    private const uint AllocSmall = 0, Induced = 1;
    private const uint Blocking = 0, Background = 1;

    private readonly RuntimeEventReader _reader = new(new RuntimeHistograms(registry: null));

    [Fact]
    public void A_pause_starts_with_the_request_and_ends_with_the_restart()
    {
        _reader.OnSuspendBegin(1_000, Collection);
        _reader.OnSuspendEnd(1_030);
        _reader.OnCollectionStart(1, 0, AllocSmall, Blocking);
        _reader.OnCollectionEnd(1);
        _reader.OnRestartBegin(1_200);

        ValuesOf(_reader.Pauses).Should().Equal(200UL);
        ValuesOf(_reader.Suspensions).Should().Equal(30UL);
        Causes().Should().Equal("gen0 alloc_small 1");
    }

    [Fact]
    public void Pauses_count_for_the_generation_and_the_reason_of_their_collection()
    {
        Pause(0, 10, (1, 0, AllocSmall));
        Pause(100, 20, (2, 1, AllocSmall));
        Pause(200, 30, (3, 2, Induced));
        Pause(300, 40, (4, 0, AllocSmall));

        Causes().Should().Equal("gen0 alloc_small 2", "gen1 alloc_small 1", "gen2 induced 1");
        ValuesOf(_reader.Pauses).Should().Equal(10UL, 20UL, 30UL, 40UL);
    }

    [Theory]
    [InlineData(Collection, false)]
    [InlineData(Collection, true)]
    [InlineData(Debugger, false)]
    [InlineData(Debugger, true)]
    public void A_pause_whose_end_is_lost_is_not_counted(uint reason, bool isSuspended)
    {
        _reader.OnSuspendBegin(0, reason);
        if (isSuspended)
        {
            _reader.OnSuspendEnd(5);
        }

        _reader.OnEventsLost();
        Pause(1_000, 20, collection: null); // a collection would end the state of the lost suspension

        ValuesOf(_reader.Pauses).Should().Equal(20UL);
    }

    [Fact]
    public void A_pause_after_a_background_collection_whose_end_was_lost_has_an_unknown_cause()
    {
        _reader.OnSuspendBegin(0, Collection);
        _reader.OnCollectionStart(1, 2, Induced, Background);
        _reader.OnRestartBegin(10);
        _reader.OnEventsLost();
        _reader.OnSuspendBegin(100, Collection);
        _reader.OnRestartBegin(130);

        Causes().Should().Equal("gen2 induced 1", "unknown unknown 1");
    }

    [Fact]
    public void Unknown_generations_and_reasons_do_not_fail()
    {
        Pause(0, 10, (1, 3, 18));
        Pause(100, 10, (2, uint.MaxValue, uint.MaxValue));
        Pause(200, 10, (3, 2, 17));

        Causes().Should().Equal("unknown unknown 2", "gen2 induced_aggressive 1");
    }

    [Fact]
    public void A_background_collection_has_several_pauses_and_collections_of_younger_generations_between_them()
    {
        // As in the runtime, the first pause contains a collection of generation 1.
        _reader.OnSuspendBegin(0, Collection);
        _reader.OnSuspendEnd(1);
        _reader.OnCollectionStart(1, 1, AllocSmall, Blocking);
        _reader.OnCollectionEnd(1);
        _reader.OnCollectionStart(2, 2, Induced, Background);
        _reader.OnRestartBegin(100);
        Pause(200, 10, (3, 0, AllocSmall));
        Pause(300, 20, collection: null, Preparation); // final marking
        _reader.OnCollectionEnd(2);
        Pause(400, 30, collection: null);

        Causes().Should().Equal("gen2 induced 2", "gen0 alloc_small 1", "unknown unknown 1");
    }

    [Fact]
    public void A_pause_with_several_collections_counts_for_the_oldest_generation()
    {
        _reader.OnSuspendBegin(0, Collection);
        _reader.OnSuspendEnd(1);
        _reader.OnSuspendEnd(5); // a second SuspendEEEnd has no request
        _reader.OnCollectionStart(1, 2, Induced, Blocking);
        _reader.OnCollectionEnd(1);
        _reader.OnCollectionStart(2, 1, AllocSmall, Blocking);
        _reader.OnRestartBegin(100);

        Causes().Should().Equal("gen2 induced 1");
        ValuesOf(_reader.Suspensions).Should().Equal(1UL);
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

        Causes().Should().Equal(names.Select(name => $"gen0 {name} 1"));
    }

    [Fact]
    public void Suspensions_for_other_reasons_are_not_pauses()
    {
        Pause(0, 50, collection: null, Other);
        Pause(100, 50, collection: null, Debugger);

        _reader.Pauses.TotalCount.Should().Be(0);
        _reader.Suspensions.TotalCount.Should().Be(0);
        Causes().Should().BeEmpty();
    }

    [Fact]
    public void A_collection_that_waits_for_another_suspension_pauses_until_its_own_restart()
    {
        _reader.OnSuspendBegin(0, Other);
        _reader.OnSuspendBegin(10, Collection); // on another thread, which waits
        _reader.OnSuspendEnd(20);
        _reader.OnRestartBegin(30);
        _reader.OnSuspendEnd(40);
        _reader.OnCollectionStart(1, 0, AllocSmall, Blocking);
        _reader.OnRestartBegin(110);

        ValuesOf(_reader.Pauses).Should().Equal(100UL);
        ValuesOf(_reader.Suspensions).Should().Equal(30UL);
    }

    [Fact]
    public void Another_suspension_that_waits_for_a_collection_does_not_change_its_pause()
    {
        _reader.OnSuspendBegin(0, Collection);
        _reader.OnSuspendEnd(10);
        _reader.OnSuspendBegin(20, Other);
        _reader.OnRestartBegin(100);
        _reader.OnSuspendEnd(110);
        _reader.OnRestartBegin(500);
        Pause(1_000, 7, (1, 0, AllocSmall));

        ValuesOf(_reader.Pauses).Should().Equal(7UL, 100UL);
        ValuesOf(_reader.Suspensions).Should().Equal(1UL, 10UL);
    }

    [Fact]
    public void A_repeated_request_before_the_suspension_belongs_to_the_same_pause()
    {
        _reader.OnSuspendBegin(0, Collection);
        _reader.OnSuspendBegin(50, Preparation);
        _reader.OnSuspendEnd(60);
        _reader.OnRestartBegin(100);

        ValuesOf(_reader.Pauses).Should().Equal(100UL);
    }

    [Fact]
    public void A_pause_whose_restart_was_lost_is_dropped_instead_of_lasting_until_the_next()
    {
        _reader.OnSuspendBegin(0, Collection);
        _reader.OnSuspendEnd(10);
        _reader.OnCollectionStart(1, 2, Induced, Blocking);
        Pause(1_000_000, 20, (2, 0, AllocSmall));

        ValuesOf(_reader.Pauses).Should().Equal(20UL);
        Causes().Should().Equal("gen0 alloc_small 1");
    }

    [Fact]
    public void A_lost_restart_of_another_suspension_does_not_affect_the_next_collection()
    {
        _reader.OnSuspendBegin(0, Other);
        Pause(1_000, 20, (1, 0, AllocSmall));
        Pause(2_000, 30, (2, 0, AllocSmall));

        ValuesOf(_reader.Pauses).Should().Equal(20UL, 30UL);
    }

    [Fact]
    public void Events_of_a_collection_that_started_before_the_listener_are_ignored()
    {
        _reader.OnSuspendEnd(10);
        _reader.OnCollectionEnd(7);
        _reader.OnRestartBegin(20);

        _reader.Pauses.TotalCount.Should().Be(0);
        _reader.Suspensions.TotalCount.Should().Be(0);
    }

    [Fact]
    public void A_clock_that_was_set_back_gives_zero()
    {
        _reader.OnSuspendBegin(1_000, Collection);
        _reader.OnSuspendEnd(900);
        _reader.OnRestartBegin(800);
        _reader.OnLockWait(-1);
        _reader.OnLockWait(double.NaN);
        _reader.OnLockWait(1.9);

        ValuesOf(_reader.Pauses).Should().Equal(0UL);
        ValuesOf(_reader.Suspensions).Should().Equal(0UL);
        ValuesOf(_reader.LockWaits).Should().Equal(0UL, 0UL, 1UL);
    }

    [Fact]
    public void The_number_of_pauses_equals_the_number_of_suspensions_for_collections() => Prop.ForAll(ArbMap.Default.ArbFor<(byte Reason, ushort Length, byte Generation)[]>(), all =>
    {
        RuntimeEventReader reader = new(new RuntimeHistograms(registry: null));
        long time = 0;
        uint number = 0;
        List<ulong> expected = [];
        foreach ((byte seed, ushort length, byte generation) in all)
        {
            uint reason = seed % 8u;
            reader.OnSuspendBegin(time, reason);
            reader.OnSuspendEnd(time + 1);
            if (reason == Collection)
            {
                reader.OnCollectionStart(++number, generation % 3u, AllocSmall, Blocking);
                reader.OnCollectionEnd(number);
            }

            if (reason is Collection or Preparation)
            {
                expected.Add(length);
            }

            reader.OnRestartBegin(time + length);
            time += length + 10;
        }

        return reader.Pauses.TotalCount == (ulong)expected.Count
            && reader.PausesByCause.Aggregate(0UL, (sum, cause) => sum + cause.Histogram.TotalCount) == reader.Pauses.TotalCount
            && (expected.Count == 0 || reader.Pauses.GetBucket(expected.Max()).Count > 0);
    }).Check(Config.QuickThrowOnFailure);

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

    private static IEnumerable<ulong> ValuesOf(HdrHistogram histogram) =>
        histogram.BucketsWithValues.SelectMany(bucket => Enumerable.Repeat(bucket.Start, (int)bucket.Count));

    private IEnumerable<string> Causes() => _reader.PausesByCause.Select(cause =>
        $"{string.Join(' ', cause.Labels.Select(label => label.Value))} {cause.Histogram.TotalCount}");

    private void Pause(long time, long length, (uint Number, uint Generation, uint Reason)? collection, uint reason = Collection)
    {
        _reader.OnSuspendBegin(time, reason);
        _reader.OnSuspendEnd(time + 1);
        if (collection is { } one)
        {
            _reader.OnCollectionStart(one.Number, one.Generation, one.Reason, Blocking);
            _reader.OnCollectionEnd(one.Number);
        }

        _reader.OnRestartBegin(time + length);
    }
}
