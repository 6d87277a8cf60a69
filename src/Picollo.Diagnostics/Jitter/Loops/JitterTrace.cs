using Picollo.Cpu.Linux;

namespace Picollo.Diagnostics;

/// <summary>The kernel's trace, opened before the measurement starts, so that a late wake-up is marked without delay.</summary>
/// <remarks>As in jitterdebugger, the mark is written first and tracing_on is set to 0 afterwards, so that the trace ends at the mark and
/// the ring buffer keeps the events before it. A trace that is off is not turned on, because the user chooses the tracer.</remarks>
internal sealed class JitterTrace : IDisposable
{
    private readonly TraceFile _marker;
    private readonly TraceFile _tracingOn;

    private JitterTrace(TraceFile marker, TraceFile tracingOn) => (_marker, _tracingOn) = (marker, tracingOn);

    /// <param name="folders">The folders where tracefs can be mounted.</param>
    public static JitterTrace Open(IReadOnlyList<string> folders) =>
        new(TraceFile.Open(folders, "trace_marker", FileAccess.Write), TraceFile.Open(folders, "tracing_on", FileAccess.ReadWrite));

    /// <summary>Writes the mark and stops the trace.</summary>
    /// <returns>The reasons why the mark was not written and why the trace was not stopped; null on success.</returns>
    public (string? MarkUnavailableReason, string? StopUnavailableReason) End(int cpu, ulong latencyNanoseconds)
    {
        string? markReason = _marker.Write(string.Create(
            CultureInfo.InvariantCulture, $"picollo jitter: CPU {cpu}: latency {latencyNanoseconds} ns\n"));
        if (markReason is not null && _tracingOn.StartsWithZero())
        {
            markReason = $"Tracing is off. Run `echo 1 > {_tracingOn.Path}` as root."; // the system would only report a bad file descriptor
        }

        return (markReason, _tracingOn.Write("0\n"));
    }

    public void Dispose()
    {
        _marker.Dispose();
        _tracingOn.Dispose();
    }

    /// <summary>A file of tracefs, or the reason why it is not open.</summary>
    private sealed class TraceFile(FileStream? stream, string? unavailableReason) : IDisposable
    {
        public string? Path => stream?.Name;

        public static TraceFile Open(IReadOnlyList<string> folders, string name, FileAccess access)
        {
            string? refused = null;
            foreach (string path in folders.Select(folder => System.IO.Path.Combine(folder, name)))
            {
                try
                {
                    // A FileStream is used because trace_marker is not seekable, and RandomAccess refuses to write to it.
                    return new(new FileStream(path, FileMode.Open, access, FileShare.ReadWrite, bufferSize: 0), null);
                }
                catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
                {
                }
                catch (Exception e) when (e is IOException or UnauthorizedAccessException)
                {
                    refused ??= $"{path} cannot be written ({e.Message.TrimEnd('.')}). {LinuxRights.Read().WriteTracing}";
                }
            }

            return new(null, refused ?? $"tracefs is not mounted: {LinuxRights.Read().MountTracing}.");
        }

        /// <returns>The reason why the text was not written; null on success.</returns>
        public string? Write(string text)
        {
            if (stream is null)
            {
                return unavailableReason;
            }

            try
            {
                stream.Write(Encoding.UTF8.GetBytes(text));
                return null;
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                return $"{stream.Name} was not written: {e.Message}";
            }
        }

        public bool StartsWithZero()
        {
            try
            {
                Span<byte> first = stackalloc byte[1];
                return stream is not null && RandomAccess.Read(stream.SafeFileHandle, first, 0) == 1 && first[0] == '0';
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                return false;
            }
        }

        public void Dispose() => stream?.Dispose();
    }
}
