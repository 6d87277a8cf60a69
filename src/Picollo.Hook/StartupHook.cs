using System.Reflection;
using System.Runtime.Loader;

/// <summary>The program that the runtime calls before the application's own (DOTNET_STARTUP_HOOKS,
/// docs/design/features/host-startup-hook.md of dotnet/runtime). It loads Picollo and never throws: if it fails, the application runs as
/// without it.</summary>
/// <remarks>Older runtimes also load this assembly, so it uses only what .NET 6 has.</remarks>
internal static class StartupHook
{
    private const string Variable = "DOTNET_STARTUP_HOOKS";
    private const int LeastRuntime = 10;

    public static void Initialize()
    {
        try
        {
            if (IsSdk(AppContext.BaseDirectory))
            {
                Report("sdk"); // `dotnet run`, the build and the compiler, whose children include the application
                return;
            }

            RemoveFromVariable();
            Report("hook");
            if (Environment.Version.Major < LeastRuntime)
            {
                Say($".NET {LeastRuntime} or later is required, and this application runs on .NET {Environment.Version}");
                return;
            }

            string folder = Path.GetDirectoryName(typeof(StartupHook).Assembly.Location)!;
            new HookContext(folder).LoadFromAssemblyPath(Path.Combine(folder, "Picollo.Hosted.dll"))
                .GetType("Picollo.Hosted.HostedStart", throwOnError: true)!
                .GetMethod("Run", BindingFlags.Public | BindingFlags.Static)!.Invoke(null, null);
        }
        catch (Exception e)
        {
            Say((e as TargetInvocationException)?.InnerException?.Message ?? e.Message);
        }
    }

    /// <summary>Returns whether a program belongs to an SDK: the CLI, MSBuild, the compiler server.</summary>
    private static bool IsSdk(string folder)
    {
        for (DirectoryInfo? parent = new(folder); parent is not null; parent = parent.Parent)
        {
            if (parent.Parent?.Name == "sdk" && File.Exists(Path.Combine(parent.FullName, "dotnet.dll")))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Removes this hook from the variable, so that programs that the application starts do not load it. Other hooks
    /// remain.</summary>
    private static void RemoveFromVariable()
    {
        string own = typeof(StartupHook).Assembly.Location;
        string others = string.Join(
            Path.PathSeparator,
            (Environment.GetEnvironmentVariable(Variable) ?? "").Split(Path.PathSeparator).Where(path => path != own && path.Length > 0));
        Environment.SetEnvironmentVariable(Variable, others.Length == 0 ? null : others);
    }

    /// <summary>Reports to the program that started the application that this process has loaded the hook.</summary>
    private static void Report(string what)
    {
        if (Environment.GetEnvironmentVariable("PICOLLO_STATE") is { Length: > 0 } folder && Directory.Exists(folder))
        {
            File.WriteAllText(Path.Combine(folder, $"{what}-{Environment.ProcessId}"), "");
        }
    }

    private static void Say(string problem)
    {
        try
        {
            Console.Error.WriteLine($"picollo: {problem.TrimEnd('.')}. The application runs without picollo.");
        }
        catch (Exception)
        {
            // Standard error is closed.
        }
    }

    /// <summary>Loads Picollo's own assemblies, and shares those of the framework with the application.</summary>
    private sealed class HookContext : AssemblyLoadContext
    {
        private readonly string _folder;
        private readonly Dictionary<string, string> _trusted = new();
        private readonly bool _isShared;
        private readonly string? _web;

        public HookContext(string folder)
            : base("Picollo")
        {
            _folder = folder;
            foreach (string path in (AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") as string ?? "").Split(Path.PathSeparator))
            {
                _trusted[Path.GetFileName(path)] = path;
            }

            // All or none of them, because they call each other.
            _isShared = Directory.GetFiles(folder, "*.dll")
                .All(own => !_trusted.TryGetValue(Path.GetFileName(own), out string? other) || AreEqual(own, other));
            _web = HasWeb() ? null : WebFolder();
        }

        protected override Assembly? Load(AssemblyName name)
        {
            string file = name.Name + ".dll";
            string own = Path.Combine(_folder, file);
            if (File.Exists(own))
            {
                // Shares the application's histograms, if it references the same Picollo.
                return _isShared && _trusted.ContainsKey(file) ? null : LoadFromAssemblyPath(own);
            }

            string? web = _web is null ? null : Path.Combine(_web, file);
            return File.Exists(web) ? LoadFromAssemblyPath(web!) : null;
        }

        private static bool AreEqual(string path, string other) =>
            new FileInfo(path).Length == new FileInfo(other).Length
            && File.ReadAllBytes(path).AsSpan().SequenceEqual(File.ReadAllBytes(other));

        /// <summary>Returns whether the application contains or references ASP.NET Core. A single file has no list of its
        /// assemblies.</summary>
        private static bool HasWeb()
        {
            try
            {
                return Default.LoadFromAssemblyName(new AssemblyName("Microsoft.AspNetCore")) is not null;
            }
            catch (IOException)
            {
                return false;
            }
        }

        /// <summary>Returns the folder of ASP.NET Core next to the runtime of an application that does not reference it.</summary>
        private static string WebFolder()
        {
            string location = typeof(object).Assembly.Location; // empty in a single file
            DirectoryInfo? shared = location.Length == 0 ? null : Directory.GetParent(location)?.Parent?.Parent;
            string folder = Path.Combine(shared?.FullName ?? "/", "Microsoft.AspNetCore.App");
            Version runtime = Environment.Version;
            string[] versions = Directory.Exists(folder)
                ? Directory.GetDirectories(folder, $"{runtime.Major}.{runtime.Minor}.*")
                : Array.Empty<string>();
            return versions
                .OrderByDescending(static path => Version.TryParse(Path.GetFileName(path), out Version? version) ? version : new Version())
                .FirstOrDefault()
                ?? throw new DirectoryNotFoundException(
                    $"The page requires ASP.NET Core {runtime.Major}.{runtime.Minor}, which is not next to the application's runtime");
        }
    }
}
