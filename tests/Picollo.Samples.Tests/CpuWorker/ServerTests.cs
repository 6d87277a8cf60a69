using System.Diagnostics;
using System.Globalization;
using Picollo.Samples.CpuWorker.Driving;
using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Samples.Tests.CpuWorker;

public sealed class ServerTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task All_endpoints_answer_and_a_checksum_is_the_same_wherever_it_is_computed()
    {
        await using Server server = new(port: 0, new TaskSizes(BigBlocks: 20, SmallBlocks: 3));
        await server.StartAsync();
        using HttpClient client = new() { BaseAddress = server.Address };

        string big = await Answer("checksumWithoutCpuWorker");
        string small = await Answer("checksumSmallTaskWithCpuWorker");

        (await Answer("checksumWithCpuWorker")).Should().Be(big);
        (await Answer("checksumWithSemaphore")).Should().Be(big);
        (await Answer("checksumSmallTaskWithSemaphore")).Should().Be(small).And.NotBe(big);
        (await Answer("delay1msLoopWithCpuWorker")).Should().Be(await Answer("delay1msLoop"));
        await Answer("delay1ms");
        (await client.GetStringAsync("work")).Should().StartWith("3 2 ", "three big ones and two small ones are done");

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
    public async Task Work_whose_client_has_left_is_not_done()
    {
        await using Server server = new(port: 0, new TaskSizes(BigBlocks: int.MaxValue, SmallBlocks: 1));
        await server.StartAsync();
        using HttpClient client = new() { BaseAddress = server.Address };
        using CancellationTokenSource leaves = new();
        Task<string> endless = client.GetStringAsync("checksumWithCpuWorker", leaves.Token);
        Stopwatch waited = Stopwatch.StartNew();
        while (await client.GetStringAsync("work") is ['0', ' ', ..])
        {
            waited.Elapsed.Should().BeLessThan(Patience);
        }

        await leaves.CancelAsync();
        await FluentActions.Awaiting(() => endless).Should().ThrowAsync<OperationCanceledException>();

        // The pool's only worker, or the last of them, is free again; disposing waits for what runs.
        await server.DisposeAsync().AsTask().WaitAsync(Patience);
    }

    [Fact]
    public async Task A_server_of_its_own_process_ends_with_its_driver()
    {
        ServerProcess server = await ServerProcess.StartAsync(CancellationToken.None);
        using Process process = Process.GetProcessById(server.Id);
        using HttpClient client = new() { BaseAddress = server.Address };
        (await client.GetStringAsync("checksumSmallTaskWithCpuWorker")).Should().StartWith("checksumSmallTaskWithCpuWorker ");
        (await server.GetWorkDoneAsync(CancellationToken.None)).Small.Should().Be(1);
        server.Description.Should().Contain("length of crc32 bs: 262144");

        await server.DisposeAsync();

        process.WaitForExit(Patience).Should().BeTrue();
    }
}
