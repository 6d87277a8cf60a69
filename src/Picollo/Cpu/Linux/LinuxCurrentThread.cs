using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

internal sealed class LinuxCurrentThread : CurrentThread
{
    private const int LowestNice = -20;

    public override int Cpu => LibC.sched_getcpu();

    public override string? Pin(int cpu) => CpuMask.Pin(cpu) is not 0 and var error
        ? FormattableString.Invariant(
            $"The thread is not pinned: CPU {cpu} does not exist, or this process may not run on it (errno {error}).")
        : null;

    public override string? RaisePriority()
    {
        // A limit (RLIMIT_NICE) may permit a partial increase: the first permitted niceness is the best.
        int error = 0;
        for (int nice = LowestNice; nice < 0; nice++)
        {
            if (LibC.setpriority(LibC.PRIO_PROCESS, who: 0, nice) == 0)
            {
                return nice == LowestNice ? null : NotRaised(FormattableString.Invariant($"{nice} instead of {LowestNice}"));
            }

            error = Marshal.GetLastPInvokeError();
        }

        return NotRaised(FormattableString.Invariant($"unchanged (errno {error})"));
    }

    private static string NotRaised(string nice) =>
        $"The thread's niceness is {nice}. A lower value was refused: {LinuxRights.Read().Remedy(LinuxCapability.SYS_NICE)}, or raise the "
        + "limit (ulimit -e).";
}
