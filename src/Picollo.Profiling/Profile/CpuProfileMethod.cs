namespace Picollo.Profiling;

/// <summary>The samples of one function on all paths of a <see cref="CpuProfile"/>.</summary>
/// <param name="Frame">The function.</param>
/// <param name="OwnSampleCount">The number of samples in the function itself.</param>
/// <param name="SampleCount">The number of samples in the function and its callees. A sample in a recursion counts once.</param>
public sealed record CpuProfileMethod(CpuProfileFrame Frame, long OwnSampleCount, long SampleCount);
