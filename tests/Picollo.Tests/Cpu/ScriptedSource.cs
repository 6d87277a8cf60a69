using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>A machine that returns prepared samples in order, and then repeats the last one.</summary>
internal sealed class ScriptedSource(params Action<SystemCpuSample>[] samples) : ISystemCpuSource
{
    private int _next;

    public SystemCpuParts AskedFor { get; private set; }

    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        AskedFor = parts;
        samples[Math.Min(_next++, samples.Length - 1)](sample);
    }
}
