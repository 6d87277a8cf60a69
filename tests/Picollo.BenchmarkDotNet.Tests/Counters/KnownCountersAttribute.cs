using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;

namespace Picollo.BenchmarkDotNet.Tests.Counters;

/// <summary>Replaces the counters of the kernel by <see cref="KnownCounters"/>. Must follow the attributes of Picollo.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class KnownCountersAttribute() : JobMutatorConfigBaseAttribute(Job.Default.WithEngineFactory(new KnownCountersEngineFactory()));

/// <summary>Creates the engine of Picollo with known counters. Public for the programs that BenchmarkDotNet generates.</summary>
public sealed class KnownCountersEngineFactory : IEngineFactory
{
    public IEngine CreateReadyToRun(EngineParameters engineParameters) => PicolloEngineFactory.Create(engineParameters, request => new KnownCounters(request));
}
