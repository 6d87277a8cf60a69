namespace Picollo.Samples.Top;

/// <summary>The CPU-bound program of the experiments, in a process of its own.</summary>
/// <remarks>
/// It says <see cref="Ready"/>, waits for a line, computes, says <see cref="Computing"/>, and ends when its rounds are done, its
/// input is closed (which the parent's end does too, whatever that was), or after <see cref="Limit"/>.
/// </remarks>
public static class Worker
{
    public const string Ready = "ready";
    public const string Computing = "computing";

    /// <summary>What a round computes: about 0.65 s.</summary>
    public const int RoundArgument = Ackermann.Largest - 1;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    public static int Run(WorkerOptions options, TextReader input, TextWriter output)
    {
        if (Place(options) is { } reason)
        {
            output.WriteLine(reason);
            return 1;
        }

        output.WriteLine(Ready);
        if (input.ReadLine() is null)
        {
            return 0;
        }

        using ManualResetEventSlim inputClosed = new();
        using CountdownEvent computing = new(options.Threads);
        Thread[] threads = [.. Enumerable.Range(0, options.Threads).Select(i => Start($"ackermann-{i}", () => Compute(options.Rounds, computing), Ackermann.StackBytes))];
        output.WriteLine(Computing);
        Start("input", () =>
        {
            input.ReadToEnd();
            inputClosed.Set();
        });
        WaitHandle.WaitAny([inputClosed.WaitHandle, computing.WaitHandle], Limit);
        return 0;
    }

    /// <summary>Sets niceness and CPU of this thread, which those started later take over; says what went wrong.</summary>
    private static string? Place(WorkerOptions options)
    {
        string? reason = null;
        _ = (options.Nice is not { } nice || Niceness.TrySet(nice, out reason))
            && (options.Cpu is not { } cpu || Affinity.TryStayOn(cpu, out reason));
        return reason;
    }

    private static void Compute(int? rounds, CountdownEvent computing)
    {
        for (int round = 0; rounds is null || round < rounds; round++)
        {
            Ackermann.Compute(3, rounds is null ? round % (Ackermann.Largest + 1) : RoundArgument);
        }

        computing.Signal();
    }

    private static Thread Start(string name, ThreadStart body, int stackBytes = 0)
    {
        Thread thread = new(body, stackBytes) { Name = name, IsBackground = true };
        thread.Start();
        return thread;
    }
}
