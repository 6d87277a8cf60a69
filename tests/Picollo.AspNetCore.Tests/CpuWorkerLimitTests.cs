using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Workers;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Tests;

/// <summary>Tests the creation and the limit of the pool of endpoints.</summary>
public class CpuWorkerLimitTests
{
    [Fact]
    public async Task A_pool_that_could_not_be_created_is_created_for_a_later_request()
    {
        using var workers = new CpuWorkers(new FailingOptions(), NullLoggerFactory.Instance);
        FluentActions.Invoking(() => { _ = Run(); }).Should().Throw<OutOfMemoryException>();

        await Run()!;

        workers.IsStarted.Should().BeTrue();
        Task? Run() => workers.TryRun(new DefaultHttpContext(), _ => Task.CompletedTask, new CpuTaskOptions());
    }

    /// <summary>Two requests compete for the last place. The first one is stopped after it has seen the place and before it takes it.</summary>
    [Fact]
    public async Task Only_one_of_two_requests_gets_the_last_place()
    {
        using var workers = new CpuWorkers(
            Options.Create(new PicolloOptions { CpuWorkerQueueLimit = 0, CpuWorkers = { WorkerCount = 1 } }),
            NullLoggerFactory.Instance);
        using var mayEnd = new ManualResetEventSlim();
        _ = workers.Pool;
        Task? second = null;
        var other = new Thread(() => second = workers.TryRun(new DefaultHttpContext(), Block, new CpuTaskOptions()));
        var context = new DefaultHttpContext();
        context.Features.Set<IHttpRequestLifetimeFeature>(new Stopping(() =>
        {
            other.Start();
            while ((other.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) == 0)
            {
                Thread.Yield();
            }
        }));

        Task? first = workers.TryRun(context, Block, new CpuTaskOptions());
        other.Join();
        mayEnd.Set();
        await Task.WhenAll(first ?? Task.CompletedTask, second ?? Task.CompletedTask);

        (first is null, second is null).Should().Be((false, true));

        Task Block(HttpContext context)
        {
            mayEnd.Wait();
            return Task.CompletedTask;
        }
    }

    /// <summary>Fails at the creation of the first pool, as the start of a thread can.</summary>
    private sealed class FailingOptions : IOptions<PicolloOptions>
    {
        private int _reads;

        public PicolloOptions Value => ++_reads == 2 ? throw new OutOfMemoryException() : new PicolloOptions();
    }

    /// <param name="stop">A callback when the token is read, just before the task is submitted.</param>
    private sealed class Stopping(Action stop) : IHttpRequestLifetimeFeature
    {
        public CancellationToken RequestAborted
        {
            get
            {
                stop();
                return CancellationToken.None;
            }
            set => throw new NotSupportedException();
        }

        public void Abort() => throw new NotSupportedException();
    }
}
