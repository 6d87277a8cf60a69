namespace Picollo.Interop.Native;

/// <remarks>Searches in this order: the runtime's locations for native libraries of packages (the .deps.json file and the folder of
/// Picollo.dll); the folder of the program, where single-file and Native AOT publishing put the library; the package's folder layout below
/// the program, for hosts that load assemblies without a .deps.json file.</remarks>
internal sealed class SystemNativeLibraries : INativeLibraries
{
    public bool TryLoad(string name, out nint library, out string where, out bool exists)
    {
        (where, exists) = (name, true);
        if (NativeLibrary.TryLoad(name, typeof(SystemNativeLibraries).Assembly, DllImportSearchPath.AssemblyDirectory, out library))
        {
            return true;
        }

        // The names of the package's folders. Use the process architecture, not that of the machine: an x64 process on arm64 needs the x64
        // library.
        (string system, string file) = OperatingSystem.IsWindows() ? ("win", $"{name}.dll")
            : OperatingSystem.IsMacOS() ? ("osx", $"lib{name}.dylib")
            : ("linux", $"lib{name}.so");
        string portableIdentifier = $"{system}-{RuntimeInformation.ProcessArchitecture}".ToLowerInvariant();
        string[] paths =
        [
            Path.Combine(AppContext.BaseDirectory, file),
            Path.Combine(AppContext.BaseDirectory, "runtimes", RuntimeInformation.RuntimeIdentifier, "native", file),
            Path.Combine(AppContext.BaseDirectory, "runtimes", portableIdentifier, "native", file),
        ];
        foreach (string path in paths)
        {
            where = path;
            if (NativeLibrary.TryLoad(path, out library))
            {
                return true;
            }
        }

        // File.Exists needs no file descriptor, loading does.
        string[] searched = (AppContext.GetData("NATIVE_DLL_SEARCH_DIRECTORIES") as string ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        string? unloadable = searched.Select(folder => Path.Combine(folder, file)).Concat(paths).FirstOrDefault(File.Exists);
        exists = unloadable is not null;
        where = unloadable ?? string.Join(", ", paths.Prepend(name).Distinct()); // both identifiers may be equal
        return false;
    }

    public bool TryGetExport(nint library, string function, out nint address) =>
        NativeLibrary.TryGetExport(library, function, out address);
}
