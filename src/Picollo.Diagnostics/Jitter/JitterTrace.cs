using System.Text;

namespace Picollo.Diagnostics;

/// <summary>The kernel's trace, opened before measuring begins, so that a mark of a late wake-up comes at once.</summary>
internal sealed class JitterTrace(FileStream? marker, string? unavailableReason) : IDisposable
{
    /// <param name="folders">Where tracefs may be mounted.</param>
    public static JitterTrace Open(IEnumerable<string> folders)
    {
        string? refused = null;
        foreach (string path in folders.Select(folder => Path.Combine(folder, "trace_marker")))
        {
            try
            {
                // A stream, as nobody can seek in a marker: RandomAccess refuses to write it.
                return new JitterTrace(new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0), null);
            }
            catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
            {
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                refused ??= $"{path} cannot be written ({e.Message}): run as root.";
            }
        }

        return new JitterTrace(null, refused ?? "tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing (as root).");
    }

    /// <summary>Writes the mark.</summary>
    /// <returns>Why it was not written; null where it was.</returns>
    public string? Mark(int cpu, ulong latencyNanoseconds)
    {
        if (marker is null)
        {
            return unavailableReason;
        }

        try
        {
            marker.Write(Encoding.UTF8.GetBytes(string.Create(
                CultureInfo.InvariantCulture, $"picollo jitter: CPU {cpu}: latency {latencyNanoseconds} ns\n")));
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return $"trace_marker was not written: {e.Message}";
        }
    }

    public void Dispose() => marker?.Dispose();
}
