using Picollo.Scheduling;

namespace Picollo.AspNetCore.Workers;

/// <summary>The task that a request runs as.</summary>
internal sealed record CpuTaskFeature(CpuTaskContext Task);
