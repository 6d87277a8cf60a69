using Picollo.Cpu;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;

namespace Picollo.Profiling;

/// <summary>The trees of a profile by flow.</summary>
/// <param name="Watchers">The trees of watchers without a label, by watcher.</param>
/// <param name="Labels">The trees of labels.</param>
/// <param name="Unlabeled">The tree of samples without a label.</param>
internal sealed record FlowProfiles(
    IReadOnlyDictionary<CpuUsageAsyncWatcher, CpuProfileNode> Watchers,
    IReadOnlyDictionary<FlowLabel, CpuProfileNode> Labels,
    CpuProfileNode Unlabeled)
{
    public static FlowProfiles Of(FlowSamples samples, ProfileBuilder builder) => new(
        samples.Flows.ToDictionary(pair => pair.Key, pair => builder.Build(pair.Value)),
        samples.Labels.ToDictionary(pair => pair.Key, pair => builder.Build(pair.Value)),
        builder.Build(samples.Unlabeled));
}
