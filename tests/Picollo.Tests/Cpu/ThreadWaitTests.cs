using FsCheck;
using FsCheck.Fluent;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests values that are computed from the waits of threads on any system.</summary>
public class ThreadWaitTests
{
    private const long Second = 1_000_000_000;

    [Fact]
    public void The_wait_of_a_process_is_the_sum_of_its_threads()
    {
        using var cpu = Sampled(
            sample => Add(sample, 7, start: 0.5, (7, 1.0, 10), (8, 2.0, 10)),
            sample => Add(sample, 7, start: 0.5, (7, 1.25, 11), (8, 2.125, 11)));

        cpu.Processes.Single().WaitShare.Should().BeNull("there was no previous sample");
        cpu.Update();
        cpu.Processes.Single().WaitShare.Should().Be(0.375);
    }

    [Fact]
    public void New_threads_count_and_ended_ones_do_not()
    {
        using var cpu = Sampled(
            sample => Add(sample, 7, start: 0.5, (7, 1.0, 10), (8, 2.0, 10)),
            sample => Add(sample, 7, start: 0.5, (7, 1.25, 11), (9, 0.5, 1)));

        cpu.Update();
        cpu.Processes.Single().WaitShare.Should().Be(0.75);
    }

    [Fact]
    public void An_ID_with_fewer_runs_than_before_is_another_thread()
    {
        using var cpu = Sampled(
            sample => Add(sample, 7, start: 0.5, (7, 1.0, 10), (8, 0.25, 10)),
            sample => Add(sample, 7, start: 0.5, (7, 1.0, 10), (8, 0.5, 2)));

        cpu.Update();
        cpu.Processes.Single().WaitShare.Should().Be(0.5, "all of it belongs to the new thread");
    }

    [Fact]
    public void A_new_process_counts_from_its_start_and_an_unread_one_has_no_wait()
    {
        using var cpu = Sampled(
            _ => { },
            sample =>
            {
                Add(sample, 7, start: 1.5, (7, 0.25, 1));
                Add(sample, 8, start: 0.5, (8, 0.25, 1));
            });

        cpu.Update();
        cpu.Processes.Select(each => each.WaitShare).Should().Equal(0.25, null);
    }

    [Fact]
    public void A_process_with_unknown_waits_has_no_share_until_the_next_sample()
    {
        using var cpu = Sampled(
            sample => Add(sample, 7, start: 0.5),
            sample => Add(sample, 7, start: 0.5, (7, 3.0, 10)),
            sample => Add(sample, 7, start: 0.5, (7, 3.5, 10)),
            sample => Add(sample, 7, start: 0.5));

        cpu.Update();
        cpu.Processes.Single().WaitShare.Should().BeNull();
        cpu.Update();
        cpu.Processes.Single().WaitShare.Should().Be(0.5);
        cpu.Update();
        cpu.Processes.Single().WaitShare.Should().BeNull();
    }

    [Fact]
    public void A_thread_has_its_own_wait()
    {
        using var cpu = Sampled(
            sample =>
            {
                AddThread(sample, 7, start: 0.5, (1.0, 10));
                AddThread(sample, 9, start: 0.5, null);
            },
            sample =>
            {
                AddThread(sample, 7, start: 0.5, (1.25, 11));
                AddThread(sample, 8, start: 1.5, (0.125, 1));
                AddThread(sample, 9, start: 0.5, (0.5, 1));
                AddThread(sample, 10, start: 1.5, null);
            });

        cpu.Update();
        cpu.Threads.Select(each => each.WaitShare).Should().Equal(0.25, 0.125, null, null);
    }

    [Fact]
    public void The_sum_is_between_0_and_the_sum_of_all_waits() => Prop.ForAll(
        Arb.From(Gen.Zip(Waits, Waits)),
        samples =>
        {
            SampleTable<ThreadWait> before = Table(samples.Item1), now = Table(samples.Item2);
            long sum = ThreadWait.SumSince(before, now.Items);
            long all = ThreadWait.SumSince(new SampleTable<ThreadWait>(), now.Items);
            return sum >= 0 && sum <= all && ThreadWait.SumSince(now, now.Items) == 0;
        }).Check(Config.QuickThrowOnFailure);

    // Few IDs, so that many are in both samples; some waits whose sum does not fit into a long.
    private static Gen<ThreadWait[]> Waits =>
        (from id in Gen.Choose(1, 6)
         from wait in Gen.OneOf(Gen.Choose(0, 100).Select(each => (long)each), Gen.Constant(long.MaxValue))
         from runs in Gen.Choose(1, 5)
         select new ThreadWait(id, wait, runs)).ArrayOf();

    private static SampleTable<ThreadWait> Table(ThreadWait[] waits)
    {
        var table = new SampleTable<ThreadWait>();
        foreach (ThreadWait wait in waits)
        {
            table.Add(wait.ThreadId, wait);
        }

        return table;
    }

    /// <summary>Takes samples one second apart, starting at second 1.</summary>
    private static SystemCpu Sampled(params Action<SystemCpuSample>[] samples) => new(SystemCpuParts.All, new ScriptedSource(
        [.. samples.Select((fill, i) => (Action<SystemCpuSample>)(sample =>
        {
            sample.TimestampNanoseconds = (i + 1) * Second;
            fill(sample);
        }))]));

    private static void Add(SystemCpuSample sample, int id, double start, params (long Thread, double Seconds, long Runs)[] waits)
    {
        int first = sample.Waits.Count;
        foreach ((long thread, double seconds, long runs) in waits)
        {
            sample.Waits.Add(thread, new ThreadWait(thread, (long)(seconds * Second), runs));
        }

        sample.Processes.Add(id, Task(id, id, start) with { FirstWait = first, WaitCount = waits.Length });
    }

    private static void AddThread(SystemCpuSample sample, long id, double start, (double Seconds, long Runs)? wait)
    {
        if (wait is { } known)
        {
            sample.Waits.Add(id, new ThreadWait(id, (long)(known.Seconds * Second), known.Runs));
        }

        sample.Threads.Add(id, Task(7, id, start));
    }

    private static TaskSample Task(int process, long id, double start) => new()
    {
        Id = id,
        Shown = new ProcessCpu { Id = process, StartNanoseconds = (long)(start * Second), Name = "task" },
    };
}
