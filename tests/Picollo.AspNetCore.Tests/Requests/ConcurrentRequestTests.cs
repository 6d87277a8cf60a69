namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Sends many concurrent requests with known CPU times on several kinds of threads. Runs alone in the process, so that the CPU time of
/// the requests can be compared with the CPU time of the process.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class ConcurrentRequestTests
{
    private const int Requests = 200;

    [Theory]
    [InlineData(CpuUsageDetail.TotalOnly)]
    [InlineData(CpuUsageDetail.UserAndKernel)]
    public async Task Each_request_has_its_own_CPU_time_and_the_sum_does_not_exceed_that_of_the_process(CpuUsageDetail detail)
    {
        ConcurrentDictionary<int, double> burnt = new();
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapGet("/burn/{id:int}", async (int id) => burnt[id] = await BurnAsync(id));
                web.MapGet("/worker/{id:int}", async (int id) => burnt[id] = await BurnAsync(id)).RequireCpuWorker();
            },
            options =>
            {
                options.Requests.CpuUsageDetail = detail;
                options.Requests.AddServerTiming = true;
                options.CpuWorkerQueueLimit = Requests;
            });

        // Compiles the code in advance, because compilation counts for the thread that first calls a method.
        await Task.WhenAll(Enumerable.Range(-20, 20).Select(id => app.Client.GetAsync(PathOf(id))));
        double[] figures = new double[Requests];
        double ofProcess = -CpuUsageReader.GetProcessTimeNanoseconds() / 1e6;
        await Task.WhenAll(Enumerable.Range(0, Requests).Select(async id =>
            figures[id] = ServerTiming.Of(await app.Client.GetAsync(PathOf(id))).Cpu));
        ofProcess += CpuUsageReader.GetProcessTimeNanoseconds() / 1e6;

        // Each has at least its own time, and the sum shows that no time is counted twice.
        figures.Index().Where(figure => figure.Item < burnt[figure.Index] - 0.01).Should().BeEmpty();
        figures.Sum().Should().BeLessThanOrEqualTo(ofProcess);
        await app.GetCountsAsync(Requests + 20);
    }

    private static string PathOf(int id) => id % 4 == 0 ? $"/worker/{id}" : $"/burn/{id}";

    /// <returns>The CPU time, in milliseconds.</returns>
    private static async Task<double> BurnAsync(int id)
    {
        double amount = 1 + (Math.Abs(id) % 5);
        double burnt = Burn.Milliseconds(amount);
        await Task.Delay(id & 7);
        double[] children = await Task.WhenAll(Task.Run(() => Burn.Milliseconds(amount)), Task.Run(async () =>
        {
            await Task.Yield();
            return Burn.Milliseconds(amount);
        }));
        burnt += children.Sum();
        await Task.Yield();
        return burnt + Burn.Milliseconds(amount);
    }
}
