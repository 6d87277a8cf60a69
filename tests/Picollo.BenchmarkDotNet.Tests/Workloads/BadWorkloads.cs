using BenchmarkDotNet.Attributes;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

/// <summary>A base class for benchmarks with invalid measures. Page faults are valid.</summary>
[PerfCounters(PerfSoftwareCounterId.PageFaults)]
public abstract class BadWorkload
{
    [Benchmark]
    public void Work()
    {
    }
}

[PerfCounters(PerfSoftwareCounterId.PageFaults, PerfSoftwareCounterId.MinorPageFaults), PerfCounters(PerfSoftwareCounterId.PageFaults)]
public class RepeatedCounter : BadWorkload;

[PerfCounters]
public class NoCounters : BadWorkload;

[PerfCounters((PerfHardwareCounterId[]?)null), PerfCounters((PerfCacheCounterId[]?)null), PerfCounters((PerfSoftwareCounterId[]?)null), PerfCounters((string[]?)null)]
public class NullCounters : BadWorkload;

[PerfCounters("", null!, "no colon", "cpu/event", "cpu/event=x/"), PerfCounters(4, 1, null!)]
public class Malformed : BadWorkload;

[PerfCounters((PerfHardwareCounterId)(-1)), PerfCounters((PerfSoftwareCounterId)12345)]
public class Undefined : BadWorkload;

[PerfCounters("picollo_none/event=1/", "picollo:none")]
public class UnavailableCounters : BadWorkload;

/// <summary>A name that a session uses for another counter.</summary>
[PerfCounters(1, 5, "Software:PageFaults")]
public class ConflictingName : BadWorkload;

/// <summary>Several invalid attributes together with valid ones.</summary>
[PerfCounters, PerfCounters((string[]?)null), PerfCounters("", "picollo:none"), PerfCounters((PerfHardwareCounterId)(-1))]
[PerfCounters(PerfSoftwareCounterId.PageFaults), CpuUsageDiagnoser, CpuUsageDiagnoser, HdrPercentiles]
public class AllAtOnce : BadWorkload;
