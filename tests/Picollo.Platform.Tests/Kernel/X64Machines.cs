namespace Picollo.Platform.Tests.Kernel;

/// <summary>x64 machines with the checks of the guest program that each is to run. The emulator has no x64 PMU.</summary>
public abstract class X64Machine : EmulatedMachine
{
    /// <summary>Without this the kernel trusts an emulated time-stamp counter on one processor only.</summary>
    private protected const string ReliableCounter = "tsc=reliable clocksource=tsc";

    private protected sealed override GuestPlatform Platform => GuestPlatform.X64;
}

public sealed class X64OneProcessor : X64Machine
{
    private protected override string[] Hardware => ["-cpu", "max", "-smp", "1", "-m", "512", "-icount", "shift=1,sleep=off"];

    private protected override string CommandLine => ReliableCounter + " picollo.checks=no-pmu,thread-time";
}

// In real time: with counted instructions two x64 processors take minutes.
public sealed class X64TwoProcessors : X64Machine
{
    private protected override string[] Hardware => ["-cpu", "max", "-smp", "2", "-m", "512"];

    private protected override string CommandLine => ReliableCounter + " picollo.checks=thread-time-beside-others";
}

public sealed class X64WithoutUserTime : X64Machine
{
    private protected override string[] Hardware => ["-cpu", "max", "-smp", "2", "-m", "512"];

    private protected override string CommandLine => "picollo.checks=no-thread-time";
}

/// <summary>A machine on which tests/PerfGuestApp runs, which brings its runtime along.</summary>
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

        // Compiled ahead of time: emulated, the just-in-time compiler takes most of the program's time.
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
