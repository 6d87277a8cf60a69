using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Hosting;
using Picollo.AspNetCore.Usage;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>Server-sent events (WHATWG HTML, 9.2): the tables each second, and the plots of a subject where one is asked for.</summary>
internal sealed class EventStream(
    UsageReader reader, Subjects subjects, Viewers viewers, IHostApplicationLifetime lifetime, TimeProvider time)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    // Then the browser comes again by itself: whether it still may is asked once more, and what viewers cost is counted as it arises.
    private const int TablesPerStream = 60;

    private const string ComeAgain = "retry: 250\n\n"; // milliseconds

    // All viewers together cost little more than one: they share a reading that is younger than their interval.
    private static readonly TimeSpan SharedFor = Interval / 2;

    /// <summary>Answers for a minute, or until the viewer goes or the application stops; 503 where there are too many viewers.</summary>
    /// <param name="context">The request.</param>
    /// <param name="show">The id of the subject whose plots are wanted; empty for none.</param>
    /// <param name="chosen">The id of the row to be marked as chosen.</param>
    public async Task AnswerAsync(HttpContext context, string show, string chosen)
    {
        if (HttpMethods.IsHead(context.Request.Method))
        {
            Begin(context);
            return;
        }

        if (!viewers.TryEnter())
        {
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            context.Response.Headers.RetryAfter = "10";
            return;
        }

        using CancellationTokenSource end =
            CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, lifetime.ApplicationStopping);
        try
        {
            Begin(context);
            await SendAsync(context.Response, show, chosen, end.Token);
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // The viewer went, or the application stops: either way the stream has its end.
        }
        finally
        {
            viewers.Leave();
        }
    }

    private static void Begin(HttpContext context)
    {
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        context.Response.ContentType = "text/event-stream";
        context.Response.Headers["X-Accel-Buffering"] = "no"; // nginx would hold events back
    }

    private async Task SendAsync(HttpResponse response, string show, string chosen, CancellationToken cancellation)
    {
        using PeriodicTimer timer = new(Interval, time);
        string usage = "";
        string plots = "";
        Subject? subject = null;
        HdrHistogramSnapshot[] snapshots = [];
        await response.WriteAsync(ComeAgain, cancellation);
        int tables = 0;
        do
        {
            StringBuilder events = new();
            Append(events, "usage", UsageTables.Of(reader.Read(SharedFor), chosen), ref usage);

            // A route that is not there yet, after a restart, may come.
            subject ??= show.Length == 0 ? null : subjects.Find(show);
            if (subject is not null)
            {
                Append(events, "plots", PlotsOf(subject, ref snapshots), ref plots);
            }

            // Without anything new a comment: a connection that is gone is noticed when something is written.
            await response.WriteAsync(events.Length == 0 ? ":\n\n" : events.ToString(), cancellation);
            await response.Body.FlushAsync(cancellation);
        }
        while (++tables < TablesPerStream && await timer.WaitForNextTickAsync(cancellation));
    }

    private static string PlotsOf(Subject subject, ref HdrHistogramSnapshot[] snapshots)
    {
        try
        {
            if (snapshots.Length == 0)
            {
                snapshots = [.. subject.Registrations.Select(registration => registration.Histogram.GetSnapshot())];
            }
            else
            {
                Array.ForEach(snapshots, snapshot => snapshot.Update());
            }
        }
        catch (ObjectDisposedException)
        {
            // Its last state stays on the page.
        }

        return snapshots.Length == 0 ? "" : PlotFigures.Now(subject, snapshots);
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
