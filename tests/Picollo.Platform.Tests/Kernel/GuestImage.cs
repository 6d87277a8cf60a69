namespace Picollo.Platform.Tests.Kernel;

/// <summary>Builds the guest program against the published native library, and the initial file system that contains it.</summary>
internal static class GuestImage
{
    // The C and C++ libraries that .NET's runtime needs.
    private static readonly string[] RuntimeLibraries =
        ["libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1", "libstdc++.so.6"];

    /// <summary>Writes the file system to a file.</summary>
    /// <param name="platform">The platform.</param>
    /// <param name="app">A folder with a .NET program, which becomes /app; null for none.</param>
    /// <param name="file">The output file.</param>
    public static void Write(GuestPlatform platform, string? app, string file)
    {
        string sources = Path.Combine(Repository.Root, "tests", "Picollo.Platform.Tests", "Kernel", "guest");
        string shim = Path.Combine(Repository.Root, "native", "out", platform.Rid, "libpicollo_native.so");
        string program = file + ".guest";
        Tool.Run(platform.Compiler, sources, new Dictionary<string, string?>(),
        [
            "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", Path.Combine(Repository.Root, "native"),
            "-o", program, .. Directory.GetFiles(sources, "*.c").Order(StringComparer.Ordinal), shim, "-Wl,-rpath,/lib",
        ]);

        using FileStream output = File.Create(file);
        using var archive = new CpioArchive(output);
        foreach (string folder in new[] { "bin", "lib", "lib64", "proc", "sys", "dev", "tmp" })
        {
            archive.AddFolder(folder);
        }

        void Add(string name, string from) => archive.AddFile(name, File.ReadAllBytes(from));
        Add("init", Path.Combine(sources, "init"));
        Add("guest", program);
        Add("bin/busybox", Path.Combine(platform.Kernels, "busybox"));
        Add("lib/libpicollo_native.so", shim);
        Add("lib/libc.so.6", Path.Combine(platform.Libraries, "libc.so.6"));
        Add(platform.Loader, Path.Combine(platform.Libraries, Path.GetFileName(platform.Loader)));
        if (app is not null)
        {
            archive.AddFolder("app");
            foreach (string library in RuntimeLibraries)
            {
                Add("lib/" + library, Path.Combine(platform.Libraries, library));
            }

            foreach (string part in Directory.GetFiles(app).Order(StringComparer.Ordinal))
            {
                Add("app/" + Path.GetFileName(part), part);
            }
        }
    }
}
