namespace Picollo.Samples.Top;

/// <summary>The CPU-bound program of the experiments. It runs in a separate process.</summary>
/// <remarks>
/// The worker prints <see cref="Ready"/>, waits for a line, starts to compute, and prints <see cref="Computing"/>. It exits after
/// <see cref="Limit"/>, or when its input is closed, which also happens if the parent process exits.
/// </remarks>
public static class Worker
{
    public const string Ready = "ready";
    public const string Computing = "computing";

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    public static int Run(WorkerOptions options, TextReader input, TextWriter output)
    {
        if (options.Nice is { } nice && !Niceness.TrySet(nice, out string? reason))
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
        for (int i = 0; i < options.Threads; i++)
        {
            Start($"ackermann-{i}", Compute, Ackermann.StackBytes);
        }

        output.WriteLine(Computing);
        Start("input", () =>
        {
            input.ReadToEnd();
            inputClosed.Set();
        });
        inputClosed.Wait(Limit);
        return 0;
    }

    private static void Compute()
    {
        for (int n = 0; ; n = (n + 1) % (AckermannProgram.PublishedLargest + 1))
        {
            Ackermann.Compute(3, n);
        }
    }

    private static void Start(string name, ThreadStart body, int stackBytes = 0)
    {
        Thread thread = new(body, stackBytes) { Name = name, IsBackground = true };
        thread.Start();
    }
}
