using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>A machine that returns prepared samples in order, and then repeats the last one.</summary>
internal sealed class ScriptedSource(params Action<SystemCpuSample>[] samples) : ISystemCpuSource
{
    private int _next;

    public SystemCpuParts RequestedParts { get; private set; }

    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        RequestedParts = parts;
        samples[Math.Min(_next++, samples.Length - 1)](sample);
    }
}
