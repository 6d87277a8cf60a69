namespace Picollo.Tests.Cpu;

/// <summary>Runs one computing thread per processor until it is disposed, so that the measured code shares the processors and is
/// interrupted at any point.</summary>
internal sealed class BackgroundLoad : IDisposable
{
    private readonly IDisposable[] _threads =
        [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => NewThread.Loop(static () => Thread.SpinWait(10_000)))];

    public void Dispose() => Array.ForEach(_threads, thread => thread.Dispose());
}
