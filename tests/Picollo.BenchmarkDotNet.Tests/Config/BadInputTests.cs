using BenchmarkDotNet.Configs;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Config;

public sealed class BadInputRun() : BenchmarkRun(
    ManualConfig.CreateEmpty().AddJob(Unrepeated()),
    typeof(RepeatedCounter), typeof(NoCounters), typeof(NullCounters), typeof(Malformed), typeof(Undefined), typeof(UnavailableCounters), typeof(ConflictingName), typeof(AllAtOnce));

/// <summary>Invalid and unavailable measures are reported before the run, which continues without them.</summary>
[Trait("Category", "Slow")]
public sealed class BadInputTests(BadInputRun run) : IClassFixture<BadInputRun>
{
    internal const string NoCounterMessage = "A [PerfCounters] attribute or a call to AddPicollo specifies no counter*";

    [Fact]
    public void Every_run_succeeds_and_shows_the_available_measures()
    {
        run.Summaries.Should().HaveCount(8);
        run.Summaries.SelectMany(summary => summary.Reports).Select(report => report.Success).Should().HaveCount(8).And.AllBeEquivalentTo(true, "{0}", run.Log);
        if (OperatingSystem.IsLinux())
        {
            run.Summaries.Select(summary => summary.Measured()).Should().OnlyContain(measured => measured.Any(name => name.Contains("PageFaults/Op", StringComparison.Ordinal)));
        }
    }

    [FactNeeding(Need.Linux)]
    public void Each_mistake_is_reported_before_the_first_benchmark()
    {
        run.Of<RepeatedCounter>().Messages().Should().Equal("The counter PageFaults is specified 3 times and counted once.");
        run.Of<RepeatedCounter>().Measured().Should().BeEquivalentTo("PageFaults/Op", "MinorPageFaults/Op");
        string message = run.Of<NoCounters>().Messages().Should().ContainSingle().Subject;
        message.Should().Match(NoCounterMessage);
        run.Log.IndexOf(message, StringComparison.Ordinal)
            .Should().BeInRange(0, run.Log.IndexOf("BenchmarkRunner: Start", StringComparison.Ordinal));
        run.Of<NullCounters>().Messages().Should().ContainSingle().Which.Should().Match(NoCounterMessage);

        string[] messages = [.. run.Of<Malformed>().Messages()];
        foreach (string name in new[] { "", "no colon", "cpu/event", "cpu/event=x/" })
        {
            messages.Should().ContainSingle(message => message.StartsWith($"The counter \"{name}\" is excluded: ", StringComparison.Ordinal));
        }

        messages.Should().HaveCount(4).And.NotContain(message => message.Contains("Parameter", StringComparison.Ordinal) || message.Contains('\n'));
        run.Of<Undefined>().Messages().Should().HaveCount(2)
            .And.ContainSingle(message => message.StartsWith("The counter \"-1\" is excluded: ", StringComparison.Ordinal))
            .And.ContainSingle(message => message.StartsWith("Not counted: Software:12345: ", StringComparison.Ordinal));
        run.Of<Undefined>().Measured().Should().Equal("PageFaults/Op");
        run.Of<UnavailableCounters>().Messages().Should().HaveCount(2).And.OnlyContain(message => message.StartsWith("Not counted: picollo", StringComparison.Ordinal));
        run.Log.Split("Not counted: picollo_none/event=1/: ").Should().HaveCount(2, "the engine does not repeat the message");
        run.Of<ConflictingName>().Messages()
            .Should().Equal("The counter \"PageFaults\" is excluded: The session already has counter Software:PageFaults.");
        run.Of<AllAtOnce>().Messages().Should().HaveCount(5).And.OnlyHaveUniqueItems();
        run.Of<AllAtOnce>().Headers().Should().Contain("CPU/Op").And.Contain("Call p99");
    }

    [Fact]
    public void Counters_beyond_the_limit_of_a_session_are_excluded()
    {
        PicolloMeasure[] measures = [.. Enumerable.Range(0, 70).Select(i => PicolloMeasure.CreateRawCounter(1, 9, $"dummy{i}"))];

        PicolloDiagnoser.Problems([new(measures)], _ => [], null).Should().HaveCount(6)
            .And.OnlyContain(message => message.EndsWith("A session can have at most 64 counters.", StringComparison.Ordinal));
        MeasureRequest.FromSets([new(measures)], isAwaited: false).Counters.Select(counter => counter.Name)
            .Should().Equal(measures.Take(64).Select(measure => measure.Counter!.Name));
    }
}
