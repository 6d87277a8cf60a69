namespace Picollo.Tests.Cpu;

/// <summary>As many threads of this process as the machine has processors, computing until disposed: what is measured beside them shares
/// the processors, and is interrupted in the middle of everything.</summary>
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
