using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples.Tokenizer;

/// <summary>One pass of several threads over the whole text.</summary>
/// <param name="Nanoseconds">From the common start of the threads to the end of the last.</param>
/// <param name="ChunkNanoseconds">What each chunk of lines took the thread that had it.</param>
/// <param name="AllocatedBytes">What they allocated.</param>
/// <param name="Counts">What they counted.</param>
public sealed record Pass(double Nanoseconds, double[] ChunkNanoseconds, long AllocatedBytes, TokenCounts Counts)
{
    /// <summary>How many lines a thread takes at a time: enough that taking them costs nothing, few enough to end together
    /// and to fall between the disturbances of a busy machine.</summary>
    public const int ChunkLines = 4_096;

    /// <summary>Makes a pass.</summary>
    /// <param name="lines">The text.</param>
    /// <param name="threads">How many threads share the lines.</param>
    /// <param name="create">Makes the tokenizer of a thread.</param>
    /// <param name="histogram">Where the nanoseconds of each line go; <see langword="null"/> measures no line.</param>
    public static Pass Run(string[] lines, int threads, Func<LineTokenizer> create, HdrHistogram? histogram)
    {
        LineTokenizer[] tokenizers = [.. Enumerable.Range(0, threads).Select(_ => create())];
        double[] chunkNanoseconds = new double[(lines.Length + ChunkLines - 1) / ChunkLines];
        int chunksTaken = 0;
        Stopwatch stopwatch = new();
        using Barrier start = new(threads + 1, _ => stopwatch.Start()); // before anyone goes on: this thread may wake up late
        Thread[] workers = [.. tokenizers.Select(tokenizer => new Thread(() => Work(tokenizer)))];
        foreach (Thread worker in workers)
        {
            worker.Start();
        }

        // The garbage of the pass before is not this one's.
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
