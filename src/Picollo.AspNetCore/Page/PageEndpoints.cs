using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Picollo.AspNetCore.Usage;
using Picollo.Export;

namespace Picollo.AspNetCore.Page;

/// <summary>The handlers of the page's endpoints.</summary>
internal sealed class PageEndpoints(
    UsageReader reader,
    RecentUsage recent,
    Subjects subjects,
    UsageCounters counters,
    EventStream events,
    IHostEnvironment environment,
    TimeProvider time)
{
    // The ID of the subject whose plots are shown.
    private const string ShowParameter = "show";

    // The ID of the window of percentiles and plots.
    internal const string WindowParameter = "window";

    /// <summary>The size limit of a mark in bytes. A mark of two full histograms of a route has a tenth of it.</summary>
    internal const int LargestMark = 1 << 20;

    // Limits memory: each decodes the marked histograms.
    private static readonly SemaphoreSlim Comparisons = new(2, 2);

    private readonly PrometheusWriter _prometheus = new();

    public Task AnswerPageAsync(HttpContext context)
    {
        RecentWindow? window = WindowOf(context);
        UsageReading reading = recent.Of(reader.Read(), window);
        Subject? chosen = Find(context)
            ?? reading.Routes.Concat(reading.Work).Concat(reading.Histograms).Concat(reading.RuntimeHistograms).FirstOrDefault()?.Subject;
        string plots = "";
        try
        {
            plots = chosen is null ? "" : PlotFigures.Now(chosen, recent.HistogramsOf(chosen, window), window);
        }
        catch (ObjectDisposedException)
        {
            // A disposed histogram that is still registered has no plots.
        }

        // With the base, which is the whole path at the root of a branch.
        string name = context.Request.PathBase.Add(context.Request.Path).Value!.Split('/')[^1];
        string address = "./" + (name.Length == 0 ? "." : Uri.EscapeDataString(name));
        return WriteHtmlAsync(context, PageDocument.Of(environment.ApplicationName, address, reading, chosen, plots));
    }

    public Task AnswerEventsAsync(HttpContext context) =>
        events.AnswerAsync(
            context, context.Request.Query[ShowParameter].ToString(), context.Request.Query["chosen"].ToString(), WindowOf(context));

    public Task AnswerJsonAsync(HttpContext context) =>
        WriteJsonAsync(context, UsageJson.Of(reader.Read()), PageJsonContext.Default.UsageJson);

    public async Task AnswerMetricsAsync(HttpContext context)
    {
        PrometheusFormat format = PrometheusWriter.FormatOf(context.Request.Headers.Accept);
        context.Response.Headers.Vary = "Accept";
        context.Response.ContentType = PrometheusWriter.ContentTypeOf(format);
        counters.Write(context.Response.BodyWriter, format);
        _prometheus.Write(context.Response.BodyWriter, format, subjects.Exposed);
        await context.Response.BodyWriter.FlushAsync(context.RequestAborted);
    }

    /// <summary>Sends the present state, which the browser keeps as its mark.</summary>
    public async Task AnswerMarkAsync(HttpContext context)
    {
        if (Find(context) is not { } subject)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        Mark mark;
        try
        {
            mark = Mark.Of(subject, time.GetUtcNow());
        }
        catch (Exception e) when (e is ArgumentException or ObjectDisposedException)
        {
            context.Response.StatusCode = StatusCodes.Status409Conflict;
            return;
        }

        await WriteJsonAsync(context, mark, PageJsonContext.Default.Mark);
    }

    /// <summary>Draws what was counted before and since a mark that the browser sends back.</summary>
    public async Task AnswerDiffAsync(HttpContext context)
    {
        if (Find(context) is not { } subject)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        if (await ReadBodyAsync(context) is not { } body)
        {
            context.Response.StatusCode = StatusCodes.Status413PayloadTooLarge;
            return;
        }

        string plots;
        await Comparisons.WaitAsync(context.RequestAborted);
        try
        {
            Mark mark = JsonSerializer.Deserialize(body, PageJsonContext.Default.Mark) ?? throw new JsonException("null is not a mark");
            plots = PlotFigures.SinceMark(subject, mark.Time, mark.Compare(subject));
        }
        catch (Exception e) when (e is JsonException or FormatException or ObjectDisposedException)
        {
            context.Response.StatusCode =
                e is ObjectDisposedException ? StatusCodes.Status409Conflict : StatusCodes.Status400BadRequest;
            return;
        }
        finally
        {
            Comparisons.Release();
        }

        await WriteHtmlAsync(context, plots);
    }

    private static RecentWindow? WindowOf(HttpContext context) =>
        RecentWindow.Find(context.Request.Query[WindowParameter].ToString());

    private Subject? Find(HttpContext context) => subjects.Find(context.Request.Query[ShowParameter].ToString());

    /// <returns>The body; null if it is larger than a mark.</returns>
    private static async Task<byte[]?> ReadBodyAsync(HttpContext context)
    {
        if (context.Request.ContentLength > LargestMark)
        {
            return null;
        }

        PipeReader reader = context.Request.BodyReader;
        ReadResult result = await reader.ReadAtLeastAsync(LargestMark + 1, context.RequestAborted);
        byte[]? body = result.Buffer.Length > LargestMark ? null : result.Buffer.ToArray();
        reader.AdvanceTo(result.Buffer.End); // Otherwise the connection's next request cannot be read.
        return body;
    }

    private static Task WriteHtmlAsync(HttpContext context, string html)
    {
        context.Response.ContentType = "text/html; charset=utf-8";
        return context.Response.WriteAsync(html, context.RequestAborted);
    }

    private static Task WriteJsonAsync<T>(HttpContext context, T value, JsonTypeInfo<T> type)
    {
        context.Response.ContentType = "application/json";
        return JsonSerializer.SerializeAsync(context.Response.Body, value, type, context.RequestAborted);
    }
}
