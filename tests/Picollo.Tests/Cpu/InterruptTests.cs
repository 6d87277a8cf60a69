using System.Reflection;
using System.Runtime.Loader;
using Picollo.Cpu;
using Picollo.Tests.PerfEvent;

namespace Picollo.Tests.Cpu;

/// <summary>Thread.Interrupt takes effect when a thread blocks. An exception in the handler of an AsyncLocal would end the
/// process.</summary>
public class InterruptTests
{
    [Fact]
    public void Threads_that_register_at_the_same_time_are_not_interrupted()
    {
        const int Threads = 32;
        int failures = 0, registered = 0;
        for (int round = 0; round < 20; round++)
        {
            bool go = false;
            Thread[] threads = [.. Enumerable.Range(0, Threads).Select(_ => new Thread(() =>
            {
                SpinWait.SpinUntil(() => Volatile.Read(ref go));
                Thread.CurrentThread.Interrupt();
                try
                {
                    ThreadSegment own = ThreadSegment.GetOrRegister();
                    Interlocked.Add(ref registered, ThreadSegment.All.Contains(own) ? 1 : 0);
                }
                catch (ThreadInterruptedException)
                {
                    Interlocked.Increment(ref failures);
                }
            }) { IsBackground = true })];
            Array.ForEach(threads, thread => thread.UnsafeStart());
            Volatile.Write(ref go, true);
            Array.ForEach(threads, thread => thread.Join());
        }

        (failures, registered).Should().Be((0, 20 * Threads));
    }

    /// <summary>Loads the assembly again, because only its first watcher initializes anything.</summary>
    [Fact]
    public void An_interrupt_at_the_first_watcher_breaks_nothing()
    {
        var loaded = new AssemblyLoadContext(nameof(InterruptTests), isCollectible: true);
        Type type = loaded.LoadFromAssemblyPath(typeof(CpuUsageAsyncWatcher).Assembly.Location)
            .GetType(typeof(CpuUsageAsyncWatcher).FullName!)!;
        type.Assembly.Should().NotBeSameAs(typeof(CpuUsageAsyncWatcher).Assembly);
        ConstructorInfo constructor = type.GetConstructors().Single(); // null is the default value of the enum
        Exception? first = null, second = null, later = null;
        var thread = new Thread(() =>
        {
            Thread.CurrentThread.Interrupt();
            first = Record.Exception(() => ((IDisposable)constructor.Invoke([null, false, true])).Dispose());
            later = Record.Exception(() => Thread.Sleep(1));
            second = Record.Exception(() => ((IDisposable)constructor.Invoke([null, false, true])).Dispose());
        });
        thread.Start();
        thread.Join();
        loaded.Unload();

        (first, second).Should().Be((null, null));
        later.Should().BeOfType<ThreadInterruptedException>("it is left to the next wait of the caller");
    }

    [Fact]
    public void A_reader_that_waits_for_a_change_is_not_interrupted()
    {
        var segment = new ThreadSegment(Thread.CurrentThread, new ScriptedThreadClock(() => 0));
        segment.BeginChange();
        Exception? failure = null, later = null;
        var reader = new Thread(() =>
        {
            Thread.CurrentThread.Interrupt();
            failure = Record.Exception(() => segment.WaitForEvenVersion());
            later = Record.Exception(() => Thread.Sleep(1));
        })
        { IsBackground = true };
        reader.Start();
        for (int i = 0; i < 1_000 && reader.IsAlive; i++)
        {
            Thread.Sleep(0); // lets the reader spin until it would sleep
        }

        reader.Join(TimeSpan.FromMilliseconds(50));
        segment.EndChange();
        reader.Join();
        failure.Should().BeNull();
        later.Should().BeOfType<ThreadInterruptedException>("it is left to the next wait of the caller");
    }
}
