using Picollo.PerfEvent;

namespace Picollo.HelperApp.Faults;

/// <summary>Loads the native library while no more files can be opened, and again when they can.</summary>
internal static class LateLibrary
{
    public static void Run()
    {
        Limits.LoadEverything();
        Descriptors.Limit((ulong)Descriptors.FillHoles() + 1);
        string? without;
        using (var clock = new ThreadCpuClock())
        {
            without = clock.UnavailableReason;
        }

        Descriptors.Unlimit();
        Findings.Print("without", without);
        using (var clock = new ThreadCpuClock())
        {
            Findings.Print("with", clock.UnavailableReason);
        }
    }
}
