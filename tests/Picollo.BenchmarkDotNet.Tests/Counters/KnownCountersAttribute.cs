using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;

namespace Picollo.BenchmarkDotNet.Tests.Counters;

/// <summary>Puts <see cref="KnownCounters"/> in the place of the kernel's. After Picollo's own attributes.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class KnownCountersAttribute() : JobMutatorConfigBaseAttribute(Job.Default.WithEngineFactory(new KnownCountersEngineFactory()));

/// <summary>Picollo's engine with known counts. Public for BenchmarkDotNet's generated programs.</summary>
public sealed class KnownCountersEngineFactory : IEngineFactory
{
    public IEngine CreateReadyToRun(EngineParameters engineParameters) => PicolloEngineFactory.Create(engineParameters, request => new KnownCounters(request));
}
