namespace Picollo.Platform.Tests.Kernel;

/// <summary>A machine that is booted once, at the first question, and keeps what it printed.</summary>
public abstract class EmulatedMachine : IDisposable
{
    // From start to power-off it takes some seconds; ended here, and the emulator with it, where it takes this many.
    private const string Seconds = "150";

    // All processors take turns on one thread. With a thread each, one boot in twenty stands still (QEMU 7.2, 2026-11-23): both are in the
    // kernel, without interrupts, at an instruction that the other has replaced; counters are switched on and off by replacing some.
    private const string OneThread = "tcg,thread=single";

    private readonly string _scratch = Directory.CreateTempSubdirectory("picollo-guest-").FullName;
    private readonly Lazy<GuestLog> _log;

    private protected EmulatedMachine() => _log = new Lazy<GuestLog>(Boot);

    internal GuestLog Log => _log.Value;

    private protected abstract GuestPlatform Platform { get; }

    /// <summary>The emulator's arguments: processors, and how time passes.</summary>
    private protected abstract string[] Hardware { get; }

    /// <summary>What is added to the kernel's command line.</summary>
    private protected abstract string CommandLine { get; }

    /// <summary>A folder of files that the guest is to have as /app; null for none.</summary>
    private protected virtual string? App => null;

    public void Dispose()
    {
        Directory.Delete(_scratch, recursive: true);
        GC.SuppressFinalize(this);
    }

    private GuestLog Boot()
    {
        string image = Path.Combine(_scratch, "initramfs");
        GuestImage.Write(Platform, App, image);

        // No terminal and no standard input: the guest's console is the output alone.
        return new(Tool.Run("timeout", _scratch, new Dictionary<string, string?>(),
        [
            "--kill-after=5", Seconds, Platform.Emulator, .. Platform.Machine, "-accel", OneThread, .. Hardware,
            "-display", "none", "-monitor", "none", "-nodefaults", "-serial", "file:/dev/stdout", "-no-reboot",
            "-kernel", Path.Combine(Platform.Kernels, "vmlinuz"), "-initrd", image,
            "-append", $"console={Platform.Console} quiet panic=-1 {CommandLine}",
        ]));
    }
}
