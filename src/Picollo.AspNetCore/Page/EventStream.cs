using Microsoft.AspNetCore.Http.Features;
using Picollo.AspNetCore.Reading;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>Sends the tables each second, and the plots of a row if requested, as server-sent events (WHATWG HTML, 9.2).</summary>
internal sealed class EventStream(
    PageReader reader,
    RecentHistory recent,
    PageRows rows,
    IOptions<PicolloOptions> options,
    IHostApplicationLifetime lifetime,
    TimeProvider time)
{
    // The browser then reconnects automatically, so that its access is checked again and the stream's CPU time is counted.
    private const int TablesPerStream = 60;

    private const string Reconnect = "retry: 250\n\n"; // milliseconds

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    // Viewers share a reading that is younger than this, so that many viewers cost little more than one.
    private static readonly TimeSpan SharedReadingAge = Interval / 2;

    private readonly int _maxViewers = options.Value.MaxPageViewers;
    private int _viewers;

    public int Viewers => Volatile.Read(ref _viewers);

    /// <summary>Sends events for a minute, or until the client disconnects or the application stops. Answers with 503 if the maximum number
    /// of viewers is reached.</summary>
    /// <param name="context">The request.</param>
    /// <param name="show">The ID of the row whose plots are requested; empty for none.</param>
    /// <param name="chosen">The ID of the row to mark as chosen.</param>
    /// <param name="window">The window of percentiles and plots; null for the time since the start.</param>
    public async Task AnswerAsync(HttpContext context, string show, string chosen, RecentWindow? window)
    {
        if (HttpMethods.IsHead(context.Request.Method))
        {
            Begin(context);
            return;
        }

        using CancellationTokenSource end =
            CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, lifetime.ApplicationStopping);
        try
        {
            if (Interlocked.Increment(ref _viewers) > _maxViewers)
            {
                context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
                context.Response.Headers.RetryAfter = "10";
                return;
            }

            Begin(context);
            await SendAsync(context.Response, show, chosen, window, end.Token);
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // The client has disconnected, or the application stops.
        }
        finally
        {
            Interlocked.Decrement(ref _viewers);
        }
    }

    private static void Begin(HttpContext context)
    {
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        context.Response.ContentType = "text/event-stream";
        context.Response.Headers["X-Accel-Buffering"] = "no"; // nginx would buffer events
    }

    private async Task SendAsync(
        HttpResponse response, string show, string chosen, RecentWindow? window, CancellationToken cancellation)
    {
        using PeriodicTimer timer = new(Interval, time);
        string usage = "";
        string plots = "";
        PageRow? row = null;
        HdrHistogramSnapshot[] snapshots = [];
        await response.WriteAsync(Reconnect, cancellation);
        int tables = 0;
        do
        {
            StringBuilder events = new();
            Append(events, "usage", PageTables.Create(recent.ReadWindow(reader.Read(SharedReadingAge), window), chosen), ref usage);

            // After a restart, the route may not exist yet and appear later.
            row ??= show.Length == 0 ? null : rows.Find(show);
            if (row is not null)
            {
                Append(events, "plots", PlotsOf(row, window, ref snapshots), ref plots);
            }

            // If nothing has changed, sends a comment, because only a write detects a lost connection.
            await response.WriteAsync(events.Length == 0 ? ":\n\n" : events.ToString(), cancellation);
            await response.Body.FlushAsync(cancellation);
        }
        while (++tables < TablesPerStream && await timer.WaitForNextTickAsync(cancellation));
    }

    private string PlotsOf(PageRow row, RecentWindow? window, ref HdrHistogramSnapshot[] snapshots)
    {
        if (window is not null && row.Measured is not null)
        {
            return PlotFigures.Now(row, recent.HistogramsOf(row, window), window);
        }

        try
        {
            if (snapshots.Length == 0)
            {
                snapshots = [.. row.Registrations.Select(registration => registration.Histogram.GetSnapshot())];
            }
            else
            {
                Array.ForEach(snapshots, snapshot => snapshot.Update());
            }
        }
        catch (ObjectDisposedException)
        {
            // The page keeps showing the last state.
        }

        return snapshots.Length == 0 ? "" : PlotFigures.Now(row, snapshots, window: null);
    }

    private static void Append(StringBuilder events, string name, string data, ref string last)
    {
        if (data == last)
        {
            return;
        }

        last = data;
        events.Append("event: ").Append(name).Append('\n');
        foreach (ReadOnlySpan<char> line in data.AsSpan().EnumerateLines())
        {
            events.Append("data: ").Append(line).Append('\n');
        }

        events.Append('\n');
    }
}
