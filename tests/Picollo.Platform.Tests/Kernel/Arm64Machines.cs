namespace Picollo.Platform.Tests.Kernel;

/// <summary>An Arm64 machine with the checks of the guest program that it runs.</summary>
public abstract class Arm64Machine(string processor, int processors, string[] checks, string time = Arm64Machine.Exactly) : EmulatedMachine
{
    // Counts repeat exactly, because every instruction takes 2 ns of the machine's own time.
    private protected const string Exactly = "shift=1,sleep=off";

    // With the default algorithm of the architecture, signing pointers would take most of the emulator's time.
    private protected const string Newest = "max,pauth-impdef=on";

    private protected sealed override GuestPlatform Platform => GuestPlatform.Arm64;

    private protected sealed override string[] Hardware => ["-cpu", processor, "-smp", $"{processors}", "-m", "512", "-icount", time];

    private protected sealed override string CommandLine => "picollo.checks=" + string.Join(',', checks);
}

/// <summary>One processor with all features of the emulator.</summary>
public sealed class OneProcessor() : Arm64Machine(Newest, 1, All)
{
    internal static readonly string[] All =
    [
        "counts", "reads", "multiplexing", "toggling", "stale-page", "closed-event", "no-user-access", "paranoid-3", "paranoid-2",
        "paranoid-1", "thread-time", "sampling",
    ];
}

/// <summary>One processor with 32-bit counters. Its instructions take 16 ns and its cycles 1 ns, so a cycle counter wraps within a few
/// seconds.</summary>
public sealed class SlowProcessor() : Arm64Machine("cortex-a72", 1, ["wrap"], "shift=4,sleep=off");

public sealed class TwoProcessors() : Arm64Machine(Newest, 2, ["migration", "thread-time-with-others"]);

public sealed class ProcessorWithoutPmu() : Arm64Machine(Newest + ",pmu=off", 1, ["no-pmu", "thread-time"]);

public sealed class CortexA72() : Arm64Machine("cortex-a72", 1, ["widths"]);

public sealed class NeoverseN1() : Arm64Machine("neoverse-n1", 1, ["widths"]);
