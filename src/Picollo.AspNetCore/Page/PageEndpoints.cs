using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Microsoft.AspNetCore.Http.Features;
using Picollo.AspNetCore.Profiles;
using Picollo.AspNetCore.Reading;
using Picollo.Cpu;
using Picollo.Export;
using Picollo.Export.Html;
using Picollo.Profiling;
using Picollo.Profiling.Output;
using Picollo.Profiling.Sampling;

namespace Picollo.AspNetCore.Page;

internal sealed class PageEndpoints(
    PageReader reader,
    RecentHistory recent,
    PageRows rows,
    ExpositionCounters counters,
    EventStream events,
    CpuProfiles profiles,
    IHostEnvironment environment,
    IHostApplicationLifetime lifetime,
    TimeProvider time)
{
    // The ID of the row whose plots are shown.
    private const string ShowParameter = "show";

    // The ID of the window of percentiles and plots.
    internal const string WindowParameter = "window";

    // The ID of a CPU profile, or of a route whose requests above the budget are shown, or "latest".
    internal const string ProfileParameter = "profile";

    // The ID of measured waits, or "latest"; empty to measure them.
    internal const string WaitsParameter = "waits";

    // The ID of the CPU profile to compare with.
    internal const string CompareParameter = "compare";

    // Requests the profile in the pprof format.
    internal const string PprofParameter = "pprof";

    /// <summary>The size limit of a mark, in bytes. A mark of two full histograms of a route takes a tenth of it.</summary>
    internal const int MaxMarkBytes = 1 << 20;

    // The rows with the most CPU time come first.
    private const int MaxReportRows = 20;

    // Limits memory, because each comparison decodes the marked histograms.
    private static readonly SemaphoreSlim Comparisons = new(2, 2);

    private readonly PrometheusWriter _prometheus = new();

    public string[] PageMethods { get; } = profiles.IsEnabled
        ? [HttpMethods.Get, HttpMethods.Head, HttpMethods.Post]
        : [HttpMethods.Get, HttpMethods.Head];

    public Task AnswerPageAsync(HttpContext context) =>
        profiles.IsEnabled && context.Request.Query.ContainsKey(ProfileParameter)
            ? AnswerProfileAsync(context) // also for POST, because some clients follow the redirect with POST (curl -X POST -L)
        : profiles.IsEnabled && context.Request.Query[WaitsParameter].ToString() is { Length: > 0 } id ? AnswerWaitsAsync(context, id)
        : HttpMethods.IsPost(context.Request.Method) ? TakeProfileAsync(context)
        : AnswerUsageAsync(context);

    public Task AnswerEventsAsync(HttpContext context) =>
        events.AnswerAsync(
            context, context.Request.Query[ShowParameter].ToString(), context.Request.Query["chosen"].ToString(), WindowOf(context));

    public Task AnswerJsonAsync(HttpContext context) =>
        WriteJsonAsync(context, PageJson.From(reader.Read()), PageJsonContext.Default.PageJson);

    public async Task AnswerMetricsAsync(HttpContext context)
    {
        PrometheusFormat format = PrometheusWriter.SelectFormat(context.Request.Headers.Accept);
        context.Response.Headers.Vary = "Accept";
        context.Response.ContentType = PrometheusWriter.GetContentType(format);
        IReadOnlySet<string> names = counters.Write(context.Response.BodyWriter, format);
        _prometheus.WriteHistograms(context.Response.BodyWriter, format, rows.Exposed, names);
        PrometheusWriter.WriteEnd(context.Response.BodyWriter, format);
        await context.Response.BodyWriter.FlushAsync(context.RequestAborted);
    }

    /// <summary>Sends the current state, which the browser stores as its mark.</summary>
    public async Task AnswerMarkAsync(HttpContext context)
    {
        if (Find(context) is not { } row)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        ComparisonMark mark;
        try
        {
            mark = ComparisonMark.Create(row, time.GetUtcNow());
        }
        catch (Exception e) when (e is ArgumentException or ObjectDisposedException)
        {
            context.Response.StatusCode = StatusCodes.Status409Conflict;
            return;
        }

        await WriteJsonAsync(context, mark, PageJsonContext.Default.ComparisonMark);
    }

    /// <summary>Draws the values before and after a mark that the browser sends back.</summary>
    public async Task AnswerDiffAsync(HttpContext context)
    {
        if (Find(context) is not { } row)
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
            ComparisonMark mark = JsonSerializer.Deserialize(body, PageJsonContext.Default.ComparisonMark)
                ?? throw new JsonException("null is not a mark");
            plots = PlotFigures.SinceMark(row, mark.Time, mark.Compare(row));
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

    /// <summary>Creates the page as a file, with the plots of the first rows.</summary>
    public string CreateReport()
    {
        PageReading reading = reader.Read() with { CanMeasureWaits = false };
        return PageDocument.CreateReport(
            environment.ApplicationName,
            reading,
            [.. reading.Routes.Concat(reading.Work).Take(MaxReportRows).Select(values => (values.Row, PlotsOf(values.Row, null)))]);
    }

    private string PlotsOf(PageRow row, RecentWindow? window)
    {
        try
        {
            return PlotFigures.Now(row, recent.HistogramsOf(row, window), window);
        }
        catch (ObjectDisposedException)
        {
            return ""; // a disposed histogram that is still registered has no plots
        }
    }

    private Task AnswerUsageAsync(HttpContext context)
    {
        RecentWindow? window = WindowOf(context);
        PageReading reading = recent.ReadWindow(reader.Read(), window);
        PageRow? chosen = Find(context)
            ?? reading.Routes.Concat(reading.Work).Concat(reading.Histograms).Concat(reading.RuntimeHistograms).FirstOrDefault()?.Row;
        string plots = chosen is null ? "" : PlotsOf(chosen, window);
        string address = AddressOf(context);
        string section = profiles.IsEnabled ? ProfilePages.Section(profiles, Markup.Encode(address)) : "";
        return WriteHtmlAsync(context, PageDocument.Create(environment.ApplicationName, address, reading, chosen, plots, section));
    }

    /// <summary>Takes a CPU profile, or measures waits, and redirects to the page of the result. Stops early if the client
    /// disconnects.</summary>
    private async Task TakeProfileAsync(HttpContext context)
    {
        HttpResponse response = context.Response;
        if (LocalRequest.IsCrossSite(context.Request))
        {
            response.StatusCode = StatusCodes.Status403Forbidden;
            await response.WriteAsync("A page on another site cannot take a profile.", context.RequestAborted);
            return;
        }

        if (context.Features.Get<IHttpMetricsTagsFeature>() is { } metrics)
        {
            metrics.MetricsDisabled = true; // the ten seconds would distort the application's metrics
        }

        try
        {
            using CancellationTokenSource end =
                CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, lifetime.ApplicationStopping);
            bool isWaits = context.Request.Query.ContainsKey(WaitsParameter);
            (string? id, string reason, bool isBusy) = await (isWaits ? profiles.TakeWaitsAsync(end.Token) : profiles.TakeAsync(end.Token));
            if (id is not null)
            {
                response.StatusCode = StatusCodes.Status303SeeOther;
                response.Headers.Location = $"?{(isWaits ? WaitsParameter : ProfileParameter)}={id}";
                return;
            }

            response.StatusCode = isBusy ? StatusCodes.Status409Conflict : StatusCodes.Status503ServiceUnavailable;
            await response.WriteAsync(reason, context.RequestAborted);
        }
        catch (OperationCanceledException) when (lifetime.ApplicationStopping.IsCancellationRequested)
        {
            response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            await response.WriteAsync("The application is shutting down, so no profile was taken.", context.RequestAborted);
        }
        catch (OperationCanceledException)
        {
            // The client has disconnected.
        }
    }

    private Task AnswerProfileAsync(HttpContext context)
    {
        string id = context.Request.Query[ProfileParameter].ToString(), other = context.Request.Query[CompareParameter].ToString();
        string address = AddressOf(context);
        if (profiles.Find(id) is { } stored)
        {
            string application = environment.ApplicationName;
            return context.Request.Query.ContainsKey(PprofParameter) ? WritePprofAsync(context, stored)
                : other.Length == 0 ? WriteProfileAsync(context, ProfilePages.Of(stored, profiles.All, application, address))
                : profiles.Find(other) is { } second
                    ? WriteProfileAsync(context, ProfilePages.Difference(stored, second, application, address))
                : AnswerNoProfileAsync(context);
        }

        FlowLabel? label = rows.Find(id)?.Measured?.Label;
        KeptFlow[] requests = [.. profiles.OverBudget.Where(flow => flow.Label == label)];
        return label is null || requests.Length == 0 || profiles.ProfilesOf(requests) is not { Count: > 0 } ofRequests
            ? AnswerNoProfileAsync(context)
            : WriteProfileAsync(context, ProfilePages.OverBudget(label, requests.Zip(ofRequests), address));
    }

    private Task AnswerWaitsAsync(HttpContext context, string id) => profiles.FindWaits(id) is { } stored
        ? WriteHtmlAsync(context, ProfilePages.Waits(stored, environment.ApplicationName, AddressOf(context)))
        : AnswerNoProfileAsync(context);

    private static Task AnswerNoProfileAsync(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return context.Response.WriteAsync(
            $"This profile does not exist. The application keeps the last {CpuProfiles.MaxProfiles} profiles until it stops.",
            context.RequestAborted);
    }

    private static Task WriteProfileAsync(HttpContext context, string html)
    {
        context.Response.Headers.ContentSecurityPolicy = ProfilePage.ContentSecurityPolicy + "; frame-ancestors 'none'";
        return WriteHtmlAsync(context, html);
    }

    private static Task WritePprofAsync(HttpContext context, StoredProfile stored)
    {
        using MemoryStream pprof = new();
        stored.Profile.WritePprof(pprof);
        context.Response.ContentType = "application/octet-stream";
        context.Response.Headers.ContentDisposition = string.Create(
            CultureInfo.InvariantCulture, $"attachment; filename=\"profile-{stored.Profile.StartTime:yyyyMMdd-HHmmss}.pb.gz\"");
        return context.Response.Body.WriteAsync(pprof.ToArray(), context.RequestAborted).AsTask();
    }

    /// <summary>Returns the address of the page relative to itself, which is the last segment of its path.</summary>
    internal static string AddressOf(HttpContext context)
    {
        // Includes the base path, which is the whole path at the root of a branch.
        string name = context.Request.PathBase.Add(context.Request.Path).Value!.Split('/')[^1];
        return "./" + (name.Length == 0 ? "." : Uri.EscapeDataString(name));
    }

    private static RecentWindow? WindowOf(HttpContext context) =>
        RecentWindow.Find(context.Request.Query[WindowParameter].ToString());

    private PageRow? Find(HttpContext context) => rows.Find(context.Request.Query[ShowParameter].ToString());

    /// <returns>The body; null if it exceeds <see cref="MaxMarkBytes"/>.</returns>
    private static async Task<byte[]?> ReadBodyAsync(HttpContext context)
    {
        if (context.Request.ContentLength > MaxMarkBytes)
        {
            return null;
        }

        PipeReader reader = context.Request.BodyReader;
        ReadResult result = await reader.ReadAtLeastAsync(MaxMarkBytes + 1, context.RequestAborted);
        byte[]? body = result.Buffer.Length > MaxMarkBytes ? null : result.Buffer.ToArray();
        reader.AdvanceTo(result.Buffer.End); // Otherwise the connection's next request cannot be read.
        return body;
    }

    internal static Task WriteHtmlAsync(HttpContext context, string html)
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
