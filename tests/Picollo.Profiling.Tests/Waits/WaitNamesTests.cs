using System.Text;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;
using Picollo.Profiling.Waits;

namespace Picollo.Profiling.Tests.Waits;

public class WaitNamesTests
{
    [Theory]
    [InlineData("System.Threading.Monitor.Enter_Slowpath", "Monitor.Enter")]
    [InlineData("System.Threading.Monitor.TryEnter_Slowpath", "Monitor.TryEnter")]
    [InlineData("System.Threading.Monitor.Wait", "Monitor.Wait")]
    [InlineData("System.Threading.Lock.EnterScope", "Lock.Enter")]
    [InlineData("System.Threading.Lock.TryEnterSlow", "Lock.Enter")]
    [InlineData("System.Threading.Lock.TryEnter_Outlined", "Lock.TryEnter")]
    [InlineData("System.Threading.SemaphoreSlim.WaitCore", "SemaphoreSlim.Wait")]
    [InlineData("System.Threading.ReaderWriterLockSlim.TryEnterWriteLockCore", "ReaderWriterLockSlim.EnterWriteLock")]
    [InlineData("System.Threading.ReaderWriterLockSlim.EnterReadLock", "ReaderWriterLockSlim.EnterReadLock")]
    [InlineData("System.Threading.WaitHandle.WaitOneNoCheck", "WaitHandle.WaitOne")]
    [InlineData("System.Threading.Thread.Join", "Thread.Join")]
    [InlineData("System.Threading.Tasks.Task<System.Collections.Generic.List<int>>.GetResultCore", "Task.Wait")]
    [InlineData("System.Threading.Tasks.Task.WaitAllBlockingCore", "Task.WaitAll")]
    [InlineData("System.Runtime.CompilerServices.TaskAwaiter.HandleNonSuccessAndDebuggerNotification", "Task.Wait")]
    [InlineData("System.Runtime.CompilerServices.ConfiguredTaskAwaitable.ConfiguredTaskAwaiter.GetResult", "Task.Wait")]
    [InlineData("System.Collections.Concurrent.BlockingCollection<int>.TryTake", "BlockingCollection.TryTake")]
    [InlineData("System.Net.Http.HttpClient.Send", "HttpClient.Send")]
    [InlineData("Main", "Main")]
    public void The_kind_of_a_wait_is_a_public_method_of_dotnet(string name, string kind) => WaitNames.KindOf(name).Should().Be(kind);

    [Theory]
    [InlineData("SemaphoreSlim.Wait", "App.Main.Run", "System.Private.CoreLib System.Threading.SemaphoreSlim::Wait", "app App.Main::Run")]
    [InlineData("CpuTaskQueue.Wait", "App.Main.Run", "Picollo.Scheduling Picollo.CpuTaskQueue::Wait", "app App.Main::Run", "app App.Main::Main")]
    [InlineData("Monitor.Wait", "Picollo.Reader.Run", "System.Private.CoreLib System.Threading.Monitor::Wait", "Picollo Picollo.Reader::Run", "System.Private.CoreLib System.Threading.Thread::Start")]
    public void A_wait_is_that_of_the_innermost_method_of_the_application(string kind, string method, params string[] stack)
    {
        string map = string.Concat(stack.Select((name, i) => $"{i + 1}000 10 void [{name.Replace(" ", "] ", StringComparison.Ordinal)}()[Tier1]\n"));
        SampleTree stacks = new(new NodeBudget(10));
        stacks.TryAdd([.. stack.Select((_, i) => (ulong)((i + 1) * 0x1000) + 8)], int.MaxValue, out int node);
        CodeMap code = new(
            [], PerfMap.Parse(Encoding.UTF8.GetBytes(map), isDotnet: true), new CodeImages(new ProcessFiles(Environment.ProcessId)), false, null, false);

        new WaitNames(stacks.Nodes, code).Find(node).Should().Be((kind, method));
    }

    [Fact]
    public void The_method_that_dotnet_compiles_for_a_route_is_named_in_words()
    {
        WaitNames.NameOf("dynamicClass.lambda_method9").Should().Be(WaitProfile.Handler);
        WaitNames.NameOf("Shop.Orders.Reserve").Should().Be("Shop.Orders.Reserve");
    }
}
