namespace Picollo.Platform.Tests.Kernel;

/// <summary>The files of this machine from which an emulated machine is built.</summary>
internal sealed record GuestPlatform
{
    public static readonly GuestPlatform Arm64 = new()
    {
        Rid = "linux-arm64",
        Emulator = "qemu-system-aarch64",
        Machine = ["-M", "virt"],
        Console = "ttyAMA0",
        Debian = "arm64",
        Compilers = ["aarch64-linux-gnu-gcc"],
        Libraries = "/usr/aarch64-linux-gnu/lib",
        Loader = "lib/ld-linux-aarch64.so.1",
    };

    public static readonly GuestPlatform X64 = new()
    {
        Rid = "linux-x64",
        Emulator = "qemu-system-x86_64",
        Machine = [],
        Console = "ttyS0",
        Debian = "amd64",
        Compilers = ["x86_64-linux-gnu-gcc", "gcc"],
        Libraries = "/lib/x86_64-linux-gnu",
        Loader = "lib64/ld-linux-x86-64.so.2",
    };

    public required string Rid { get; init; }

    public required string Emulator { get; init; }

    public required string[] Machine { get; init; }

    public required string Console { get; init; }

    /// <summary>Debian's name of the architecture, which is also the folder of its kernel.</summary>
    public required string Debian { get; init; }

    /// <summary>The candidates, of which the first existing one is used.</summary>
    public required string[] Compilers { get; init; }

    /// <summary>The folder of the C library for that architecture on this machine.</summary>
    public required string Libraries { get; init; }

    /// <summary>The path where programs of that architecture expect their loader.</summary>
    public required string Loader { get; init; }

    /// <summary>The kernels, busybox and modules of that architecture; see kernels.sh.</summary>
    public string Kernels => Path.Combine(Needs.KernelFolder, Debian);

    public string Compiler => Compilers.First(Tool.Exists);
}
