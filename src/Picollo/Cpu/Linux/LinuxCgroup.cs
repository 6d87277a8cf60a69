namespace Picollo.Cpu.Linux;

/// <summary>Reads the cgroup of this process and its ancestors.</summary>
/// <param name="root">Empty for this machine, or the directory of a captured one.</param>
internal sealed class LinuxCgroup(string root)
{
    private readonly byte[] _selfCgroupPath = Encoding.UTF8.GetBytes(root + "/proc/self/cgroup\0");
    private readonly byte[] _mountInfoPath = Encoding.UTF8.GetBytes(root + "/proc/self/mountinfo\0");
    private byte[] _buffer = new byte[4096];
    private byte[] _second = new byte[64];

    // The groups for this content of /proc/self/cgroup. The process may be moved at any time.
    private byte[] _selfCgroup = [];
    private Group[] _groups = [];
    private string? _unavailableReason = LinuxReasons.NotInCgroup;

    public void Read(SystemCpuSample sample)
    {
        Locate();
        Group? limiting = null;
        double smallest = double.PositiveInfinity;
        foreach (Group group in _groups)
        {
            if (ReadLimit(group) is { } limit && limit < smallest)
            {
                (limiting, smallest) = (group, limit);
            }
        }

        if (_unavailableReason is null)
        {
            CgroupCpu own = ReadGroup(_groups[0]);
            if (own is { Limit: null, UsageNanoseconds: null, PeriodCount: null })
            {
                _unavailableReason = LinuxReasons.CgroupGone;
                _selfCgroup = [];
            }
            else
            {
                sample.Cgroup = own;
                sample.LimitingCgroup = limiting is null ? null : ReadGroup(limiting);
            }
        }

        if (_unavailableReason is not null)
        {
            sample.SetUnavailableReason(SystemCpuParts.Cgroup, _unavailableReason);
        }
    }

    private void Locate()
    {
        if (!LinuxFiles.TryReadAll(_selfCgroupPath, ref _buffer, out ReadOnlySpan<byte> selfCgroup))
        {
            Forget(LinuxFiles.ReadFailureReason(LinuxReasons.NotInCgroup));
        }
        else if (!selfCgroup.SequenceEqual(_selfCgroup))
        {
            Locate(selfCgroup.ToArray());
        }
    }

    // A separate method, because a closure is allocated at the start of its scope.
    private void Locate(byte[] selfCgroup)
    {
        if (!LinuxFiles.TryReadAll(_mountInfoPath, ref _buffer, out ReadOnlySpan<byte> mountInfo))
        {
            Forget(LinuxFiles.ReadFailureReason(LinuxReasons.CgroupNotMounted));
        }
        else if (CgroupLocation.TryFind(selfCgroup, mountInfo, out CgroupLocation? location, out string? reason))
        {
            _selfCgroup = selfCgroup;
            _unavailableReason = null;
            _groups = [.. location.CpuDirectories.Select((directory, i) => new Group(
                root,
                location.Version,
                directory,
                // Both lists start at the same group and go up, so entries with the same index belong together.
                location.AccountingDirectories.ElementAtOrDefault(i)))];
        }
        else
        {
            Forget(reason);
            _selfCgroup = selfCgroup;
        }
    }

    private void Forget(string reason)
    {
        _selfCgroup = [];
        _groups = [];
        _unavailableReason = reason;
    }

    private double? ReadLimit(Group group) =>
        !LinuxFiles.TryReadAll(group.LimitPath, ref _buffer, out ReadOnlySpan<byte> limit) ? null
        : group.PeriodPath is null ? CgroupFiles.ParseMax(limit)
        : LinuxFiles.TryReadAll(group.PeriodPath, ref _second, out ReadOnlySpan<byte> period) ? CgroupFiles.ParseQuota(limit, period)
        : null;

    private CgroupCpu ReadGroup(Group group)
    {
        var known = new CgroupCpu { Version = group.Version, Path = group.Name, Limit = ReadLimit(group) };
        if (LinuxFiles.TryReadAll(group.StatPath, ref _buffer, out ReadOnlySpan<byte> text))
        {
            known = CgroupFiles.AddStatistics(known, text);
        }

        return group.UsagePath is not null && LinuxFiles.TryReadAll(group.UsagePath, ref _buffer, out text)
            ? known with { UsageNanoseconds = CgroupFiles.ParseNumber(text) }
            : known;
    }

    private sealed class Group(string root, int version, string directory, string? accountingDirectory)
    {
        public int Version { get; } = version;

        public string Name { get; } = Encoding.UTF8.GetString(Encoding.Latin1.GetBytes(directory));

        public byte[] LimitPath { get; } = PathOf(root, directory, version == 1 ? "cpu.cfs_quota_us" : "cpu.max");

        public byte[]? PeriodPath { get; } = version == 1 ? PathOf(root, directory, "cpu.cfs_period_us") : null;

        public byte[] StatPath { get; } = PathOf(root, directory, "cpu.stat");

        public byte[]? UsagePath { get; } = accountingDirectory is null ? null : PathOf(root, accountingDirectory, "cpuacct.usage");

        private static byte[] PathOf(string root, string directory, string file) =>
            [.. Encoding.UTF8.GetBytes(root), .. Encoding.Latin1.GetBytes($"{directory}/{file}"), 0];
    }
}
