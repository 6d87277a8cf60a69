using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that each request is counted once for its route, regardless of how it ends.</summary>
public class CpuUsageCountingTests
{
    [Fact]
    public async Task Nothing_is_measured_without_middleware_and_option_and_missing_services_are_reported()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddPicollo();
        await using WebApplication app = builder.Build();
        app.MapGet("/x", () => "x");
        await app.StartAsync();
        using HttpClient client = new() { BaseAddress = new Uri(app.Urls.Single()) };
        await client.GetStringAsync("/x");

        app.Services.GetRequiredService<RouteTable>().All.Should().BeEmpty();
        WebApplication bare = WebApplication.CreateSlimBuilder().Build();
        bare.Invoking(web => web.UsePicollo()).Should().Throw<InvalidOperationException>().WithMessage("*AddPicollo()*");
        bare.Invoking(web => web.MapPicollo()).Should().Throw<InvalidOperationException>().WithMessage("*AddPicollo()*");
    }

    [Fact]
    public async Task Without_CPU_times_of_threads_requests_are_served_and_a_warning_is_logged_once_even_if_a_logger_throws()
    {
        LogSink throwing = new()
        {
            OnLine = line =>
            {
                if (line.Category == RequestReporter.LogCategory)
                {
                    throw new InvalidOperationException("from a logger");
                }
            },
        };
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.Services.GetRequiredService<RequestReporter>().Probe =
                    static () => throw new MeasurementUnavailableException("refused in a test", MeasurementUnavailableCause.Unknown);
                web.UsePicollo();
                web.MapGet("/x", () => "x");
            },
            build: builder => builder.Services.AddSingleton<ILoggerProvider>(throwing));

        (await app.SendAsync("/x", "/x")).Should().Equal(200, 200);
        app.Routes.All.Should().BeEmpty();
        app.Log.Of(RequestReporter.LogCategory).Should().ContainSingle().Which.Should().Match<LogLine>(line =>
            line.Event.Id == 2 && line.Event.Name == "CpuTimeUnavailable" && line.Text.Contains("refused in a test"));
    }

    [Fact]
    public async Task A_request_does_not_change_the_flow_of_its_caller()
    {
        await using ServiceProvider services = new ServiceCollection().AddLogging().AddPicollo().BuildServiceProvider();
        ApplicationBuilder app = new(services);
        app.UsePicollo();
        TaskCompletionSource mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        app.Run(context => context.Request.Path == "/now" ? Task.CompletedTask : mayEnd.Task);
        RequestDelegate pipeline = app.Build();
        ExecutionContext before = ExecutionContext.Capture()!;
        await pipeline(new DefaultHttpContext { Request = { Path = "/now" } });
        ExecutionContext.Capture().Should().BeSameAs(before);
        Task later = pipeline(new DefaultHttpContext());
        ExecutionContext.Capture().Should().BeSameAs(before);
        using (ExecutionContext.SuppressFlow())
        {
            pipeline(new DefaultHttpContext { Request = { Path = "/now" } }).IsCompletedSuccessfully.Should().BeTrue();
        }

        mayEnd.SetResult();
        await later;
        services.GetRequiredService<RouteTable>().All.Should().ContainSingle().Which.HistogramOf(RunFact.CpuTime)!.TotalCount.Should().Be(2);
    }
}
