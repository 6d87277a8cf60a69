using System.Globalization;
using Picollo.Tests.PerfEvent;

namespace Picollo.Diagnostics.Tests.Linux;

/// <summary>Tests the meter in processes that lack privileges, are stopped, or end.</summary>
[Trait("Category", "Slow")]
public sealed class JitterRefusalTests(FaultsApp app) : IClassFixture<FaultsApp>
{
    private static readonly string[] AsOtherUser = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Setpriv)]
    public void A_user_without_privileges_can_measure_and_the_refused_functions_are_reported()
    {
        Dictionary<string, string> found = app.Run("jitter", AsOtherUser);
        found["complete"].Should().Be("True");
        string[] limits = Limits(found);
        limits.Should().Contain(limit => limit.StartsWith("SCHED_FIFO at priority 80 was refused", StringComparison.Ordinal)
            && limit.Contains("CAP_SYS_NICE") && limit.Contains("USER - rtprio 80"));
        limits.Should().Contain(limit => limit.StartsWith("/dev/cpu_dma_latency is not held at 0", StringComparison.Ordinal));
        limits.Should().HaveCount(2, "the limit of 8 MB of locked memory is enough for a user");
    }

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Prlimit)]
    public void Limits_of_priority_and_locked_memory_are_respected_and_reported()
    {
        Dictionary<string, string> found = app.Run(
            "jitter", ["prlimit", "--memlock=0:0", .. AsOtherUser, "--inh-caps=+sys_nice", "--ambient-caps=+sys_nice"]);
        found["complete"].Should().Be("True");
        string[] limits = Limits(found);
        limits.Should().NotContain(limit => limit.Contains("SCHED_FIFO"));
        limits.Should().ContainSingle(limit => limit.StartsWith("The meter's memory is not locked", StringComparison.Ordinal))
            .Which.Should().Contain("USER - memlock unlimited");
    }

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Taskset)]
    public void CPUs_outside_of_the_affinity_are_measured_only_if_they_are_requested()
    {
        Dictionary<string, string> found = app.Run("jitter", "taskset", "-c", "0");
        found["cpus"].Should().Be("0");
        found["complete"].Should().Be("True");
        found["second"].Should().Match(Environment.ProcessorCount > 1 ? "measured" : "CPU 1 *This process may run on CPU 0.");
    }

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Unshare)]
    public void A_break_is_marked_in_the_kernels_trace_and_stops_it()
    {
        // The process has its own mount namespace. The trace belongs to the machine, and is restored.
        Dictionary<string, string> found = app.Run("jitter-break", "unshare", "--mount", "sh", "-c",
            "mount -t tracefs tracefs /sys/kernel/tracing && cd /sys/kernel/tracing && was=$(cat tracing_on) && echo 1 > tracing_on || exit; "
            + "\"$@\"; end=$?; echo $was > tracing_on; exit $end", "sh");
        found["marked"].Should().Be("True");
        found["problem"].Should().Be("none");
        found["trace"].Should().EndWith(found["mark"]);
        (found["stopped"], found["stop-problem"], found["tracing-on"]).Should().Be(("True", "none", "0"));
    }

    [FactNeeding(Need.Linux)]
    public void Stopping_the_process_causes_long_latencies_and_no_wake_up_is_lost()
    {
        Dictionary<string, string> found = app.Run("jitter-stopped");
        found["counts"].Split(' ').Should().OnlyContain(count => count == "2000", "no wake-up of the two seconds is missing");
        Number(found["shortest-maximum"]).Should().BeGreaterThan(290_000_000);
        Number(found["fewest-late"]).Should().BeGreaterThan(280, "the wake-ups that were due during the stop are late by its remaining time");
    }

    [FactNeeding(Need.Linux)]
    public void A_meter_that_is_not_stopped_does_not_keep_the_process_running() => app.Run("jitter-left")["measures"].Should().Be("True");

    private static string[] Limits(Dictionary<string, string> found) =>
        [.. found.Where(finding => finding.Key.StartsWith("limit-", StringComparison.Ordinal)).Select(finding => finding.Value)];

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
