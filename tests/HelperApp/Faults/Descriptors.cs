using System.Runtime.InteropServices;

namespace Picollo.HelperApp.Faults;

/// <summary>The open files of this process, and the limit of their number.</summary>
internal static unsafe partial class Descriptors
{
    private const int FileLimit = 7; // RLIMIT_NOFILE

    /// <summary>Returns the number and the target of each descriptor, except the one that this method opens.</summary>
    public static SortedDictionary<int, string> Open()
    {
        var open = new SortedDictionary<int, string>();
        foreach (string path in Directory.GetFileSystemEntries("/proc/self/fd"))
        {
            // The descriptor of the folder is already closed.
            if (new FileInfo(path).LinkTarget is { } target)
            {
                open.Add(int.Parse(Path.GetFileName(path), System.Globalization.CultureInfo.InvariantCulture), target);
            }
        }

        return open;
    }

    public static int Counters() => Open().Values.Count(target => target.Contains("perf_event", StringComparison.Ordinal));

    /// <summary>Returns the number of mapped counter pages.</summary>
    public static int Pages() => File.ReadLines("/proc/self/maps").Count(line => line.Contains("perf_event", StringComparison.Ordinal));

    /// <summary>Opens files until all numbers below the highest are in use, so that only the limit determines the number of free
    /// descriptors.</summary>
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
