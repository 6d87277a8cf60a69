using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;
using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Symbols.Files;

/// <summary>The files of a process as the process sees them. It may be in a container, with another root and another process ID.</summary>
internal sealed class ProcessFiles
{
    private const string Deleted = " (deleted)"; // as in proc_pid_maps(5) and the links in /proc/PID/fd

    private readonly string _directory;
    private readonly Dictionary<string, string> _environment;

    public ProcessFiles(int id)
    {
        Id = id;
        _directory = string.Create(CultureInfo.InvariantCulture, $"/proc/{id}");
        IsContained = LinkOf("/proc/self/ns/mnt") is { } own && LinkOf($"{_directory}/ns/mnt") is { } its && own != its;
        OwnId = ReadId("NSpid:") ?? id; // one ID per namespace, the innermost last
        UserId = LinuxFiles.TryGetOwner(LibC.AT_FDCWD, Encoding.UTF8.GetBytes(_directory + "\0"));
        _environment = ReadEnvironment();
    }

    /// <summary>The ID of the process in the PID namespace of this process.</summary>
    public int Id { get; }

    /// <summary>The ID of the process in its own PID namespace.</summary>
    public int OwnId { get; }

    /// <summary>The ID of the process that contains this thread, if the ID is a thread ID; otherwise the ID itself.</summary>
    public int ProcessId => ReadId("Tgid:") ?? Id;

    /// <summary>Its effective user; null if that is unknown.</summary>
    public uint? UserId { get; }

    /// <summary>Whether its view of the file system differs from that of this process, so that its files can be read only while it
    /// runs.</summary>
    public bool IsContained { get; }

    /// <summary>The start time, in the ticks of proc_pid_stat(5); 0 if it is unknown.</summary>
    public long StartTicks => ReadStat().Start;

    /// <summary>The start time; that of the system if it is unknown.</summary>
    public unsafe DateTime StartTimeUtc
    {
        get
        {
            LibC.Timespec uptime = default;
            _ = LibC.clock_gettime(LibC.CLOCK_BOOTTIME, &uptime);
            return DateTime.UtcNow - TimeSpan.FromMicroseconds(
                (uptime.TotalNanoseconds - (StartTicks * ProcStat.NanosecondsPerTick)) / 1000);
        }
    }

    /// <summary>Whether a signal or a debugger has stopped it.</summary>
    public bool IsStopped => ReadStat().State is 'T' or 't';

    /// <summary>Returns the files that the process still uses, but that were replaced or removed.</summary>
    public HashSet<string> ReadReplacedFiles()
    {
        return [.. CodeMapping.Parse(ReadMaps()).Select(mapping => mapping.Path)
            .Where(path => path.EndsWith(Deleted, StringComparison.Ordinal)).Select(path => path[..^Deleted.Length])];
    }

    /// <summary>Returns the name of the main thread of a process; empty if it cannot be read.</summary>
    public static string NameOf(int processId) =>
        Lines(string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}/comm")).FirstOrDefault("");

    /// <summary>The root of the paths of the process (<see cref="ForeignFile"/>); null if it is that of this process.</summary>
    public string? Root => IsContained ? $"{_directory}/root" : null;

    /// <summary>Returns a variable of the initial environment of the process; null if it is unset or cannot be read.</summary>
    public string? Variable(string name) => _environment.GetValueOrDefault(name);

    /// <summary>Returns a setting of the .NET runtime, with either of its two prefixes.</summary>
    public string? RuntimeSetting(string name) => Variable($"DOTNET_{name}") ?? Variable($"COMPlus_{name}");

    /// <summary>Returns the lines of <c>/proc/PID/maps</c>; none if they cannot be read.</summary>
    public IReadOnlyList<string> ReadMaps() => Lines($"{_directory}/maps");

    /// <summary>Returns the given files that the process has open, even if they were unlinked: the path in <c>/proc/PID/fd</c>, by which
    /// this process opens the same file, and the original path.</summary>
    public IReadOnlyList<(string Descriptor, string Path, bool IsUnlinked)> OpenFiles(IReadOnlyList<string> paths)
    {
        try
        {
            return
            [
                .. Directory.EnumerateFiles($"{_directory}/fd")
                    .Select(file => (File: file, Link: LinkOf(file) ?? ""))
                    .Select(file => (
                        file.File,
                        Path: paths.FirstOrDefault(path => file.Link == path || file.Link == path + Deleted),
                        IsUnlinked: file.Link.EndsWith(Deleted, StringComparison.Ordinal)))
                    .Where(file => file.Path is not null)
                    .Select(file => (file.File, file.Path!, file.IsUnlinked)),
            ];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private (char State, long Start) ReadStat() =>
        ProcTaskStat.TryRead(Id, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat) ? (stat.State, stat.StartTicks) : default;

    /// <summary>Reads the last number in a line of proc_pid_status(5).</summary>
    private int? ReadId(string label)
    {
        string? line = Lines($"{_directory}/status").FirstOrDefault(line => line.StartsWith(label, StringComparison.Ordinal));
        return int.TryParse(line?.Split('\t', ' ')[^1], CultureInfo.InvariantCulture, out int id) ? id : null;
    }

    private Dictionary<string, string> ReadEnvironment()
    {
        // Empty if the process has exited, or belongs to another user. Then, other files cannot be read either.
        var variables = new Dictionary<string, string>();
        foreach (string variable in LinuxFiles.ReadText($"{_directory}/environ").Split('\0'))
        {
            if (variable.IndexOf('=', StringComparison.Ordinal) is > 0 and var sign)
            {
                variables.TryAdd(variable[..sign], variable[(sign + 1)..]);
            }
        }

        return variables;
    }

    private static string[] Lines(string path) => LinuxFiles.ReadText(path).Split('\n', StringSplitOptions.RemoveEmptyEntries);

    private static string? LinkOf(string path)
    {
        try
        {
            return new FileInfo(path).LinkTarget;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
