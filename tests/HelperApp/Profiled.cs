using System.Diagnostics;
using System.IO.Compression;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using Picollo.Cpu;
using Picollo.HelperApp.Faults;

namespace Picollo.HelperApp;

/// <summary>Programs to profile whose CPU time by method is known. Each prints <c>ready=PID</c>, works until its standard input has a line
/// or ends, and prints the CPU time of each of its methods, in nanoseconds.</summary>
internal static partial class Profiled
{
    private static readonly Dictionary<string, long> Times = [];
    private static readonly Random Random = new(1);
    private static readonly DeflateStream Deflate = new(Stream.Null, CompressionLevel.SmallestSize);
    private static readonly byte[] Data = [.. Enumerable.Range(0, 4096).Select(i => (byte)(i * i >> 3))];
    private static volatile bool _isEnding;
    private static ulong _sink;

    /// <summary>Runs methods with different shares of the time. Each has a different kind of code.</summary>
    public static void Run() => RunUntilInput(Round);

    /// <summary>Runs for a number of milliseconds of CPU time, and then exits.</summary>
    public static void RunFor(string milliseconds)
    {
        Console.WriteLine($"ready={Environment.ProcessId}");
        long end = long.Parse(milliseconds, System.Globalization.CultureInfo.InvariantCulture) * 1_000_000;
        while (CpuUsageReader.GetByProcess().TotalNanoseconds < end)
        {
            Round();
        }

        PrintTimes();
    }

    /// <summary>Works while a thousand threads wait.</summary>
    public static void RunThreads()
    {
        Thread[] threads = [.. Enumerable.Range(0, 1000).Select(_ => new Thread(Waiting, maxStackSize: 256 * 1024) { IsBackground = true })];
        Array.ForEach(threads, thread => thread.Start());
        SpinWait.SpinUntil(() => Array.TrueForAll(threads, thread => thread.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin)));
        RunUntilInput(Sixty);
    }

    /// <summary>Works below a recursion that is deeper than the kernel records.</summary>
    public static void RunDeep() => RunUntilInput(() => Deep(300));

    /// <summary>Compiles dynamic methods, and compiles and unloads code in a collectible context. Starts with a line of standard input,
    /// because the runtime (10.0.12) can crash if code is unloaded while it lists its methods for a profiler that attaches.</summary>
    public static void RunUnloaded()
    {
        List<Action> dynamicMethods = []; // kept alive, because reused memory would have the name of the later method
        RunUntilInput(
            () =>
            {
                RunInContext();
                var method = new DynamicMethod("DynamicWork", typeof(void), []);
                ILGenerator code = method.GetILGenerator();
                MethodInfo work = typeof(Profiled).GetMethod(nameof(Optimized), BindingFlags.NonPublic | BindingFlags.Static)!;
                code.Emit(OpCodes.Call, work);
                code.Emit(OpCodes.Call, work); // a last call can become a jump
                code.Emit(OpCodes.Ret);
                dynamicMethods.Add(method.CreateDelegate<Action>());
                dynamicMethods[^1]();
                GC.Collect();
            },
            waitsForStart: true);
        GC.KeepAlive(dynamicMethods);
    }

    /// <summary>Works in a single call, whose code is replaced while it is on the stack.</summary>
    public static void RunReplaced() => RunUntilInput(() =>
    {
        for (int i = 0; i < 500_000_000 && !_isEnding; i++)
        {
            Step(i);
        }
    });

    /// <summary>Starts another process that works as much as this one.</summary>
    public static void RunForked()
    {
        RunUntilInput(() =>
        {
            Sixty();
            if (!Times.ContainsKey("child"))
            {
                Times["child"] = 1;
                Process.Start(Environment.ProcessPath!, [typeof(Profiled).Assembly.Location, "profiled-for", "500"]).WaitForExit();
            }
        });
    }

    /// <summary>Replaces this program by another one that works (execve(2)).</summary>
    public static void RunExec()
    {
        Console.WriteLine($"ready={Environment.ProcessId}");
        Console.ReadLine();
        string path = Environment.ProcessPath!;
        nint[] arguments = [.. new[] { path, typeof(Profiled).Assembly.Location, "profiled-for", "800" }.Select(Marshal.StringToCoTaskMemUTF8), 0];
        nint[] environment = [.. Environment.GetEnvironmentVariables().Cast<System.Collections.DictionaryEntry>()
            .Select(variable => Marshal.StringToCoTaskMemUTF8($"{variable.Key}={variable.Value}")), 0];
        _ = execve(path, arguments, environment);
        throw new InvalidOperationException($"execve: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    private static void RunUntilInput(Action round, bool waitsForStart = false)
    {
        Console.WriteLine($"ready={Environment.ProcessId}");
        _ = waitsForStart ? Console.ReadLine() : null;
        new Thread(() =>
        {
            Console.ReadLine();
            _isEnding = true;
        })
        { IsBackground = true }.Start();
        while (!_isEnding)
        {
            round();
        }

        PrintTimes();
    }

    private static void PrintTimes()
    {
        foreach ((string name, long time) in Times)
        {
            Findings.Print(name, time);
        }
    }

    /// <summary>Runs a random kind of work, because periodic work would be synchronous with the samples.</summary>
    private static void Round()
    {
        switch (Random.Next(40) is var kind && kind < 39 ? kind % 8 : 8)
        {
            case 0: Measure(nameof(Sixty), Sixty); break;
            case 1: Measure(nameof(Thirty), Thirty); break;
            case 2: Measure(nameof(Ten), Ten); break;
            case 3: Measure(nameof(Recursive), () => Recursive(17)); break;
            case 4: Measure("Generic", () => Generic<string>.Work(20_000)); break;
            case 5: Measure(nameof(Native), Native); break;
            case 6: Lambda(); break;
            case 7: WorkAsync().Wait(); break;
            default:
                var thread = new Thread(() => Measure(nameof(ShortThread), ShortThread));
                thread.Start();
                thread.Join();
                break;
        }
    }

    private static void Measure(string name, Action work)
    {
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        work();
        lock (Times)
        {
            CollectionsMarshal.GetValueRefOrAddDefault(Times, name, out _) += CpuUsageReader.GetThreadTimeNanoseconds() - start;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Step(int i) => _sink = (_sink * 6364136223846793005) + (ulong)i;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Sixty()
    {
        for (int i = 0; i < 60_000; i++)
        {
            Step(i);
        }
    }

    /// <summary>Is never replaced on the stack, which would hide its caller.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void Optimized()
    {
        for (int i = 0; i < 300_000; i++)
        {
            Step(i);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Thirty()
    {
        for (int i = 0; i < 30_000; i++)
        {
            Step(i);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Ten()
    {
        for (int i = 0; i < 10_000; i++)
        {
            Step(i);
        }
    }

    /// <summary>Takes the time of a few samples, because there are no samples of the last part of a thread's life.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ShortThread()
    {
        for (int i = 0; i < 400_000; i++)
        {
            Step(i);
        }
    }

    private static int Recursive(int n) => n < 2 ? n : Recursive(n - 1) + Recursive(n - 2);

    private static void Deep(int depth)
    {
        if (depth == 0)
        {
            Sixty();
        }
        else
        {
            Deep(depth - 1);
            for (int i = 0; i < depth; i++) // prevents a tail call, and gives the method a frame pointer, which small methods lack
            {
                Step(i);
            }
        }
    }

    private static void Waiting() => Thread.Sleep(Timeout.Infinite);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Native()
    {
        Deflate.Write(Data);
        Deflate.Flush(); // so that the data is compressed here
    }

    private static void Lambda() => Measure(nameof(Lambda), () =>
    {
        for (int i = 0; i < 20_000; i++)
        {
            Step(i);
        }
    });

    private static async Task WorkAsync()
    {
        for (int round = 0; round < 2; round++)
        {
            await Task.Yield();
            long start = CpuUsageReader.GetThreadTimeNanoseconds();
            for (int i = 0; i < 20_000; i++)
            {
                Step(i);
            }

            lock (Times)
            {
                CollectionsMarshal.GetValueRefOrAddDefault(Times, nameof(WorkAsync), out _) += CpuUsageReader.GetThreadTimeNanoseconds() - start;
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RunInContext()
    {
        var context = new AssemblyLoadContext("unloaded", isCollectible: true);
        Assembly copy = context.LoadFromAssemblyPath(typeof(Profiled).Assembly.Location);
        copy.GetType(typeof(UnloadedCode).FullName!)!.GetMethod(nameof(UnloadedCode.Work))!.CreateDelegate<Action>()();
        context.Unload();
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int execve(string path, nint[] arguments, nint[] environment);

    private static class Generic<T>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Work(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Step(i);
            }
        }
    }
}

/// <summary>Code that is loaded a second time into a collectible context.</summary>
internal static class UnloadedCode
{
    private static ulong _sink;

    public static void Work()
    {
        for (int i = 0; i < 2_000_000; i++)
        {
            _sink = (_sink * 6364136223846793005) + (ulong)i;
        }
    }
}
