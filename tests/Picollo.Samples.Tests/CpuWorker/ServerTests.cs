using System.Diagnostics;
using System.Globalization;
using Picollo.Samples.CpuWorker;
using Picollo.Samples.CpuWorker.Driving;
using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Samples.Tests.CpuWorker;

[Trait("Category", "Slow")]
public sealed class ServerTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task All_endpoints_respond_and_compute_the_same_checksum()
    {
        await using Server server = new(port: 0, new TaskSizes(BigBlocks: 20, SmallBlocks: 3));
        await server.StartAsync();
        using HttpClient client = new() { BaseAddress = server.Address };

        string big = await Answer("checksumWithoutCpuWorker");
        string small = await Answer("checksumSmallTaskWithCpuWorker");

        big.Should().Be(Expected(blocks: 20));
        small.Should().Be(Expected(blocks: 3));
        (await Answer("checksumWithCpuWorker")).Should().Be(big);
        (await Answer("checksumWithSemaphore")).Should().Be(big);
        (await Answer("checksumSmallTaskWithSemaphore")).Should().Be(small).And.NotBe(big);
        (await Answer("delay1msLoopWithCpuWorker")).Should().Be(await Answer("delay1msLoop"));
        await Answer("delay1ms");
        (await client.GetStringAsync("work")).Should().StartWith("3 2 ", "three big requests and two small requests were computed");

        (await client.GetStringAsync("checksumSmallTaskWithCpuWorker")).Should().Contain(small);
        (await Times()).Should().HaveCount(9).And.OnlyContain(one => one > 0).And.BeInAscendingOrder();
        (await Times()).Should().Equal(new double[9], "times of small requests in the pool are returned once");

        async Task<double[]> Times() =>
            [.. (await client.GetStringAsync("smallNanoseconds")).Split(' ').Select(text => double.Parse(text, CultureInfo.InvariantCulture))];

        // The document's bytes, block after block, repeated from the start.
        static string Expected(int blocks)
        {
            byte[] data = new byte[262_144];
            new Random(0).NextBytes(data);
            byte[] all = [.. Enumerable.Range(0, blocks).SelectMany(block => data.Skip(block * 32_768 % data.Length).Take(32_768))];
            return $"{Crc32Tests.BitByBit(all):x8}";
        }

        async Task<string> Answer(string path)
        {
            string[] words = (await client.GetStringAsync(path)).Split(' ');
            words[0].Should().Be(path);
            words[2..].Should().HaveCount(3).And.HaveElementAt(0, "took").And.HaveElementAt(2, "ms\n");
            double.Parse(words[3], CultureInfo.InvariantCulture).Should().BePositive();
            return words[1];
        }
    }

    [Fact]
    public async Task Work_is_canceled_when_the_client_disconnects()
    {
        await using Server server = new(port: 0, new TaskSizes(BigBlocks: int.MaxValue, SmallBlocks: 1));
        await server.StartAsync();
        using HttpClient client = new() { BaseAddress = server.Address };
        using CancellationTokenSource leaves = new();
        Task<string> endless = client.GetStringAsync("checksumWithCpuWorker", leaves.Token);
        Stopwatch waited = Stopwatch.StartNew();
        while (await client.GetStringAsync("work") is ['0', ' ', ..])
        {
            waited.Elapsed.Should().BeLessThan(Timeout);
        }

        await leaves.CancelAsync();
        await FluentActions.Awaiting(() => endless).Should().ThrowAsync<OperationCanceledException>();

        // Disposing waits for running tasks, so it returns only if the task was canceled.
        await server.DisposeAsync().AsTask().WaitAsync(Timeout);
    }

    [Fact]
    public async Task Without_wrk_the_demo_names_the_package_and_ends_its_server()
    {
        string assembly = typeof(ServerProcess).Assembly.Location;
        string host = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? Environment.ProcessPath!;
        ProcessStartInfo start = new(host, ["exec", assembly]) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["PATH"] = Path.Combine(Path.GetTempPath(), "nowhere");
        start.Environment["DOTNET_HOST_PATH"] = host;

        using Process demo = Process.Start(start)!;
        Task<string> output = demo.StandardOutput.ReadToEndAsync();
        string errors = await demo.StandardError.ReadToEndAsync().WaitAsync(Timeout);
        await demo.WaitForExitAsync().WaitAsync(Timeout);

        errors.Should().StartWith("wrk did not start").And.EndWith("install it (on Debian, the package 'wrk')" + Environment.NewLine);
        demo.ExitCode.Should().Be(1);
        (await output).Should().Contain("Server   ", "the server had started, and has closed its output");
    }

    [Fact]
    public async Task A_server_process_ends_when_it_is_disposed()
    {
        ServerProcess server = await ServerProcess.StartAsync(CancellationToken.None, new DemoOptions(Workers: 3, SliceMilliseconds: 7), minThreads: 10);
        using Process process = Process.GetProcessById(server.Id);
        using HttpClient client = new() { BaseAddress = server.Address };
        (await client.GetStringAsync("checksumSmallTaskWithCpuWorker")).Should().StartWith("checksumSmallTaskWithCpuWorker ");
        (await server.GetWorkDoneAsync(CancellationToken.None)).Small.Should().Be(1);
        (await server.TakeSmallTimesAsync(CancellationToken.None)).P50.Should().BePositive();
        server.Description.Should().Contain("CRC-32 of 262144 bytes").And.Contain("pool: 3 workers, slices of 7 ms; thread pool: at least 10 threads;");

        await server.DisposeAsync();

        process.WaitForExit(Timeout).Should().BeTrue();
    }
}
