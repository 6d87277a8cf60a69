namespace Picollo.Platform.Tests.Kernel;

/// <summary>A machine that is booted once, at the first question, and keeps what it printed.</summary>
public abstract class EmulatedMachine : IDisposable
{
    // From start to power-off it takes some seconds; ended here, and the emulator with it, where it takes this many.
    private const string Seconds = "150";

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
        string problem;
        try
        {
            GuestLog log = Run(image);
            if (log.HasEnd)
            {
                return log;
            }

            problem = log.Text;
        }
        catch (InvalidOperationException e) when (e.Message.Contains(" ended with 124:", StringComparison.Ordinal))
        {
            problem = e.Message;
        }

        // Seen once in some hundred boots, on a machine with a busy neighbour: the emulator stands still, or the guest's kernel panics. What
        // does so by itself does it again.
        Console.Error.WriteLine($"The emulated machine did not come to its end, and is booted once more. {problem}");
        return Run(image);
    }

    private GuestLog Run(string image) =>
        // No terminal and no standard input: the guest's console is the output alone.
        new(Tool.Run("timeout", _scratch, new Dictionary<string, string?>(),
        [
            "--kill-after=5", Seconds, Platform.Emulator, .. Platform.Machine, "-accel", "tcg", .. Hardware,
            "-display", "none", "-monitor", "none", "-nodefaults", "-serial", "file:/dev/stdout", "-no-reboot",
            "-kernel", Path.Combine(Platform.Kernels, "vmlinuz"), "-initrd", image,
            "-append", $"console={Platform.Console} quiet panic=-1 {CommandLine}",
        ]));
}
