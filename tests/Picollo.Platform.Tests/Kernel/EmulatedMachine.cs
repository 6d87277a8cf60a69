namespace Picollo.Platform.Tests.Kernel;

/// <summary>A machine that is booted once, at the first request, and keeps its output.</summary>
public abstract class EmulatedMachine : IDisposable
{
    // A machine runs for a few seconds from start to power-off. After this number of seconds, the emulator is killed.
    private const string Seconds = "150";

    // All processors share one thread. With one thread each, one of twenty boots hangs (QEMU 7.2, 2026-11-23): both processors are in the
    // kernel without interrupts, at an instruction that the other has replaced. Switching counters on and off replaces instructions.
    private const string OneThread = "tcg,thread=single";

    private readonly string _scratch = Directory.CreateTempSubdirectory("picollo-guest-").FullName;
    private readonly Lazy<GuestLog> _log;

    private protected EmulatedMachine() => _log = new Lazy<GuestLog>(Boot);

    internal GuestLog Log => _log.Value;

    private protected abstract GuestPlatform Platform { get; }

    /// <summary>The emulator's arguments for the processors and the time.</summary>
    private protected abstract string[] Hardware { get; }

    /// <summary>The text that is appended to the kernel's command line.</summary>
    private protected abstract string CommandLine { get; }

    /// <summary>A folder of files for /app of the guest; null for none.</summary>
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

        // There is no terminal and no standard input, so the guest's console has only an output.
        return new(Tool.Run("timeout", _scratch, new Dictionary<string, string?>(),
        [
            "--kill-after=5", Seconds, Platform.Emulator, .. Platform.Machine, "-accel", OneThread, .. Hardware,
            "-display", "none", "-monitor", "none", "-nodefaults", "-serial", "file:/dev/stdout", "-no-reboot",
            "-kernel", Path.Combine(Platform.Kernels, "vmlinuz"), "-initrd", image,
            "-append", $"console={Platform.Console} quiet panic=-1 {CommandLine}",
        ]));
    }
}
