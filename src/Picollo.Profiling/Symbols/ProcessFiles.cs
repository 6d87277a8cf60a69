using System.Text;
using Picollo.Cpu.Linux;
using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Symbols;

/// <summary>The files of a process as it sees them: it may be in a container, with another root and another process ID.</summary>
internal sealed class ProcessFiles
{
    private const string Deleted = " (deleted)"; // of proc_pid_maps(5), and of links in /proc/PID/fd

    private readonly string _directory;
    private readonly Dictionary<string, string> _environment;

    private ProcessFiles(int id)
    {
        Id = id;
        _directory = string.Create(CultureInfo.InvariantCulture, $"/proc/{id}");
        IsContained = LinkOf("/proc/self/ns/mnt") is { } own && LinkOf($"{_directory}/ns/mnt") is { } its && own != its;
        OwnId = ReadId("NSpid:") ?? id; // one ID for each namespace, the innermost last
        UserId = LinuxFiles.TryGetOwner(Interop.Linux.LibC.AT_FDCWD, Encoding.UTF8.GetBytes(_directory + "\0"));
        _environment = ReadEnvironment();
    }

    /// <summary>The process as this process names it.</summary>
    public int Id { get; }

    /// <summary>The process as it names itself.</summary>
    public int OwnId { get; }

    /// <summary>The process whose thread this is, if the ID is not a process's; otherwise the process itself.</summary>
    public int ProcessId => ReadId("Tgid:") ?? Id;

    /// <summary>Its effective user; null if that is unknown.</summary>
    public uint? UserId { get; }

    /// <summary>Whether its files are not this process's, so that they can be read only while it runs.</summary>
    public bool IsContained { get; }

    /// <summary>When it started, in the ticks of proc_pid_stat(5); 0 if that is unknown.</summary>
    public long StartTicks => ReadStat().Start;

    /// <summary>Whether a signal or a debugger has stopped it.</summary>
    public bool IsStopped => ReadStat().State is 'T' or 't';

    /// <summary>Files that the process still uses, but whose path has another file by now, or none.</summary>
    public HashSet<string> ReadReplacedFiles()
    {
        return [.. CodeMapping.Parse(ReadMaps()).Select(mapping => mapping.Path)
            .Where(path => path.EndsWith(Deleted, StringComparison.Ordinal)).Select(path => path[..^Deleted.Length])];
    }

    public static ProcessFiles Of(int processId) => new(processId);

    /// <summary>The name of a process's main thread; empty where it cannot be read.</summary>
    public static string NameOf(int processId) =>
        Lines(string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}/comm")).FirstOrDefault("");

    /// <summary>The path by which this process opens a file that the process names so.</summary>
    public string PathOf(string path) => IsContained ? $"{_directory}/root{path}" : path;

    /// <summary>A variable of the environment that the process was started with; null if it is unset or cannot be read.</summary>
    public string? Variable(string name) => _environment.GetValueOrDefault(name);

    /// <summary>A setting of the .NET runtime, by either of its two prefixes.</summary>
    public string? RuntimeSetting(string name) => Variable($"DOTNET_{name}") ?? Variable($"COMPlus_{name}");

    /// <summary>The lines of <c>/proc/PID/maps</c>; none where they cannot be read.</summary>
    public IReadOnlyList<string> ReadMaps() => Lines($"{_directory}/maps");

    /// <summary>The files among some that the process has open, also where they were unlinked: the path in <c>/proc/PID/fd</c> by
    /// which this process opens the very file, and the path that it had.</summary>
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

    /// <summary>The last number of a line of proc_pid_status(5).</summary>
    private int? ReadId(string label)
    {
        string? line = Lines($"{_directory}/status").FirstOrDefault(line => line.StartsWith(label, StringComparison.Ordinal));
        return int.TryParse(line?.Split('\t', ' ')[^1], CultureInfo.InvariantCulture, out int id) ? id : null;
    }

    private Dictionary<string, string> ReadEnvironment()
    {
        var variables = new Dictionary<string, string>();
        try
        {
            foreach (string variable in File.ReadAllText($"{_directory}/environ").Split('\0'))
            {
                if (variable.IndexOf('=', StringComparison.Ordinal) is > 0 and var sign)
                {
                    variables.TryAdd(variable[..sign], variable[(sign + 1)..]);
                }
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // it has ended, or is another user's: then there is more that cannot be read
        }

        return variables;
    }

    private static string[] Lines(string path)
    {
        try
        {
            return File.ReadAllLines(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

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
