using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Concurrent records of counts that are about as large as a 32-bit counter.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class LargeCountStressTests
{
    private static readonly ulong[] Counts = [1, 1 << 16, (1 << 16) + 1, (1UL << 31) - 1, 1UL << 31, uint.MaxValue];

    [Theory]
    [MemberData(nameof(Variants.Concurrent), MemberType = typeof(Variants))]
    public void Concurrent_large_counts_do_not_wrap_a_counter(string variant)
    {
        const int Threads = 4;
        const int Records = 400_000;
        const ulong Value = 20_000;
        HdrHistogram histogram = Variants.Factories[variant].WithMaxTrackableValue(30_000).Create();
        ulong[] recorded = new ulong[Threads];
        using Barrier start = new(Threads);
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(number => new Thread(() =>
        {
            Random random = new(number);
            ulong sum = 0;
            start.SignalAndWait();
            for (int i = 0; i < Records; i++)
            {
                ulong count = Counts[random.Next(Counts.Length)];
                histogram.Record(Value, count);
                sum += count;
            }

            recorded[number] = sum;
        }) { IsBackground = true })];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());

        histogram.GetBucket(Value).Count.Should().Be(recorded.Aggregate(0UL, (sum, each) => sum + each));
    }
}
