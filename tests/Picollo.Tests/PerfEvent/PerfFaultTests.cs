using System.Globalization;

namespace Picollo.Tests.PerfEvent;

/// <summary>Tests real failures: too few file descriptors, missing permissions, seccomp filters, no tracefs, sessions that are not
/// disposed.</summary>
[Trait("Category", "Slow")]
public sealed class PerfFaultTests(FaultsApp app) : IClassFixture<FaultsApp>
{
    private const string ParanoidPath = "/proc/sys/kernel/perf_event_paranoid";
    private const int MostFree = 40;

    [FactNeeding(Need.PerfEvents)]
    public void With_any_number_of_free_descriptors_a_session_works_or_fails_cleanly()
    {
        Dictionary<string, string> found = app.Run("limits");
        for (int free = 0; free <= MostFree; free++)
        {
            foreach (string kind in (string[])["thread", "optional", "process"])
            {
                found[$"{kind}-{free}-left"].Should().Be("nothing");
                string outcome = found[$"{kind}-{free}"];
                outcome.Should().MatchRegex("^(works [25] 0|(Software:|The threads of process ).*ulimit -n.* LimitReached)$", "a session of kind {0} with {1} free descriptors must work or report the limit", kind, free);
                if (kind != "process")
                {
                    outcome.StartsWith("works", StringComparison.Ordinal).Should().Be(free >= 5, "it has five counters");
                }
            }
        }

        found["process-0"].Should().Contain("ulimit -n");
        found[$"process-{MostFree}"].Should().StartWith("works");
        found["clock-reason"].Should().NotBeEmpty();
        long.Parse(found["clock-time"], CultureInfo.InvariantCulture).Should().BePositive("the thread's clock makes system calls if it has no page");
    }

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Setpriv)]
    public void A_user_without_privileges_gets_a_remedy()
    {
        string paranoid = File.ReadAllText(ParanoidPath).Trim();
        Dictionary<string, string> found = app.Run("refused", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        found["other-user"].Should().EndWith("(perf_event_open: EACCES)");
        found["other-user-cause"].Should().Be("PermissionDenied 13");
        if (paranoid != "2")
        {
            // The rest depends on the default of the kernel; otherwise only check that refusals name the setting.
            foreach ((string what, string outcome) in found.Where(finding => finding.Value.EndsWith("EACCES)", StringComparison.Ordinal) && finding.Key != "other-user"))
            {
                outcome.Should().MatchRegex($@"(kernel.perf_event_paranoid is|\(now) {paranoid}\b", "of {0}", what);
            }

            return;
        }

        (found["own-code"], found["profile"], found["optional"]).Should().Be(("works", "works", "Software:PageFaults"));
        (found["kernel-cause"], found["profile-kernel-cause"]).Should().Be(("PerfEventParanoid 13", "PerfEventParanoid 13"));
        found["kernel"].Should().StartWith(
            "Software:PageFaults: this user may not count events in the kernel; set kernel.perf_event_paranoid (now 2) to 1 or less");
        found["cpu"].Should().Contain("everything on a CPU").And.Contain("to 0 or less").And.EndWith("(perf_event_open: EACCES)");
        found["other-user"].Should().Contain("another user's thread").And.NotContain("paranoid", "no value of the setting permits that");
        found["no-cpu"].Should().Contain("CPU 100000 does not exist").And.EndWith("(perf_event_open: EINVAL)");
        found["profile-kernel"].Should().Contain("sysctl kernel.perf_event_paranoid=1").And.EndWith("(perf_event_open: EACCES)");
        found["unavailable"].Should().StartWith("Software:ContextSwitches: ");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_seccomp_filter_is_reported_as_the_cause()
    {
        Dictionary<string, string> found = app.Run("seccomp");
        found["not-permitted"].Should().StartWith("Software:PageFaults: ").And.Contain("seccomp").And.EndWith("(perf_event_open: EPERM)");
        found["not-implemented"].Should().Contain("a seccomp filter refuses").And.EndWith("(perf_event_open: ENOSYS)");
        (found["not-permitted-cause"], found["not-implemented-cause"]).Should().Be(("SeccompFilter 1", "SeccompFilter 38"));
        found["not-permitted-profile-cause"].Should().Be("SeccompFilter 1");
        found["not-implemented-profile"].Should().Contain("a seccomp filter refuses").And.EndWith("(perf_event_open: ENOSYS)");
        foreach (string filter in (string[])["not-permitted", "not-implemented"])
        {
            found[$"{filter}-optional"].Should().Be("3", "all three counters are omitted");
            found[$"{filter}-clock"].Should().NotBeEmpty();
            long.Parse(found[$"{filter}-clock-time"], CultureInfo.InvariantCulture).Should().BePositive();
        }
    }

    [FactNeeding(Need.Linux)]
    public void Without_the_run_queue_its_state_is_absent_with_the_reason()
    {
        Dictionary<string, string> found = app.Run("run-queue");
        found["usual"].Should().Be("works");
        foreach (string fault in (string[])["no-file", "no-open", "no-read"])
        {
            found[fault].Should().Be("/proc/thread-self/schedstat cannot be read: the kernel has no scheduler statistics, /proc is not mounted, or a security policy refuses it.");
        }

        found["no-descriptor"].Should().Contain("ulimit -n");
        found["late-thread"].Should().Be("True True", "the flow started before, so that the state is present");
        found["late-thread-then"].Should().Contain("ulimit -n");
    }

    [FactNeeding(Need.PerfEvents)]
    public void Counters_that_do_not_fit_are_multiplexed_unless_pinned()
    {
        Dictionary<string, string> found = app.Run("small-groups");
        found["taking-turns"].Should().Be("works");
        found["pinned"].Should().StartWith("Software:MinorPageFaults: there are more pinned counters than the CPU has").And.EndWith("(perf_event_open: EINVAL)");
        foreach (string counter in (string[])["faults", "minor"])
        {
            int.Parse(found[counter], CultureInfo.InvariantCulture).Should().BePositive("4 MB were touched for the first time");
        }
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_process_is_counted_even_if_one_of_its_threads_has_ended()
    {
        Dictionary<string, string> found = app.Run("ended-thread");
        foreach (string thread in (string[])["main", "other"])
        {
            found[thread].Should().Be("works");
            found[$"{thread}-optional"].Should().Be("works");
            found[$"{thread}-counters"].Should().Be("2");
            long.Parse(found[$"{thread}-time"], CultureInfo.InvariantCulture).Should().BePositive();
        }

        found["half-way"].Should().Be("Software:PageFaults Software:MinorPageFaults");
        found["left"].Should().Be("0");
    }

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Unshare)]
    public void A_tracepoint_counts_once_tracefs_is_mounted()
    {
        // In a separate mount namespace, which ends with the process.
        Dictionary<string, string> found = app.Run("tracepoint", "unshare", "--mount", "sh", "-c",
            "mount -t tracefs tracefs /sys/kernel/tracing && exec \"$@\"", "sh");
        found.Should().NotContainKey("problem");
        found["name"].Should().Be("sched:sched_switch");
        long.Parse(found["switches"], CultureInfo.InvariantCulture).Should().BeGreaterThanOrEqualTo(5, "the thread slept five times");
    }

    [FactNeeding(Need.PerfEvents)]
    public void Sessions_that_are_not_disposed_release_their_descriptors()
    {
        Dictionary<string, string> found = app.Run("dropped");
        found["clock-held"].Should().Be(found["clock-needs"], "the page is useless if the kernel does not write the time to it");
        found["held"].Should().MatchRegex("^[23]$", "two counters, and the thread's clock if its page is available");
        found["after-collection"].Should().Be("0");
        found["sessions"].Should().Be("2000", "each session has two files, and the limit is 400");
        found["after-sessions"].Should().Be("0");
        found["pages-after-sessions"].Should().Be("0");
        found["pages-of-a-session"].Should().Be("1");
        found["pages-after-disposal"].Should().Be("0");
    }
}
