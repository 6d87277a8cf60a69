namespace Picollo.Tests.Cpu;

/// <summary>Runs one computing thread per processor until it is disposed, so that the measured code shares the processors and is
/// interrupted at any point.</summary>
internal sealed class BackgroundLoad : IDisposable
{
    private readonly List<Thread> _threads = [];
    private volatile bool _over;

    public BackgroundLoad()
    {
        using (ExecutionContext.SuppressFlow())
        {
            for (int i = 0; i < Environment.ProcessorCount; i++)
            {
                var thread = new Thread(Compute) { IsBackground = true };
                thread.Start();
                _threads.Add(thread);
            }
        }
    }

    public void Dispose()
    {
        _over = true;
        _threads.ForEach(thread => thread.Join());
    }

    private void Compute()
    {
        while (!_over)
        {
            Thread.SpinWait(10_000);
        }
    }
}
