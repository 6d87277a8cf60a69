namespace Picollo.Platform.Tests.Kernel;

/// <summary>The files of this machine from which an emulated machine is built.</summary>
/// <param name="Rid">The runtime identifier.</param>
/// <param name="Emulator">The program of the emulator.</param>
/// <param name="Machine">The emulator's arguments for the machine.</param>
/// <param name="Console">The device of the console.</param>
/// <param name="Debian">Debian's name of the architecture, which is also the folder of its kernel.</param>
/// <param name="Compilers">The candidates, of which the first existing one is used.</param>
/// <param name="Libraries">The folder of the C library for that architecture on this machine.</param>
/// <param name="Loader">The path where programs of that architecture expect their loader.</param>
internal sealed record GuestPlatform(
    string Rid, string Emulator, string[] Machine, string Console, string Debian, string[] Compilers, string Libraries, string Loader)
{
    public static readonly GuestPlatform Arm64 = new(
        "linux-arm64", "qemu-system-aarch64", ["-M", "virt"], "ttyAMA0", "arm64",
        ["aarch64-linux-gnu-gcc"], "/usr/aarch64-linux-gnu/lib", "lib/ld-linux-aarch64.so.1");

    public static readonly GuestPlatform X64 = new(
        "linux-x64", "qemu-system-x86_64", [], "ttyS0", "amd64",
        ["x86_64-linux-gnu-gcc", "gcc"], "/lib/x86_64-linux-gnu", "lib64/ld-linux-x86-64.so.2");

    /// <summary>The kernels, busybox and modules of that architecture; see kernels.sh.</summary>
    public string Kernels => Path.Combine(Needs.KernelFolder, Debian);

    public string Compiler => Compilers.First(Tool.Exists);
}
