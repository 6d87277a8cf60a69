namespace Picollo.Platform.Tests.Kernel;

/// <summary>An x64 machine with the checks of the guest program that it runs. The emulator has no x64 PMU.</summary>
public abstract class X64Machine(int processors, string commandLine, int megabytes, params string[] time) : EmulatedMachine
{
    /// <summary>Without this option, the kernel trusts an emulated time-stamp counter only with one processor.</summary>
    private protected const string ReliableCounter = "tsc=reliable clocksource=tsc";

    private protected sealed override GuestPlatform Platform => GuestPlatform.X64;

    private protected sealed override string[] Hardware => ["-cpu", "max", "-smp", $"{processors}", "-m", $"{megabytes}", .. time];

    // The kernel panics if it sees no timer interrupts within ten ticks, in which a busy host may not run the emulator.
    private protected sealed override string CommandLine => "no_timer_check " + commandLine;
}

public sealed class X64OneProcessor()
    : X64Machine(1, ReliableCounter + " picollo.checks=no-pmu,thread-time", 512, "-icount", "shift=1,sleep=off");

// Runs in real time, because two x64 processors take minutes with counted instructions.
public sealed class X64TwoProcessors() : X64Machine(2, ReliableCounter + " picollo.checks=thread-time-with-others", 512);

public sealed class X64WithoutUserTime() : X64Machine(2, "picollo.checks=no-thread-time", 512);

/// <summary>A machine that runs tests/PerfGuestApp with its own runtime.</summary>
public abstract class X64DotnetMachine(string commandLine) : X64Machine(2, commandLine, 1024)
{
    private static readonly Lazy<string> Program = new(Publish);

    private protected sealed override string App => Program.Value;

    private static string Publish()
    {
        string app = Path.Combine(Repository.Root, "artifacts", "kernel-tests");
        if (Directory.Exists(app))
        {
            Directory.Delete(app, recursive: true);
        }

        // The program is compiled ahead of time, because the emulated just-in-time compiler would take most of its time.
        Publishing.SelfContained("PerfGuestApp", "linux-x64", app, "-p:PublishReadyToRun=true");
        return app;
    }
}

public sealed class X64Dotnet() : X64DotnetMachine(ReliableCounter);

public sealed class X64DotnetWithoutUserTime() : X64DotnetMachine("");
