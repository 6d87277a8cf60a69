using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.PerfEvent;

namespace Picollo.PerfFaultsApp;

/// <summary>Threads for which a filter answers perf_event_open in the kernel's place, as a container's does.</summary>
internal static unsafe partial class Seccomp
{
    private const int SetNoNewPrivileges = 38, SetSeccomp = 22; // prctl
    private const nuint FilterMode = 2;
    private const ushort LoadWord = 0x20, JumpIfEqual = 0x15, Return = 0x06; // BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
    private const uint Allow = 0x7fff0000, Error = 0x00050000; // SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO

    private static readonly uint OpenNumber = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 298u : 241u;

    public static void Run()
    {
        On("not-permitted", errorNumber: 1);
        On("not-implemented", errorNumber: 38);
    }

    private static void On(string name, uint errorNumber)
    {
        var thread = new Thread(() =>
        {
            Install(errorNumber);
            Findings.PrintOutcome(name, PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults));
            bool isCreated = PerfEventCounterSession.Factory.WithFixedCounters().WithOptional().TryCreate(out PerfEventCounterSession? session, out string? problem);
            Findings.Print($"{name}-optional", isCreated ? session!.Unavailable.Count : problem);
            session?.Dispose();
            using var clock = new ThreadCpuClock();
            Findings.Print($"{name}-clock", clock.UnavailableReason);
            Findings.Print($"{name}-clock-time", clock.GetNanoseconds());
        });
        thread.Start();
        thread.Join();
    }

    /// <summary>For the calling thread, and those it starts, for good.</summary>
    private static void Install(uint errorNumber)
    {
        Instruction* code = stackalloc Instruction[4]
        {
            new(LoadWord, 0, 0, 0), // seccomp_data.nr
            new(JumpIfEqual, 0, 1, OpenNumber),
            new(Return, 0, 0, Error | errorNumber),
            new(Return, 0, 0, Allow),
        };
        var program = new Filter { Length = 4, Code = code };
        if (Control(SetNoNewPrivileges, 1, null, 0, 0) != 0 || Control(SetSeccomp, FilterMode, &program, 0, 0) != 0)
        {
            throw new InvalidOperationException("This kernel takes no seccomp filter.");
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
