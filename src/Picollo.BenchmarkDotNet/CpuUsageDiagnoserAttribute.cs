using BenchmarkDotNet.Configs;

namespace Picollo.BenchmarkDotNet;

/// <summary>Shows what CPU time an operation takes: <c>CPU/Op</c>, and <c>CPU Ratio</c> to that of the baseline if there is one;
/// <c>CPU/Wall</c>; and, if any operation has them, the context switches <c>VoluntarySwitches/Op</c> and
/// <c>InvoluntarySwitches/Op</c>.</summary>
/// <remarks>
/// <para>Of the whole process, while the actual iterations of the workload run, less what iterations without it take. CPU/Wall tells
/// hidden parallelism (above 1) and waiting (below 1). A process's background work, such as the garbage collector's and the JIT's
/// threads, is in it.</para>
/// <para>User and kernel time apart are shares of an exact total that most kernels estimate by what their ticks meet (see
/// <see cref="Cpu.CpuUsageReader"/>). Context switches need Linux or macOS.</para>
/// </remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Assembly, AllowMultiple = true)]
public sealed class CpuUsageDiagnoserAttribute : Attribute, IConfigSource
{
    /// <summary>Whether <c>User/Op</c> and <c>Kernel/Op</c> are shown, too; false by default.</summary>
    public bool ByMode { get; set; }

    /// <summary>What the attribute adds to the configuration of its class: a diagnoser, and the engine that measures for it.</summary>
    public IConfig Config => ManualConfig.CreateEmpty().AddMeasures(
        new([ByMode ? PicolloMeasure.CpuUsageByMode : PicolloMeasure.CpuUsage]));
}
