namespace Picollo.Benchmarks.Cpu.Contenders;

/// <summary>A reading of CPU time, as nanoseconds. A struct each, so that a loop over it is compiled for it alone.</summary>
internal interface IRead
{
    static abstract long Read();
}
