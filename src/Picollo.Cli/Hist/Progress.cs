using System.Diagnostics;
using Picollo.Export.Text;

namespace Picollo.Cli.Hist;

/// <summary>A progress bar on a terminal. It appears if reading takes more than a second.</summary>
internal sealed class Progress(TextWriter terminal)
{
    private const int Cells = 30;
    private static readonly TimeSpan InitialDelay = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(200);

    private readonly long _start = Stopwatch.GetTimestamp();
    private TimeSpan _next = InitialDelay;
    private bool _isShown;

    /// <summary>Shows the progress of an input if an update is due.</summary>
    public void Show(ReadAhead input)
    {
        TimeSpan elapsed = Stopwatch.GetElapsedTime(_start);
        if (elapsed < _next)
        {
            return;
        }

        _next = elapsed + Period;
        _isShown = true;
        terminal.Write($"\r{TextOf(input.BytesRead, input.Total)}\e[K");
    }

    public void Clear()
    {
        if (_isShown)
        {
            terminal.Write("\r\e[K");
            _isShown = false;
        }
    }

    /// <summary>Formats the progress in fewer than 60 columns.</summary>
    internal static string TextOf(long bytesRead, long? total)
    {
        if (total is not > 0)
        {
            return Quantity.Bytes(bytesRead);
        }

        double share = Math.Min((double)bytesRead / total.Value, 1); // the file may have grown
        int full = (int)(share * Cells);
        return Invariant($"{Math.Floor(share * 100),3:0} % [{new string('#', full).PadRight(Cells)}] of {Quantity.Bytes(total.Value)}");
    }
}
