using Picollo.Export.Plots;
using static System.FormattableString;

namespace Picollo.Profiling.Output;

/// <summary>Numbers and sentences of a profile as its pictures show them.</summary>
internal static class ProfileText
{
    public static string Samples(long count) => count == 1 ? "1 sample" : Invariant($"{count:N0} samples");

    /// <summary>A share in percent: one decimal, and two below 1 %.</summary>
    public static string Share(long part, long whole)
    {
        double percent = whole == 0 ? 0 : 100.0 * part / whole;
        return percent is > 0 and < 1 ? Invariant($"{percent:0.00} %") : Invariant($"{percent:0.0} %");
    }

    public static string Time(TimeSpan time) => time.TotalSeconds is > 0 and < 0.1
        ? $"{PlotText.Value(Math.Round(time.TotalMilliseconds, 2))} ms"
        : $"{PlotText.Value(Math.Round(time.TotalSeconds, 2))} s";

    /// <summary>Samples of a node with their share and the CPU time that they stand for.</summary>
    public static string Weight(CpuProfile profile, long samples) =>
        $"{Samples(samples)}, {Share(samples, profile.SampleCount)}, {Time(profile.TimeOf(samples))}";

    public static string Event(CpuProfile profile) => profile.EventName + (profile.IncludesKernel ? "" : ", without the kernel");

    /// <summary>Why a profile has no samples.</summary>
    public static string ReasonOfNone(CpuProfile profile) => profile switch
    {
        { LostSampleCount: > 0 } => $"All of them were lost: {Samples(profile.LostSampleCount)}.",
        { CpuUsage.TotalNanoseconds: > 0 } =>
            $"The process used {Time(profile.CpuUsage.Total)} of CPU time; a sample is taken each {Time(profile.TimeOf(1))}.",
        _ => "The process used no CPU time while it was sampled.",
    };
}
