using Picollo.Cpu;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;

namespace Picollo.Profiling;

/// <summary>The trees of a profile by flow.</summary>
/// <param name="Watchers">By watcher, of watchers without a label.</param>
/// <param name="Labels">By label.</param>
/// <param name="Unlabelled">What has no label.</param>
internal sealed record FlowProfiles(
    IReadOnlyDictionary<CpuUsageAsyncWatcher, CpuProfileNode> Watchers,
    IReadOnlyDictionary<FlowLabel, CpuProfileNode> Labels,
    CpuProfileNode Unlabelled)
{
    public static FlowProfiles Of(FlowSamples samples, ProfileBuilder builder) => new(
        samples.Flows.ToDictionary(pair => pair.Key, pair => builder.Build(pair.Value)),
        samples.Labels.ToDictionary(pair => pair.Key, pair => builder.Build(pair.Value)),
        builder.Build(samples.Unlabelled));
}
