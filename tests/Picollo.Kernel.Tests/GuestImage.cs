namespace Picollo.Kernel.Tests;

/// <summary>The guest program, compiled against the shim as it is shipped, and the first file system with it.</summary>
internal static class GuestImage
{
    /// <summary>Writes the file system to a file.</summary>
    public static void Write(GuestPlatform platform, string file)
    {
        string sources = Path.Combine(Repository.Root, "tests", "Picollo.Kernel.Tests", "guest");
        string shim = Path.Combine(Repository.Root, "native", "out", platform.Rid, "libpicollo_native.so");
        string program = file + ".guest";
        Tool.Run(platform.Compiler, sources, new Dictionary<string, string?>(),
        [
            "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", Path.Combine(Repository.Root, "native"),
            "-o", program, .. Directory.GetFiles(sources, "*.c").Order(StringComparer.Ordinal), shim, "-Wl,-rpath,/lib",
        ]);

        var archive = new CpioArchive();
        foreach (string folder in new[] { "bin", "lib", "lib64", "proc", "sys", "dev", "host", "modules" })
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
        string modules = Path.Combine(platform.Kernels, "modules");
        foreach (string module in Directory.Exists(modules) ? Directory.GetFiles(modules) : [])
        {
            Add("modules/" + Path.GetFileName(module), module);
        }

        File.WriteAllBytes(file, archive.ToArray());
    }
}
