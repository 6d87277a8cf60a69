using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples.Tokenizer;

/// <summary>One pass of several threads over the whole text.</summary>
/// <param name="Nanoseconds">The time from the common start of the threads to the end of the last thread.</param>
/// <param name="ChunkNanoseconds">The time that a thread took to process each chunk of lines, in nanoseconds.</param>
/// <param name="AllocatedBytes">The bytes that the threads allocated.</param>
/// <param name="Counts">The counted tokens.</param>
public sealed record Pass(double Nanoseconds, double[] ChunkNanoseconds, long AllocatedBytes, TokenCounts Counts)
{
    /// <summary>The number of lines that a thread takes at a time. It is large enough that the cost of taking a chunk is negligible, and small
    /// enough that the threads end together and that some chunks are not disturbed by other work of the machine.</summary>
    public const int ChunkLines = 4_096;

    /// <summary>Runs a pass.</summary>
    /// <param name="lines">The text.</param>
    /// <param name="threads">The number of threads that share the lines.</param>
    /// <param name="create">Creates the tokenizer of a thread.</param>
    /// <param name="histogram">The histogram that receives the nanoseconds of each line, or <see langword="null"/> if the lines are not timed.</param>
    public static Pass Run(string[] lines, int threads, Func<LineTokenizer> create, HdrHistogram? histogram)
    {
        LineTokenizer[] tokenizers = [.. Enumerable.Range(0, threads).Select(_ => create())];
        double[] chunkNanoseconds = new double[(lines.Length + ChunkLines - 1) / ChunkLines];
        int chunksTaken = 0;
        Stopwatch stopwatch = new();
        using Barrier start = new(threads + 1, _ => stopwatch.Start()); // in the barrier, because this thread can wake up late
        Thread[] workers = [.. tokenizers.Select(tokenizer => new Thread(() => Work(tokenizer)))];
        foreach (Thread worker in workers)
        {
            worker.Start();
        }

        // The garbage of the previous pass must not affect this pass.
        GC.Collect();
        long allocatedBefore = GC.GetTotalAllocatedBytes(precise: true);
        start.SignalAndWait();
        foreach (Thread worker in workers)
        {
            worker.Join();
        }

        double nanoseconds = stopwatch.ElapsedNanos;
        long allocated = GC.GetTotalAllocatedBytes(precise: true) - allocatedBefore;
        TokenCounts counts = new();
        foreach (LineTokenizer tokenizer in tokenizers)
        {
            counts.Add(tokenizer.Counts);
        }

        return new Pass(nanoseconds, chunkNanoseconds, allocated, counts);

        void Work(LineTokenizer tokenizer)
        {
            start.SignalAndWait();
            for (int index = Take(); index < chunkNanoseconds.Length; index = Take())
            {
                int first = index * ChunkLines;
                ReadOnlySpan<string> chunk = lines.AsSpan(first, Math.Min(ChunkLines, lines.Length - first));
                Stopwatch chunkStopwatch = Stopwatch.StartNew();
                if (histogram is null)
                {
                    Count(tokenizer, chunk);
                }
                else
                {
                    CountTimed(tokenizer, chunk, histogram);
                }

                chunkNanoseconds[index] = chunkStopwatch.ElapsedNanos;
            }
        }

        int Take() => Interlocked.Increment(ref chunksTaken) - 1;
    }

    private static void Count(LineTokenizer tokenizer, ReadOnlySpan<string> lines)
    {
        foreach (string line in lines)
        {
            tokenizer.Count(line);
        }
    }

    private static void CountTimed(LineTokenizer tokenizer, ReadOnlySpan<string> lines, HdrHistogram histogram)
    {
        foreach (string line in lines)
        {
            using (histogram.GetNanoScope())
            {
                tokenizer.Count(line);
            }
        }
    }
}
