using System.Reflection;
using Picollo.Diagnostics;
using Picollo.Diagnostics.Commands.Linux;
using Picollo.PerfEvent;

namespace Picollo.HelperApp.Faults;

/// <summary>Creates sessions while only a limited number of files can be opened. Each works or fails as expected, and leaves nothing
/// open.</summary>
internal static class Limits
{
    private const int MostFree = 40;

    public static void Run()
    {
        PerfEventCounterSessionFactory two = PerfEventCounterSession.Factory
            .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
            .WithSoftwareCounter(PerfSoftwareCounterId.TaskClock);
        PerfEventCounterSessionFactory five = two
            .WithSoftwareCounter(PerfSoftwareCounterId.MinorPageFaults)
            .WithSoftwareCounter(PerfSoftwareCounterId.MajorPageFaults)
            .WithSoftwareCounter(PerfSoftwareCounterId.AlignmentFaults);

        // More threads than those of the runtime, so that the process has several.
        using var over = new ManualResetEventSlim();
        Thread[] threads = [.. Enumerable.Range(0, 3).Select(_ => new Thread(over.Wait))];
        Array.ForEach(threads, thread => thread.Start());

        LoadEverything();
        _ = PerfEventCounterSession.Factory.WithFixedCounters().TryCreate(out _, out _);
        new ThreadCpuClock().Dispose();
        for (int free = 0; free <= MostFree; free++)
        {
            Try(five, free, $"thread-{free}");
            Try(five.WithOptional(), free, $"optional-{free}");
            Try(two.WithProcess(0), free, $"process-{free}");
        }

        Descriptors.Limit((ulong)Descriptors.FillHoles() + 1);
        using (var clock = new ThreadCpuClock())
        {
            Findings.Print("clock-time", clock.GetNanoseconds());
            Findings.Print("clock-reason", clock.UnavailableReason);
        }

        Descriptors.Unlimit();
        over.Set();
    }

    /// <summary>Creates a meter when no descriptor is free, and uses it when one is free.</summary>
    public static void RunMeter()
    {
        LoadEverything();
        Descriptors.Limit((ulong)Descriptors.FillHoles() + 1);
        var meter = new CommandMeter();
        string? reason = meter.UnavailableReason;
        MeasurementUnavailableCause? cause = SpawnProgram.Current.Failure?.Cause;
        Descriptors.Unlimit();
        Findings.Print("reason", reason);
        Findings.Print("cause", cause);
        Findings.Print("then", meter.UnavailableReason);
        Findings.Print("run", meter.Run("true").Usage.MaxResidentBytes > 0);
    }

    /// <summary>Reads the run queue when no descriptor is free.</summary>
    public static void RunWithoutRunQueue()
    {
        LoadEverything();
        Descriptors.Limit((ulong)Descriptors.FillHoles() + 1);
        RunQueue.Print("no-descriptor");
        Descriptors.Unlimit();
    }

    /// <summary>Loads all assemblies. Loading one needs a file, and an assembly that once failed to load is never retried.</summary>
    public static void LoadEverything()
    {
        foreach (string path in ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator))
        {
            _ = Assembly.Load(new AssemblyName(Path.GetFileNameWithoutExtension(path)));
        }

        Console.Out.Flush();
    }

    private static void Try(PerfEventCounterSessionFactory factory, int free, string name)
    {
        int highest = Descriptors.FillHoles();
        string before = string.Join(' ', Descriptors.Open());
        Descriptors.Limit((ulong)(highest + 1 + free));
        string outcome;
        try
        {
            using PerfEventCounterSession session = factory.Create();
            session.Read();
            outcome = $"works {session.Counters.Count} {session.UnavailableCounters.Count}";
        }
        catch (MeasurementUnavailableException e)
        {
            outcome = $"{e.Message} {e.Cause}";
        }
        catch (Exception e)
        {
            outcome = e.ToString().ReplaceLineEndings(" ");
        }

        Descriptors.Unlimit();
        string after = string.Join(' ', Descriptors.Open());
        Findings.Print(name, outcome);
        Findings.Print($"{name}-left", after == before ? "nothing" : $"{before} became {after}");
    }
}
