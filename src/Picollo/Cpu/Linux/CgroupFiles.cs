namespace Picollo.Cpu.Linux;

/// <summary>The location of this process's cgroup: the directories from the group itself up to the mount point, which is the highest
/// visible one. Determined from /proc/self/cgroup (cgroups(7)) and /proc/self/mountinfo (proc_pid_mountinfo(5)).</summary>
/// <remarks>Paths are in Latin-1, one character per byte, because they may contain any byte except zero and line breaks. Strings are
/// acceptable, because the location is determined only when the process moves to another group.</remarks>
/// <param name="Version">1 or 2.</param>
/// <param name="CpuDirectories">The group's directory first, the mount point last.</param>
/// <param name="AccountingDirectories">The directories of the cpuacct controller of version 1, in the same order. Empty if the controller
/// is not mounted or the process is in another group of it, and for version 2, which has no such controller.</param>
internal sealed record CgroupLocation(int Version, IReadOnlyList<string> CpuDirectories, IReadOnlyList<string> AccountingDirectories)
{
    /// <summary>Finds the location; the reason is one of <see cref="LinuxReasons"/>.</summary>
    public static bool TryFind(
        ReadOnlySpan<byte> selfCgroup,
        ReadOnlySpan<byte> mountInfo,
        [NotNullWhen(true)] out CgroupLocation? location,
        [NotNullWhen(false)] out string? reason)
    {
        string[] groups = Encoding.Latin1.GetString(selfCgroup).Split('\n');
        Mount[] mounts = [.. Encoding.Latin1.GetString(mountInfo).Split('\n').Select(Mount.Parse).OfType<Mount>()];

        // A controller is in one hierarchy at a time. If version 1 has the cpu controller, a version 2 that is also mounted ("unified")
        // does not have it.
        location = null;
        if (PathInV1(groups, "cpu") is { } path)
        {
            if (TryResolve(mounts.Where(mount => mount.HasV1("cpu")), path, out string[] cpu, out reason))
            {
                string[] accounting = [];
                if (PathInV1(groups, "cpuacct") == path) // otherwise it has the usage of another group
                {
                    TryResolve(mounts.Where(mount => mount.HasV1("cpuacct")), path, out accounting, out _);
                }

                location = new CgroupLocation(1, cpu, accounting);
            }
        }
        else if (PathInV2(groups) is { } unifiedPath)
        {
            if (TryResolve(mounts.Where(mount => mount.IsV2), unifiedPath, out string[] cpu, out reason))
            {
                location = new CgroupLocation(2, cpu, []);
            }
        }
        else
        {
            reason = LinuxReasons.NotInCgroup;
        }

        return location is not null;
    }

    // "4:cpu,cpuacct:/path" and, for version 2, "0::/path"; the path may contain colons.
    private static string? PathInV1(string[] groups, string controller) => groups
        .Select(line => line.Split(':', 3))
        .Where(fields => fields.Length == 3 && fields[2].StartsWith('/') && fields[1].Split(',').Contains(controller))
        .Select(fields => fields[2])
        .FirstOrDefault();

    private static string? PathInV2(string[] groups) => groups
        .Where(line => line.StartsWith("0::/", StringComparison.Ordinal))
        .Select(line => line["0::".Length..])
        .FirstOrDefault();

    private static bool TryResolve(
        IEnumerable<Mount> mounts, string path, out string[] directories, [NotNullWhen(false)] out string? reason)
    {
        directories = [];
        reason = LinuxReasons.CgroupNotMounted;
        foreach (Mount mount in mounts)
        {
            if (mount.Below(path) is { } below)
            {
                directories = Upwards(mount.Point, below);
                reason = null;
                return true;
            }

            reason = LinuxReasons.CgroupOutside;
        }

        return false;
    }

    private static string[] Upwards(string mountPoint, string below)
    {
        var directories = new List<string>();
        for (ReadOnlySpan<char> rest = below; rest.Length > 0; rest = rest[..rest.LastIndexOf('/')].TrimEnd('/'))
        {
            directories.Add(string.Concat(mountPoint, rest));
        }

        directories.Add(mountPoint);
        return [.. directories];
    }

    /// <summary>A mounted cgroup file system: its mounted directory and its mount point.</summary>
    private sealed record Mount(string Root, string Point, bool IsV2, string[] Options)
    {
        public bool HasV1(string controller) => !IsV2 && Options.Contains(controller);

        /// <summary>Parses a line of mountinfo; null for other file systems and invalid lines. The format is "36 35 98:0 /root /point
        /// rw,noatime master:1 - type source rw,options", with any number of fields before the "-".</summary>
        public static Mount? Parse(string line)
        {
            string[] fields = line.Split(' ');
            int separator = Array.IndexOf(fields, "-");
            if (separator < 6 || fields.Length < separator + 4 || fields[separator + 1] is not ("cgroup" or "cgroup2"))
            {
                return null;
            }

            string root = Unescape(fields[3]), point = Unescape(fields[4]);
            return root.StartsWith('/') && point.StartsWith('/')
                ? new Mount(root, point.TrimEnd('/'), fields[separator + 1] == "cgroup2", fields[separator + 3].Split(','))
                : null;
        }

        /// <summary>Returns the part of the path below the root, empty or starting with a slash; null if the path is not under the root. A
        /// path or root that starts with "/.." is outside this cgroup namespace and has no name here.</summary>
        public string? Below(string path)
        {
            if (IsOutside(path) || IsOutside(Root))
            {
                return null;
            }

            string root = Root.TrimEnd('/');
            path = path.TrimEnd('/');
            return path.StartsWith(root, StringComparison.Ordinal) && (path.Length == root.Length || path[root.Length] == '/')
                ? path[root.Length..]
                : null;
        }

        private static bool IsOutside(string path) => path == "/.." || path.StartsWith("/../", StringComparison.Ordinal);

        // Spaces, tabs, line ends and backslashes are escaped as three octal digits: \040.
        private static string Unescape(string field)
        {
            var text = new StringBuilder();
            for (int i = 0; i < field.Length; i++)
            {
                if (field[i] == '\\' && i + 3 < field.Length && field.AsSpan(i + 1, 3).IndexOfAnyExceptInRange('0', '7') < 0)
                {
                    text.Append((char)((((field[i + 1] - '0') << 6) | ((field[i + 2] - '0') << 3) | (field[i + 3] - '0')) & 0xFF));
                    i += 3;
                }
                else
                {
                    text.Append(field[i]);
                }
            }

            return text.ToString();
        }
    }
}

/// <summary>Parses the files of a cgroup (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel).</summary>
internal static class CgroupFiles
{
    /// <summary>Returns the limit in CPUs from cpu.max, "50000 100000" or "max 100000"; null for none.</summary>
    public static double? ParseMax(ReadOnlySpan<byte> text)
    {
        var fields = new TextFields(text);
        return fields.TryNextCount(out long quota) && fields.TryNextCount(out long period) ? Limit(quota, period) : null;
    }

    /// <summary>Returns the limit in CPUs from cpu.cfs_quota_us, -1 for none, and cpu.cfs_period_us; null for none.</summary>
    public static double? ParseQuota(ReadOnlySpan<byte> quotaText, ReadOnlySpan<byte> periodText) =>
        ParseNumber(quotaText) is { } quota && ParseNumber(periodText) is { } period ? Limit(quota, period) : null;

    /// <summary>Parses a file that contains one number; null if the number is negative or missing.</summary>
    public static long? ParseNumber(ReadOnlySpan<byte> text) => new TextFields(text).TryNextCount(out long value) ? value : null;

    /// <summary>Adds the statistics of cpu.stat, of either version, to a group.</summary>
    public static CgroupCpu AddStatistics(CgroupCpu group, ReadOnlySpan<byte> text)
    {
        while (TextFields.TryTakeLine(ref text, out ReadOnlySpan<byte> line))
        {
            var fields = new TextFields(line);
            if (!fields.TryNext(out ReadOnlySpan<byte> name) || !fields.TryNextCount(out long value))
            {
                continue;
            }

            group = name switch
            {
                _ when name.SequenceEqual("usage_usec"u8) => group with { UsageNanoseconds = TextFields.Scale(value, 1_000) },
                _ when name.SequenceEqual("nr_periods"u8) => group with { PeriodCount = value },
                _ when name.SequenceEqual("nr_throttled"u8) => group with { ThrottledPeriodCount = value },
                _ when name.SequenceEqual("throttled_usec"u8) =>
                    group with { ThrottledTime = new TimeSpan(TextFields.Scale(value, TimeSpan.TicksPerMicrosecond)) },
                _ when name.SequenceEqual("throttled_time"u8) =>
                    group with { ThrottledTime = new TimeSpan(value / TimeSpan.NanosecondsPerTick) },
                _ => group,
            };
        }

        return group;
    }

    private static double? Limit(long quota, long period) => quota > 0 && period > 0 ? (double)quota / period : null;
}
