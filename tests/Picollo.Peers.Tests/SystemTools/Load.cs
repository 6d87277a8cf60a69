using System.Diagnostics;
using System.Globalization;

namespace Picollo.Peers.Tests.SystemTools;

/// <summary>A program that computes on one CPU with a niceness.</summary>
internal sealed class Load : IDisposable
{
    private readonly Process _process;

    public Load(int cpu, int niceness) => _process = Process.Start(new ProcessStartInfo("nice",
    [
        "-n", niceness.ToString(CultureInfo.InvariantCulture),
        "taskset", "-c", cpu.ToString(CultureInfo.InvariantCulture),
        "sh", "-c", "while :; do :; done",
    ]))!;

    public int Id => _process.Id;

    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
    }
}
