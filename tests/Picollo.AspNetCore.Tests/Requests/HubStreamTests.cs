using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>A hub method that returns a stream is measured until the end of the stream.</summary>
[Trait("Category", "Slow")]
public sealed class HubStreamTests : IAsyncLifetime
{
    private const int Items = 5;
    private const double Burnt = 10;

    private RequestApp _app = null!;
    private HubConnection _connection = null!;

    public async Task InitializeAsync()
    {
        _app = await RequestApp.StartAsync(
            web => web.MapHub<StreamHub>("/hub"),
            build: builder =>
            {
                builder.Services.AddSignalR();
                builder.Services.AddPicollo().AddPicolloHubMethods();
            });
        _connection = new HubConnectionBuilder().WithUrl(new Uri(_app.Address, "/hub")).Build();
        await _connection.StartAsync();
    }

    public async Task DisposeAsync()
    {
        await _connection.DisposeAsync();
        await _app.DisposeAsync();
    }

    [Theory]
    [InlineData(nameof(StreamHub.Numbers), Items, WorkResult.Completed)]
    [InlineData(nameof(StreamHub.Texts), Items, WorkResult.Completed)]
    [InlineData(nameof(StreamHub.Custom), Items, WorkResult.Completed)]
    [InlineData(nameof(StreamHub.Channel), Items, WorkResult.Completed)]
    [InlineData(nameof(StreamHub.ChannelLater), Items, WorkResult.Completed)]
    [InlineData(nameof(StreamHub.Failing), 1, WorkResult.Failed)]
    [InlineData(nameof(StreamHub.FailingAtStart), 0, WorkResult.Failed)]
    [InlineData(nameof(StreamHub.FailingChannel), 1, WorkResult.Failed)]
    [InlineData(nameof(StreamHub.Endless), 1, WorkResult.Canceled)]
    [InlineData(nameof(StreamHub.EndlessChannel), 1, WorkResult.Canceled)]
    public async Task A_stream_is_counted_with_the_CPU_time_of_its_items_and_its_end(string method, int items, object result)
    {
        using CancellationTokenSource end = new();
        int received = 0;
        try
        {
            await foreach (object _ in _connection.StreamAsync<object>(method, end.Token))
            {
                received++;
                if (result.Equals(WorkResult.Canceled))
                {
                    await end.CancelAsync();
                }
            }

            result.Should().Be(WorkResult.Completed);
        }
        catch (Exception failure) when (failure is HubException or OperationCanceledException)
        {
            result.Should().Be(failure is HubException ? WorkResult.Failed : WorkResult.Canceled);
        }

        (received == items || result.Equals(WorkResult.Canceled)).Should().BeTrue("{0} items were received", received);
        await ShouldEndAsync(method, (WorkResult)result, items);
    }

    [Fact]
    public async Task A_method_with_an_upload_is_measured_until_the_end_of_its_result()
    {
        List<int> received = await _connection.StreamAsync<int>(nameof(StreamHub.Echo), AsyncEnumerable.Range(1, 3)).ToListAsync();
        received.Should().Equal(1, 2, 3);

        await ShouldEndAsync(nameof(StreamHub.Echo), WorkResult.Completed, 3);
    }

    [Theory]
    [InlineData(nameof(StreamHub.Endless))]
    [InlineData(nameof(StreamHub.EndlessWithoutToken))]
    [InlineData(nameof(StreamHub.EndlessChannel))]
    public async Task A_stream_whose_client_disconnects_is_canceled(string method)
    {
        await using IAsyncEnumerator<int> items = _connection.StreamAsync<int>(method).GetAsyncEnumerator();
        (await items.MoveNextAsync()).Should().BeTrue();
        await _connection.StopAsync();

        await ShouldEndAsync(method, WorkResult.Canceled, 1);
    }

    /// <summary>The connection stays open.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_stream_that_has_ended_or_is_abandoned_is_counted_and_not_kept(int items)
    {
        using CancellationTokenSource aborted = new();
        WorkMeter meter = _app.Services.GetRequiredService<WorkMeter>();
        WeakReference run = await EndStreamAsync();
        meter.All.Single()[items == 0 ? WorkResult.Completed : WorkResult.Canceled].Should().Be(1);
        for (int i = 0; i < 100 && run.IsAlive; i++)
        {
            GC.Collect();
            await Task.Yield();
        }

        run.IsAlive.Should().BeFalse();

        async Task<WeakReference> EndStreamAsync()
        {
            WorkMeter.WorkRun run = meter.Start("stream");
            var stream = (IAsyncEnumerable<int>)MeasuredStream.Create(
                typeof(MeasuredEnumerable<int>), AsyncEnumerable.Range(0, items), run, aborted.Token);
            await foreach (int _ in stream)
            {
                break;
            }

            return new WeakReference(run);
        }
    }

    private async Task ShouldEndAsync(string method, WorkResult result, int items)
    {
        WorkRow row = _app.Services.GetRequiredService<WorkMeter>().All.Should().ContainSingle().Subject;
        row.Name.Should().Be($"{nameof(StreamHub)}.{method}");
        await Eventually.IsTrueAsync(() => row.HistogramOf(RunFact.CpuTime)!.TotalCount > 0);

        (row.HistogramOf(RunFact.CpuTime)!.TotalCount, row[result]).Should().Be((1, 1));
        (row.TotalCpuNanoseconds / 1e6).Should().BeGreaterThanOrEqualTo(items * Burnt);
    }

#pragma warning disable CA1822, CA1859 // SignalR calls instance methods with the declared types.
    private sealed class StreamHub : Hub
    {
        public async IAsyncEnumerable<int> Numbers()
        {
            for (int i = 0; i < Items; i++)
            {
                Burn.Milliseconds(Burnt / 2);
                await Task.Yield();
                Burn.Milliseconds(Burnt / 2);
                yield return i;
            }
        }

        public async Task<IAsyncEnumerable<string>> Texts()
        {
            await Task.Yield();
            return Numbers().Select(static number => $"{number}");
        }

        public ValueTask<Stream<int>> Custom() => ValueTask.FromResult(new Stream<int>(Numbers()));

        public ChannelReader<int> Channel() => Write(Numbers());

        public async ValueTask<ChannelReader<int>> ChannelLater()
        {
            await Task.Yield();
            return Write(Numbers());
        }

        public async IAsyncEnumerable<int> Echo(IAsyncEnumerable<int> items)
        {
            await foreach (int item in items)
            {
                Burn.Milliseconds(Burnt);
                yield return item;
            }
        }

        public async IAsyncEnumerable<int> Endless([EnumeratorCancellation] CancellationToken end)
        {
            for (int i = 1; ; i++)
            {
                Burn.Milliseconds(Burnt);
                yield return i;
                await Task.Delay(1, end);
            }
        }

        public async IAsyncEnumerable<int> EndlessWithoutToken()
        {
            for (int i = 1; ; i++)
            {
                Burn.Milliseconds(Burnt);
                yield return i;
                await Task.Delay(1);
            }
        }

        public ChannelReader<int> EndlessChannel(CancellationToken end)
        {
            Channel<int> channel = System.Threading.Channels.Channel.CreateBounded<int>(1);
            _ = Task.Run(
                async () =>
                {
                    Burn.Milliseconds(Burnt);
                    await channel.Writer.WriteAsync(1, end); // the channel is never completed
                },
                CancellationToken.None);
            return channel.Reader;
        }

        public async IAsyncEnumerable<int> Failing()
        {
            Burn.Milliseconds(Burnt);
            yield return 1;
            await Task.Yield();
            throw new InvalidOperationException();
        }

        public IAsyncEnumerable<int> FailingAtStart() => new Stream<int>(Context.Items.Count > 0 ? Numbers() : null);

        public ChannelReader<int> FailingChannel() => Write(Failing());

        private static ChannelReader<T> Write<T>(IAsyncEnumerable<T> items)
        {
            Channel<T> channel = System.Threading.Channels.Channel.CreateUnbounded<T>();
            _ = Task.Run(async () =>
            {
                Exception? failure = null;
                try
                {
                    await foreach (T item in items)
                    {
                        await channel.Writer.WriteAsync(item);
                    }
                }
                catch (InvalidOperationException e)
                {
                    failure = e;
                }

                channel.Writer.Complete(failure);
            });
            return channel.Reader;
        }
    }

#pragma warning restore CA1822, CA1859
    /// <summary>A class that is a stream.</summary>
    private sealed class Stream<T>(IAsyncEnumerable<T>? items) : IAsyncEnumerable<T>
    {
        public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
            items?.GetAsyncEnumerator(cancellationToken) ?? throw new InvalidOperationException();
    }
}
