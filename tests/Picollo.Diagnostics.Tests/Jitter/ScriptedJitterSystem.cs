using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Tests;

/// <summary>A simulated system that records the calls and returns scripted results.</summary>
internal sealed unsafe class ScriptedJitterSystem : IJitterSystem
{
    private const int FirstThreadId = 1_000;

    private int _memory;
    private int _inside;
    private int _prepared;

    public int[] All { get; init; } = [0, 1];

    /// <summary>The script of each CPU's sleeps. Without a script, each sleep takes a millisecond.</summary>
    public Dictionary<int, JitterScript> Scripts { get; } = [];

    /// <summary>The CPU whose thread cannot be pinned.</summary>
    public int? RefusedCpu { get; init; }

    /// <summary>The CPU whose thread is moved while it runs.</summary>
    public int? MovedCpu { get; init; }

    public string? Limit { get; init; }

    /// <summary>The folders that simulate tracefs; empty for none.</summary>
    public string[] TracingFolders { get; init; } = [];

    /// <summary>The number of resources that were not released.</summary>
    public (int Memory, int Inside, int Prepared) Unreleased => (_memory, _inside, _prepared);

    public bool TryFindCpus(IReadOnlyList<int>? requested, out int[] cpus, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        cpus = requested is null ? All : [.. requested];
        failure = null;
        return true;
    }

    public void* Allocate(nuint bytes, ReasonList reasons)
    {
        Interlocked.Increment(ref _memory);
        void* memory = NativeMemory.AlignedAlloc(bytes, (nuint)Environment.SystemPageSize);
        NativeMemory.Clear(memory, bytes);
        return memory;
    }

    public void Free(void* memory, nuint bytes)
    {
        NativeMemory.AlignedFree(memory);
        Interlocked.Decrement(ref _memory);
    }

    public IDisposable? Prepare(ReasonList reasons)
    {
        if (Limit is not null)
        {
            reasons.Add(Limit);
        }

        Interlocked.Increment(ref _prepared);
        return new Prepared(this);
    }

    public JitterTrace OpenTrace() => JitterTrace.Open(TracingFolders);

    public bool TryEnter(int cpu, ref int? priority, ReasonList reasons, out long threadId, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        Interlocked.Increment(ref _inside);
        if (Limit is not null)
        {
            reasons.Add(Limit);
            priority = null;
        }

        threadId = FirstThreadId + cpu;
        failure = cpu == RefusedCpu ? new("refused", MeasurementUnavailableCause.TargetNotFound) : null;
        return failure is null;
    }

    public void Leave() => Interlocked.Decrement(ref _inside);

    public int Run(JitterState* state) => Scripts.GetValueOrDefault(Cpu, new JitterScript { Meanwhile = _ => Thread.Sleep(1) }).RunManaged(state);

    public bool IsPinned(long threadId, int cpu) => cpu != MovedCpu;

    // The name of a measuring thread ends with the number of its CPU.
    private static int Cpu => int.Parse(Thread.CurrentThread.Name!.Split(' ')[^1], System.Globalization.CultureInfo.InvariantCulture);

    private sealed class Prepared(ScriptedJitterSystem system) : IDisposable
    {
        public void Dispose() => Interlocked.Decrement(ref system._prepared);
    }
}
