namespace Picollo.Platform.Tests.Kernel;

/// <summary>x64 machines with the checks of the guest program that each runs. The emulator has no x64 PMU.</summary>
public abstract class X64Machine : EmulatedMachine
{
    /// <summary>Without this option, the kernel trusts an emulated time-stamp counter only with one processor.</summary>
    private protected const string ReliableCounter = "tsc=reliable clocksource=tsc";

    private protected sealed override GuestPlatform Platform => GuestPlatform.X64;
}

public sealed class X64OneProcessor : X64Machine
{
    private protected override string[] Hardware => ["-cpu", "max", "-smp", "1", "-m", "512", "-icount", "shift=1,sleep=off"];

    private protected override string CommandLine => ReliableCounter + " picollo.checks=no-pmu,thread-time";
}

// Runs in real time, because two x64 processors take minutes with counted instructions.
public sealed class X64TwoProcessors : X64Machine
{
    private protected override string[] Hardware => ["-cpu", "max", "-smp", "2", "-m", "512"];

    private protected override string CommandLine => ReliableCounter + " picollo.checks=thread-time-with-others";
}

public sealed class X64WithoutUserTime : X64Machine
{
    private protected override string[] Hardware => ["-cpu", "max", "-smp", "2", "-m", "512"];

    private protected override string CommandLine => "picollo.checks=no-thread-time";
}

/// <summary>A machine that runs tests/PerfGuestApp with its own runtime.</summary>
public abstract class X64DotnetMachine : X64Machine
{
    private static readonly Lazy<string> Program = new(Publish);

    private protected sealed override string[] Hardware => ["-cpu", "max", "-smp", "2", "-m", "1024"];

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

public sealed class X64Dotnet : X64DotnetMachine
{
    private protected override string CommandLine => ReliableCounter;
}

public sealed class X64DotnetWithoutUserTime : X64DotnetMachine
{
    private protected override string CommandLine => "";
}
