using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>A machine that shows one prepared sample after the other, and the last of them from then on.</summary>
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
