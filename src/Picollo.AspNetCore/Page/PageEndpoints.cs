using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Picollo.AspNetCore.Usage;
using Picollo.Export;

namespace Picollo.AspNetCore.Page;

/// <summary>What the endpoints answer.</summary>
internal sealed class PageEndpoints(
    UsageReader reader, Subjects subjects, EventStream events, IHostEnvironment environment, TimeProvider time)
{
    /// <summary>What names the subject whose plots are shown, by its id.</summary>
    private const string ShowParameter = "show";

    /// <summary>A mark of two full histograms of the page's routes is a tenth of this.</summary>
    internal const int LargestMark = 1 << 20;

    private readonly PrometheusTextWriter _prometheus = new();

    // A mark that is made up can take 50 MB while it is read, of a memory that the whole process shares.
    private static readonly SemaphoreSlim Comparisons = new(2, 2);

    public async Task AnswerPageAsync(HttpContext context)
    {
        UsageReading reading = reader.Read();
        Subject? chosen = Find(context) ?? reading.Routes.Concat(reading.Histograms).FirstOrDefault()?.Subject;
        string plots = "";
        try
        {
            plots = chosen is null
                ? ""
                : PlotFigures.Now(chosen, [.. chosen.Registrations.Select(registration => registration.Histogram.GetSnapshot())]);
        }
        catch (ObjectDisposedException)
        {
            // It was asked for by its id, and whoever registered it has no more use for it.
        }

        // With the base, which is all that there is at the root of a branch.
        string name = context.Request.PathBase.Add(context.Request.Path).Value!.Split('/')[^1];
        string address = "./" + (name.Length == 0 ? "." : Uri.EscapeDataString(name));
        context.Response.ContentType = "text/html; charset=utf-8";
        await context.Response.WriteAsync(
            PageDocument.Of(environment.ApplicationName, address, reading, chosen, plots), context.RequestAborted);
    }

    public Task AnswerEventsAsync(HttpContext context) => events.AnswerAsync(
        context, context.Request.Query[ShowParameter].ToString(), context.Request.Query["chosen"].ToString());

    public async Task AnswerJsonAsync(HttpContext context)
    {
        context.Response.ContentType = "application/json";
        await JsonSerializer.SerializeAsync(
            context.Response.Body, UsageJson.Of(reader.Read()), PageJsonContext.Default.UsageJson, context.RequestAborted);
    }

    public async Task AnswerMetricsAsync(HttpContext context)
    {
        context.Response.ContentType = PrometheusTextWriter.ContentType;
        _prometheus.Write(context.Response.BodyWriter, subjects.Registrations);
        await context.Response.BodyWriter.FlushAsync(context.RequestAborted);
    }

    /// <summary>The present state for the browser to keep.</summary>
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

        context.Response.ContentType = "application/json";
        await JsonSerializer.SerializeAsync(context.Response.Body, mark, PageJsonContext.Default.Mark, context.RequestAborted);
    }

    /// <summary>Draws what came since a mark that the browser sends back.</summary>
    public async Task AnswerDiffAsync(HttpContext context)
    {
        if (Find(context) is not { } subject)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        if (await BoundedBody.ReadAsync(context.Request, LargestMark, context.RequestAborted) is not { } body)
        {
            context.Response.StatusCode = StatusCodes.Status413PayloadTooLarge;
            return;
        }

        string plots;
        await Comparisons.WaitAsync(context.RequestAborted);
        try
        {
            Mark mark = JsonSerializer.Deserialize(body, PageJsonContext.Default.Mark) ?? throw new JsonException("null is no mark");
            plots = PlotFigures.SinceMark(subject, mark.Time, mark.Compare(subject));
        }
        catch (Exception e) when (e is JsonException or FormatException)
        {
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            return;
        }
        catch (ObjectDisposedException)
        {
            context.Response.StatusCode = StatusCodes.Status409Conflict;
            return;
        }
        finally
        {
            Comparisons.Release();
        }

        context.Response.ContentType = "text/html; charset=utf-8";
        await context.Response.WriteAsync(plots, context.RequestAborted);
    }

    private Subject? Find(HttpContext context) => subjects.Find(context.Request.Query[ShowParameter].ToString());
}
