using BenchmarkDotNet.Configs;

namespace Picollo.BenchmarkDotNet;

/// <summary>Adds columns for the CPU time of an operation: <c>CPU/Op</c>, <c>CPU Ratio</c> to the baseline if there is one,
/// <c>CPU/Wall</c>, and, if any context switches occur, <c>VoluntarySwitches/Op</c> and <c>InvoluntarySwitches/Op</c>.</summary>
/// <remarks>
/// <para>Measures the whole process during the actual workload iterations, minus the overhead iterations. The process includes background
/// work, such as the threads of the garbage collector and the JIT compiler. CPU/Wall reveals hidden parallelism (above 1) and waiting
/// (below 1).</para>
/// <para>The sum of user and kernel time is exact. On most kernels, the split into user and kernel time is an estimate based on timer ticks
/// (see <see cref="Cpu.CpuUsageReader"/>). Context switches require Linux or macOS.</para>
/// </remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Assembly, AllowMultiple = true)]
public sealed class CpuUsageDiagnoserAttribute : Attribute, IConfigSource
{
    /// <summary>Whether to add the columns <c>User/Op</c> and <c>Kernel/Op</c>. The default is <see langword="false"/>.</summary>
    public bool ShowUserAndKernel { get; set; }

    /// <summary>The configuration that the attribute adds to its class: a diagnoser and a measuring engine.</summary>
    public IConfig Config => ManualConfig.CreateEmpty().AddMeasures(
        new([ShowUserAndKernel ? PicolloMeasure.CpuUsageWithUserAndKernel : PicolloMeasure.CpuUsage]));
}
