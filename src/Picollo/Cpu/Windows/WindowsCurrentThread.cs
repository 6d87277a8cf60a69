using Picollo.Interop.Windows;

namespace Picollo.Cpu.Windows;

[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsCurrentThread : CurrentThread
{
    private const int CpusOfGroup = 64;

    public override int Cpu
    {
        get
        {
            ProcessorNumber number;
            Kernel32.GetCurrentProcessorNumberEx(&number);
            return (number.Group * CpusOfGroup) + number.Number;
        }
    }

    public override string? Pin(int cpu) =>
        cpu < CpusOfGroup && Kernel32.SetThreadAffinityMask(Kernel32.CurrentThread, (nuint)1 << cpu) != 0
            ? null
            : FormattableString.Invariant($"The thread is not pinned: CPU {cpu} does not exist in its processor group, ")
                + "or this process may not run on it.";

    public override string? RaisePriority()
    {
        Thread.CurrentThread.Priority = ThreadPriority.Highest;
        return null;
    }
}
