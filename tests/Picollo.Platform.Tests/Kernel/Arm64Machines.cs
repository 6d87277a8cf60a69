namespace Picollo.Platform.Tests.Kernel;

/// <summary>Arm64 machines with the checks of the guest program that each runs.</summary>
public abstract class Arm64Machine : EmulatedMachine
{
    // Counts repeat exactly, because every instruction takes 2 ns of the machine's own time.
    private protected const string Exactly = "shift=1,sleep=off";

    // With the default algorithm of the architecture, signing pointers would take most of the emulator's time.
    private protected const string Newest = "max,pauth-impdef=on";

    private protected sealed override GuestPlatform Platform => GuestPlatform.Arm64;

    private protected sealed override string CommandLine => "picollo.checks=" + string.Join(',', Checks);

    private protected abstract string[] Checks { get; }
}

/// <summary>One processor with all features of the emulator.</summary>
public sealed class OneProcessor : Arm64Machine
{
    private protected override string[] Hardware => ["-cpu", Newest, "-smp", "1", "-m", "512", "-icount", Exactly];

    private protected override string[] Checks =>
    [
        "counts", "reads", "multiplexing", "toggling", "stale-page", "closed-event", "no-user-access", "paranoid-3", "paranoid-2",
        "paranoid-1", "thread-time", "sampling",
    ];
}

/// <summary>One processor with 32-bit counters. Its instructions take 16 ns and its cycles 1 ns, so a cycle counter wraps within a few
/// seconds.</summary>
public sealed class SlowProcessor : Arm64Machine
{
    private protected override string[] Hardware => ["-cpu", "cortex-a72", "-smp", "1", "-m", "512", "-icount", "shift=4,sleep=off"];

    private protected override string[] Checks => ["wrap"];
}

public sealed class TwoProcessors : Arm64Machine
{
    private protected override string[] Hardware => ["-cpu", Newest, "-smp", "2", "-m", "512", "-icount", Exactly];

    private protected override string[] Checks => ["migration", "thread-time-with-others"];
}

public sealed class ProcessorWithoutPmu : Arm64Machine
{
    private protected override string[] Hardware => ["-cpu", Newest + ",pmu=off", "-smp", "1", "-m", "512", "-icount", Exactly];

    private protected override string[] Checks => ["no-pmu", "thread-time"];
}

public sealed class CortexA72 : Arm64Machine
{
    private protected override string[] Hardware => ["-cpu", "cortex-a72", "-smp", "1", "-m", "512", "-icount", Exactly];

    private protected override string[] Checks => ["widths"];
}

public sealed class NeoverseN1 : Arm64Machine
{
    private protected override string[] Hardware => ["-cpu", "neoverse-n1", "-smp", "1", "-m", "512", "-icount", Exactly];

    private protected override string[] Checks => ["widths"];
}
