using System.Reflection;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Tests of the numbers that threads get with their first record into a thread-local histogram.</summary>
[Collection(Alone.Name)]
public class ThreadNumberTests
{
    [Fact]
    public void The_number_of_an_ended_thread_is_assigned_to_one_thread_only()
    {
        uint[] ended = [], started = [];
        uint[] alive = NumbersOf(10, whileAlive: () =>
        {
            ended = NumbersOf(20);
            started = NumbersOf(40);
        });

        alive.Concat(ended).Should().OnlyHaveUniqueItems();
        alive.Concat(started).Should().OnlyHaveUniqueItems();
        started.Should().Contain(ended);
    }

    /// <summary>A thread that needs a number waits while another thread receives one.</summary>
    [Fact]
    public void Numbers_are_assigned_to_one_thread_at_a_time()
    {
        object owners = typeof(ThreadNumber).GetField("Owners", BindingFlags.Static | BindingFlags.NonPublic)!.GetValue(null)!;
        uint number = ThreadNumber.None;
        Thread thread = new(() => number = ThreadNumber.GetOrAssign());
        lock (owners)
        {
            thread.Start();
            SpinWait.SpinUntil(() => !thread.IsAlive || thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin));
            number.Should().Be(ThreadNumber.None);
        }

        thread.Join();
        number.Should().NotBe(ThreadNumber.None);
    }

    private static uint[] NumbersOf(int count, Action? whileAlive = null)
    {
        uint[] numbers = new uint[count];
        using Barrier alive = new(count, _ => whileAlive?.Invoke());
        NewThread.RunAll(count, i =>
        {
            numbers[i] = ThreadNumber.GetOrAssign();
            alive.SignalAndWait();
        });
        return numbers;
    }
}
