using System.Diagnostics.Metrics;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Meters;

public class ConcurrentMeterTests
{
    private const int Threads = 4;

    [Fact]
    public void No_measurement_is_lost_while_series_are_added()
    {
        const int perThread = 50_000;
        using Listening listening = new(options => options.MaxSeries = 500);
        InParallel(thread =>
        {
            Random random = new(thread);
            for (int i = 0; i < perThread; i++)
            {
                // New values appear throughout, until there are more than the limit, and tags are in both orders.
                object value = random.Next(2) == 0 ? random.Next(i / 50 + 1) : $"{random.Next(i / 50 + 1)}";
                listening.Record(random.Next(2) == 0 ? [("a", value), ("b", "x")] : [("b", "x"), ("a", value)]);
            }
        });

        listening.Total.Should().Be(Threads * perThread);
        (listening.Histograms.SeriesCount, listening.Series.Length).Should().Be((500, 501), "no two threads add the same series");
        listening.CountOf("size{otel.metric.overflow=\"true\"}").Should().Be((ulong)listening.Histograms.OverflowSeriesMeasurementCount);
    }

    [Fact]
    public void A_listener_can_be_disposed_under_load()
    {
        for (int round = 0; round < 20; round++)
        {
            using Listening listening = new();
            Histogram<double> duration = listening.Meter.CreateHistogram<double>("d", "s");
            using CancellationTokenSource end = new();
            long measured = 0;
            InParallel(thread =>
            {
                for (int i = 0; thread > 0 ? !end.IsCancellationRequested : i == 0; i++)
                {
                    if (thread == 0)
                    {
                        SpinWait.SpinUntil(() => Volatile.Read(ref measured) > 1000);
                        listening.Histograms.Dispose();
                        end.Cancel();
                        break;
                    }

                    duration.Record(0.001, new KeyValuePair<string, object?>("a", i % 300));
                    Interlocked.Increment(ref measured);
                }
            });

            ulong counted = listening.Total;
            counted.Should().BeInRange(900, (ulong)measured);
            duration.Record(1);
            listening.Total.Should().Be(counted, "recording has ended");
        }
    }

    [Fact]
    public void Instruments_can_be_created_and_disposed_under_load()
    {
        const int perThread = 500;
        using Listening listening = new();
        InParallel(thread =>
        {
            for (int i = 0; i < perThread; i++)
            {
                using Meter meter = new($"{listening.Meter.Name}.{i % 10}");
                meter.CreateHistogram<int>("size").Record(1, new KeyValuePair<string, object?>("thread", thread));
                meter.CreateHistogram<int>($"size-{i % 10}").Record(1);
            }
        });

        listening.Total.Should().Be(Threads * perThread * 2);
        listening.Series.Should().HaveCount(Threads + 10);
    }

    [Fact]
    public void Measurements_inside_the_callback_of_a_listener_are_recorded()
    {
        using Listening listening = new();
        Histogram<int> outer = listening.Meter.CreateHistogram<int>("outer");
        Histogram<int> inner = listening.Meter.CreateHistogram<int>("inner");
        using MeterListener other = new();
        other.SetMeasurementEventCallback<int>((instrument, value, tags, _) =>
        {
            if (instrument == outer && value > 0)
            {
                inner.Record(value, tags);
                outer.Record(value - 1, tags);
            }
        });
        other.EnableMeasurementEvents(outer);
        other.Start();

        for (int i = 0; i < 100; i++)
        {
            outer.Record(3, new KeyValuePair<string, object?>("a", i));
        }

        listening.Registry.Registrations.Should().HaveCount(200);
        listening.Total.Should().Be(100 * (4 + 3));
    }

    [Fact]
    public void A_measurement_inside_the_registry_does_not_wait_for_another()
    {
        HdrHistogramRegistry registry = new();
        using Listening listening = new(registry: registry);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        size.Record(1);
        Thread second = new(() => size.Record(1, new KeyValuePair<string, object?>("a", "second"))) { IsBackground = true };

        // The first thread creates a histogram, which locks the registry, and then measures while the second thread waits to add a series.
        Thread first = new(() => registry.GetOrAdd("own", () =>
        {
            second.Start();
            SpinWait.SpinUntil(() => second.ThreadState.HasFlag(ThreadState.WaitSleepJoin), TimeSpan.FromSeconds(20));
            size.Record(1, new KeyValuePair<string, object?>("a", "first"));
            return HdrHistogram.Create();
        }))
        { IsBackground = true };
        first.Start();

        first.Join(TimeSpan.FromSeconds(20)).Should().BeTrue("otherwise, there is a deadlock");
        second.Join();
        listening.Series.Should().Equal("own", "size", "size{a=\"first\"}", "size{a=\"second\"}");
    }

    [Fact]
    public void A_measurement_of_a_series_that_another_thread_is_adding_is_not_in_the_overflow()
    {
        HdrHistogramRegistry registry = new();
        using Listening listening = new(options => options.MaxSeries = 1, registry);
        Histogram<int> size = listening.Meter.CreateHistogram<int>("size");
        KeyValuePair<string, object?> tag = new("a", "1");
        Thread second = new(() => size.Record(1, tag)) { IsBackground = true };
        registry.GetOrAdd("own", () =>
        {
            second.Start();
            SpinWait.SpinUntil(() => listening.Histograms.SeriesCount == 1, TimeSpan.FromSeconds(20)).Should().BeTrue();
            size.Record(1, new KeyValuePair<string, object?>("a", "2"));
            size.Record(1, tag);
            return HdrHistogram.Create();
        });
        second.Join();

        (listening.CountOf("size{a=\"1\"}"), listening.Histograms.OverflowSeriesMeasurementCount).Should().Be((2, 1));
    }

    private static void InParallel(Action<int> work)
    {
        Task[] threads = [.. Enumerable.Range(0, Threads).Select(i => Task.Factory.StartNew(() => work(i), TaskCreationOptions.LongRunning))];
        Task.WaitAll(threads);
    }
}
