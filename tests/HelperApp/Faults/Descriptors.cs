using System.Runtime.InteropServices;

namespace Picollo.HelperApp.Faults;

/// <summary>This process's open files, and the limit on their number.</summary>
internal static unsafe partial class Descriptors
{
    private const int FileLimit = 7; // RLIMIT_NOFILE

    /// <summary>Number and target of each, the one that this takes left out.</summary>
    public static SortedDictionary<int, string> Open()
    {
        var open = new SortedDictionary<int, string>();
        foreach (string path in Directory.GetFileSystemEntries("/proc/self/fd"))
        {
            // The folder's own descriptor is closed by now.
            if (new FileInfo(path).LinkTarget is { } target)
            {
                open.Add(int.Parse(Path.GetFileName(path), System.Globalization.CultureInfo.InvariantCulture), target);
            }
        }

        return open;
    }

    public static int Counters() => Open().Values.Count(target => target.Contains("perf_event", StringComparison.Ordinal));

    /// <summary>Pages of counters that are mapped.</summary>
    public static int Pages() => File.ReadLines("/proc/self/maps").Count(line => line.Contains("perf_event", StringComparison.Ordinal));

    /// <summary>Opens files until those numbers below the highest are taken, so that what is free is what the limit leaves.</summary>
    public static int FillHoles()
    {
        int highest = Open().Keys.Last();
        int last;
        while ((last = Duplicate(0)) < highest)
        {
        }

        _ = Close(last);
        return highest;
    }

    public static void Limit(ulong count)
    {
        Limits limits;
        if (GetLimit(FileLimit, &limits) != 0)
        {
            throw new InvalidOperationException("getrlimit");
        }

        limits.Soft = Math.Min(count, limits.Hard);
        if (SetLimit(FileLimit, &limits) != 0)
        {
            throw new InvalidOperationException("setrlimit");
        }
    }

    public static void Unlimit() => Limit(ulong.MaxValue);

    private struct Limits
    {
        public ulong Soft;
        public ulong Hard;
    }

    [LibraryImport("libc", EntryPoint = "dup")]
    private static partial int Duplicate(int file);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int file);

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, Limits* limits);

    [LibraryImport("libc", EntryPoint = "setrlimit")]
    private static partial int SetLimit(int resource, Limits* limits);
}
