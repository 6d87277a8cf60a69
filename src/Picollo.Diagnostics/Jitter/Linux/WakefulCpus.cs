namespace Picollo.Diagnostics.Linux;

/// <summary>/dev/cpu_dma_latency: while it is open, with a 0 written, no CPU goes into a sleep from which it takes time to wake
/// (Documentation/power/pm_qos_interface.rst).</summary>
internal sealed class WakefulCpus : IDisposable
{
    private readonly FileStream _file;

    private WakefulCpus(FileStream file) => _file = file;

    public static WakefulCpus? Hold(string path, ReasonList reasons)
    {
        FileStream? file = null;
        try
        {
            file = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
            file.Write(BitConverter.GetBytes(0));
            return new WakefulCpus(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            file?.Dispose();
            reasons.Add(JitterReasons.MaySleepDeeply(e is UnauthorizedAccessException ? "Permission denied" : e.Message));
            return null;
        }
    }

    public void Dispose() => _file.Dispose();
}
