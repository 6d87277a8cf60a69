using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Symbols;

/// <summary>The perf map of a process: the one that the .NET runtime writes while the process is profiled, or the one that another program,
/// such as Node.js, Java or PHP, was started to write.</summary>
/// <remarks>The map is requested at the start of profiling, because a process that has exited can no longer write one, and a later map
/// would not contain methods that were unloaded in the meantime. The file is unlinked as soon as it is open here, so that it never remains,
/// regardless of how either process ends.</remarks>
internal sealed class PerfMapFile : IDisposable
{
    private const string Effect = "JIT-compiled methods have no names: ";

    /// <summary>The clock of files may have been set since the process started.</summary>
    private static readonly TimeSpan ClockTolerance = TimeSpan.FromMinutes(1);

    private static readonly Lock OwnGate = new();
    private static PerfMapFile? _own; // of this process

    private readonly SafeFileHandle _file;
    private readonly bool _isDotnet;
    private readonly DiagnosticsPort? _enabled;
    private int _otherUses;

    private PerfMapFile(SafeFileHandle file, bool isDotnet, DiagnosticsPort? enabled) =>
        (_file, _isDotnet, _enabled) = (file, isDotnet, enabled);

    /// <summary>Requests the map of a process; null if it is unavailable. For other than .NET processes, the reason is null, too.</summary>
    /// <remarks>The profilers of this process share one map, because the runtime writes only one. The last profiler stops it.</remarks>
    public static PerfMapFile? Request(ProcessFiles process, out string? reason)
    {
        if (process.Id != Environment.ProcessId)
        {
            return RequestNew(process, out reason);
        }

        lock (OwnGate)
        {
            if (_own is not null)
            {
                _own._otherUses++;
                reason = null;
                return _own;
            }

            return _own = RequestNew(process, out reason);
        }
    }

    /// <summary>Reads the map that a process has written to a folder (<c>DOTNET_PerfMapJitDumpPath</c>); null if there is none.</summary>
    public static PerfMap? ReadFrom(string folder, int processId, ReadBudget budget)
    {
        string path = Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"perf-{processId}.map"));
        using SafeFileHandle? file = TryOpen(path);
        return file is null ? null : PerfMap.Parse(ReadAll(file, budget), isDotnet: true);
    }

    /// <summary>Opens the map that a process has written without a request; null if there is none. All programs write it to
    /// <c>/tmp</c>.</summary>
    /// <remarks>Like perf(1), ignores files of other users, who could give code any name. Also ignores a file that an earlier process with
    /// this ID has left behind.</remarks>
    public static PerfMapFile? TryOpenWritten(ProcessFiles process)
    {
        string path = string.Create(CultureInfo.InvariantCulture, $"/tmp/perf-{process.OwnId}.map");
        using SafeFileHandle found = ForeignFile.FindWithoutLinks(path, process.Root ?? "/");
        if (ForeignFile.StatusOf(found)?.User is not { } owner || (owner != 0 && owner != process.UserId && owner != LibC.geteuid())
            || TryOpen(ForeignFile.PathOf(found)) is not { } file)
        {
            return null;
        }

        if (File.GetLastWriteTimeUtc(file) > process.StartTimeUtc - ClockTolerance)
        {
            return new PerfMapFile(file, HasRuntime(process), enabled: null);
        }

        file.Dispose();
        return null;
    }

    public PerfMap Read(ReadBudget budget) => PerfMap.Parse(ReadAll(_file, budget), _isDotnet);

    public void Dispose()
    {
        lock (OwnGate)
        {
            if (_otherUses-- > 0)
            {
                return;
            }

            _own = _own == this ? null : _own;
            _enabled?.DisablePerfMap();
            _file.Dispose();
        }
    }

    private static PerfMapFile? RequestNew(ProcessFiles process, out string? reason)
    {
        if (process.IsStopped)
        {
            reason = $"{Effect}the process is stopped and cannot list them; continue it (kill -CONT {process.Id}).";
            return null;
        }

        reason = null;
        if (DiagnosticsPort.Find(process) is not { } port)
        {
            PerfMapFile? written = TryOpenWritten(process);
            reason = written is null ? GetNoPortReason(process) : null;
            return written;
        }

        string[] folders =
        [
            .. new[] { process.RuntimeSetting("PerfMapJitDumpPath"), "/tmp", process.Variable("TMPDIR") }
                .Where(folder => !string.IsNullOrEmpty(folder)).Select(folder => folder!.TrimEnd('/')).Distinct(),
        ];
        string[] paths = [.. folders.Select(folder => string.Create(CultureInfo.InvariantCulture, $"{folder}/perf-{process.OwnId}.map"))];
        HashSet<string> existing = [.. paths.Where(path => ForeignFile.StatusOf(path, process.Root) is not null)];
        bool wasEnabled = process.OpenFiles(paths).Count > 0;
        if (port.EnablePerfMap() is { } refusal)
        {
            EndUnless(wasEnabled, port);
            reason = HasRuntime(process) ? $"{Effect}the runtime wrote no perf map: {refusal}." : null;
            return null;
        }

        // Uses the descriptor of the process: the path may belong to another file, or to none if another profiler has unlinked it.
        foreach ((string descriptor, string path, bool isUnlinked) in process.OpenFiles(paths))
        {
            if (TryOpen(descriptor) is { } file)
            {
                if (!isUnlinked && !existing.Contains(path))
                {
                    ForeignFile.Delete(path, process.Root, file, process.UserId);
                }

                return new PerfMapFile(file, isDotnet: true, wasEnabled ? null : port);
            }
        }

        EndUnless(wasEnabled, port);
        reason = $"{Effect}the runtime could not write its perf map ({string.Join(" or ", paths)}); permit the process to write there.";
        return null;
    }

    private static void EndUnless(bool wasEnabled, DiagnosticsPort port)
    {
        if (!wasEnabled)
        {
            port.DisablePerfMap();
        }
    }

    private static string? GetNoPortReason(ProcessFiles process)
    {
        string reason = DiagnosticsPort.GetMissingReason(process, out bool isOff);
        return isOff ? $"{Effect}{reason}, or profile it as a command (picollo record -- CMD)."
            : HasRuntime(process) ? $"{Effect}{reason}."
            : null;
    }

    /// <summary>Whether methods are compiled at run time. With Native AOT, they are functions of an ELF file.</summary>
    private static bool HasRuntime(ProcessFiles process) =>
        CodeMapping.Parse(process.ReadMaps()).Any(mapping => mapping.BelongsToRuntime);

    private static SafeFileHandle? TryOpen(string path)
    {
        try
        {
            return ForeignFile.Open(path);
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static byte[] ReadAll(SafeFileHandle file, ReadBudget budget)
    {
        try
        {
            long size = RandomAccess.GetLength(file);
            byte[] text = budget.TryTake(size) ? new byte[size] : [];
            int length = 0;
            for (int read = 1; read > 0 && length < text.Length; length += read)
            {
                read = RandomAccess.Read(file, text.AsSpan(length), length);
            }

            return length == text.Length ? text : text[..length];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}
