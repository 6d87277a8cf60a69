using System.Runtime.InteropServices;

namespace Picollo.Interop.Native;

/// <summary>The operating system's loader.</summary>
/// <remarks>First as the runtime finds the native libraries of packages (its .deps.json lists them, and a library beside Picollo.dll
/// counts), then beside the program, which is where a single-file or Native AOT publish puts it, then in the package's layout below the
/// program, for hosts that load assemblies without a .deps.json.</remarks>
internal sealed class SystemNativeLibraries : INativeLibraries
{
    public bool TryLoad(string name, out nint library, out string where, out bool isThere)
    {
        (where, isThere) = (name, true);
        if (NativeLibrary.TryLoad(name, typeof(SystemNativeLibraries).Assembly, DllImportSearchPath.AssemblyDirectory, out library))
        {
            return true;
        }

        // As the package's folders are named. The process's architecture, not the machine's: an x64 process on arm64 needs the x64 library.
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

        // To see a file takes no descriptor, to load it does.
        string[] searched = (AppContext.GetData("NATIVE_DLL_SEARCH_DIRECTORIES") as string ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        string? unloadable = searched.Select(folder => Path.Combine(folder, file)).Concat(paths).FirstOrDefault(File.Exists);
        isThere = unloadable is not null;
        where = unloadable ?? string.Join(", ", paths.Prepend(name).Distinct()); // both identifiers may be the same
        return false;
    }

    public bool TryGetExport(nint library, string function, out nint address) =>
        NativeLibrary.TryGetExport(library, function, out address);
}
