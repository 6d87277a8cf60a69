using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.PerfEvent;
using Picollo.Profiling;

namespace Picollo.HelperApp.Faults;

/// <summary>Runs threads with a filter that answers perf_event_open instead of the kernel, as in a container.</summary>
internal static unsafe partial class Seccomp
{
    private const int SetNoNewPrivileges = 38, SetSeccomp = 22; // prctl
    private const nuint FilterMode = 2;
    private const ushort LoadWord = 0x20, JumpIfEqual = 0x15, Return = 0x06; // BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
    private const uint Allow = 0x7fff0000, Error = 0x00050000; // SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO

    private const uint ThreadArgument = 1, LeaderArgument = 3; // perf_event_open

    private static readonly bool IsX64 = RuntimeInformation.ProcessArchitecture == Architecture.X64;
    private static readonly uint OpenNumber = IsX64 ? 298u : 241u;
    private static readonly uint OpenFileNumber = IsX64 ? 257u : 56u; // openat
    private static readonly uint ReadFileNumber = IsX64 ? 17u : 67u; // pread64

    public static void Run()
    {
        On("not-permitted", errorNumber: 1);
        On("not-implemented", errorNumber: 38);
    }

    /// <summary>Simulates a kernel whose groups have space for one counter: a second counter fails with EINVAL.</summary>
    public static void RunWithSmallGroups() => OnThread(() =>
    {
        Install(errorNumber: 22, (LeaderArgument, uint.MaxValue, IsEqual: false));
        PerfEventCounterSessionFactory two = PerfEventCounterSession.Factory
            .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults).WithSoftwareCounter(PerfSoftwareCounterId.MinorPageFaults);
        Findings.PrintOutcome("taking-turns", two);
        Findings.PrintOutcome("pinned", two.WithPinned(true));
        using PerfEventCounterSession session = two.Create();
        byte[] fresh = new byte[1 << 22];
        for (int i = 0; i < fresh.Length; i += 4096)
        {
            fresh[i] = 1;
        }

        session.Read();
        Findings.Print("faults", session.Counters[0].Value);
        Findings.Print("minor", session.Counters[1].Value);
    });

    /// <summary>Counts a process of which a thread has just ended.</summary>
    public static void RunWithEndedThread()
    {
        using var over = new ManualResetEventSlim();
        int id = 0;
        var other = new Thread(() =>
        {
            Volatile.Write(ref id, (int)CpuUsageReader.GetThreadId());
            over.Wait();
        });
        other.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref id) != 0);
        PerfEventCounterSessionFactory process = PerfEventCounterSession.Factory
            .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults).WithSoftwareCounter(PerfSoftwareCounterId.TaskClock).WithProcess(0);
        foreach ((string name, int thread) in (ReadOnlySpan<(string, int)>)[("main", Environment.ProcessId), ("other", id)])
        {
            OnThread(() =>
            {
                Install(errorNumber: 3, (ThreadArgument, (uint)thread, IsEqual: true));
                Findings.PrintOutcome(name, process);
                Findings.PrintOutcome($"{name}-optional", process.WithOptional());
                using PerfEventCounterSession session = process.Create();
                session.Read();
                Findings.Print($"{name}-counters", session.Counters.Count);
                Findings.Print($"{name}-time", session.Counters[1].Current.Value);
            });
        }

        // A thread that ends between its first counter and its second.
        OnThread(() =>
        {
            Install(errorNumber: 3, (ThreadArgument, (uint)Environment.ProcessId, IsEqual: true), (LeaderArgument, uint.MaxValue, IsEqual: false));
            using PerfEventCounterSession session = PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
                .WithSoftwareCounter(PerfSoftwareCounterId.MinorPageFaults).WithProcess(0).WithInherited(false).Create();
            session.Read();
            Findings.Print("half-way", string.Join(' ', session.Counters.Select(counter => counter.Name)));
        });

        Findings.Print("left", Descriptors.Counters());
        over.Set();
    }

    /// <summary>Reads the run queue where the file does not exist, may not be opened, or may not be read, and where a later thread has no
    /// descriptor for it.</summary>
    public static void RunWithoutRunQueue()
    {
        Limits.LoadEverything();
        RunQueue.Print("usual");
        foreach ((string name, uint call, uint error) in (ReadOnlySpan<(string, uint, uint)>)
            [("no-file", OpenFileNumber, 2), ("no-open", OpenFileNumber, 1), ("no-read", ReadFileNumber, 1)])
        {
            OnThread(() =>
            {
                Install(error, [], call);
                RunQueue.Print(name);
            });
        }

        // A thread that gets no descriptor (EMFILE) when the state has a source.
        LatencySources.Start(hasLocks: true);
        OnThread(() =>
        {
            Install(24, [], OpenFileNumber);
            using CpuUsageAsyncWatcher watcher = new(measureLatency: true);
            Thread.Sleep(2); // longer than the rate limit of the readings
            watcher.Stop();
            LatencyBreakdown breakdown = watcher.GetLatencyBreakdown();
            Findings.Print("late-thread", $"{breakdown[LatencyState.RunQueue] == TimeSpan.Zero} {breakdown[LatencyState.Blocked] > TimeSpan.Zero}");
            RunQueue.PrintState("late-thread-then");
        });
    }

    private static void OnThread(Action action)
    {
        var thread = new Thread(() => action());
        thread.Start();
        thread.Join();
    }

    private static void On(string name, uint errorNumber) => OnThread(() =>
    {
        Install(errorNumber);
        Findings.PrintOutcome(name, PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults));
        Findings.PrintOutcome($"{name}-profile", new CpuProfilerOptions());
        bool isCreated = PerfEventCounterSession.Factory.WithFixedCounters().WithOptional().TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure);
        Findings.Print($"{name}-optional", isCreated ? session!.UnavailableCounters.Count : failure!.Message);
        session?.Dispose();
        using var clock = new ThreadCpuClock();
        Findings.Print($"{name}-clock", clock.UnavailableReason);
        Findings.Print($"{name}-clock-time", clock.GetNanoseconds());
    });

    /// <summary>Installs a filter permanently for the calling thread and the threads that it starts. It refuses the calls of which each of
    /// some arguments has a value, or has any other one.</summary>
    private static void Install(uint errorNumber, params (uint Argument, uint Value, bool IsEqual)[] conditions) =>
        Install(errorNumber, conditions, OpenNumber);

    private static void Install(uint errorNumber, (uint Argument, uint Value, bool IsEqual)[] conditions, uint call)
    {
        byte toAllow = (byte)((conditions.Length * 2) + 1);
        List<Instruction> list = [new(LoadWord, 0, 0, 0), new(JumpIfEqual, 0, toAllow, call)]; // seccomp_data.nr
        foreach ((uint argument, uint value, bool isEqual) in conditions)
        {
            toAllow -= 2;
            list.Add(new(LoadWord, 0, 0, 16 + (argument * 8))); // seccomp_data.args[], the lower half
            list.Add(new(JumpIfEqual, isEqual ? (byte)0 : toAllow, isEqual ? toAllow : (byte)0, value));
        }

        fixed (Instruction* code = (Instruction[])[.. list, new(Return, 0, 0, Error | errorNumber), new(Return, 0, 0, Allow)])
        {
            var program = new Filter { Length = (ushort)(list.Count + 2), Code = code };
            if (Control(SetNoNewPrivileges, 1, null, 0, 0) != 0 || Control(SetSeccomp, FilterMode, &program, 0, 0) != 0)
            {
                throw new InvalidOperationException("This kernel does not accept a seccomp filter.");
            }
        }
    }

    /// <summary>struct sock_filter.</summary>
    private readonly struct Instruction(ushort code, byte ifTrue, byte ifFalse, uint operand)
    {
        public readonly ushort Code = code;
        public readonly byte IfTrue = ifTrue;
        public readonly byte IfFalse = ifFalse;
        public readonly uint Operand = operand;
    }

    /// <summary>struct sock_fprog.</summary>
    private struct Filter
    {
        public ushort Length;
        public Instruction* Code;
    }

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int Control(int option, nuint argument, void* pointer, nuint third, nuint fourth);
}
