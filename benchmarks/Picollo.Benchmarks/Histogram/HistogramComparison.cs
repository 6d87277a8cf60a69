namespace Picollo.Benchmarks.Histogram;

/// <summary><c>compare histogram</c>: measures all operations of histograms, in less than three minutes.</summary>
internal static class HistogramComparison
{
    public const string Name = "histogram";

    /// <summary>The option with which the comparison starts child processes. They measure and print only the figures.</summary>
    public const string FiguresOnly = "--figures";

    private const int Repetitions = 201;

    /// <summary>The number of repetitions in child processes, whose figures have no targets.</summary>
    private const int FewRepetitions = 101;

    public static int PrintFigures(TextWriter output)
    {
        (List<Row> few, Dictionary<Contender, Figures> figures) = Measure(others: false, FewRepetitions);
        Figures.Write(output, few, figures);
        return 0;
    }

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        (List<Row> rows, Dictionary<Contender, Figures> measured) = Measure(others: true, Repetitions);
        TimeReport.Print(output, rows, measured);
        HistogramFacts.PrintAllocations(output);
        HistogramFacts.PrintFootprints(output);
        output.WriteLine();
        output.WriteLine("Measured in separate processes. \"No tier-up\" is the state of a process that has just started. Methods that are not");
        output.WriteLine("precompiled, which are those of generic types over uint and ulong, run as unoptimized code of the JIT.");
        ModeReport.Print(output, rows, OtherModes.Measure(["compare", Name, FiguresOnly]));
        return 0;
    }

    /// <summary>Measures all rows.</summary>
    /// <param name="others"><see langword="true"/> to include other libraries; <see langword="false"/> for only Picollo and the
    /// references.</param>
    /// <param name="repetitions">The number of repetitions of each row.</param>
    private static (List<Row> Rows, Dictionary<Contender, Figures> Figures) Measure(bool others, int repetitions)
    {
        List<Row> rows = [
            .. OfValues(ValueSet.Wide, others), .. OfValues(ValueSet.Narrow, others), .. OfSummary(), .. ReadingRows.OfAdding(),
            .. ReadingRows.OfSnapshots(), .. ReadingRows.OfThreads(), .. OfScopes(),
        ];
        return (rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], repetitions));
    }

    private static IEnumerable<Row> OfValues(ValueSet set, bool others)
    {
        string section = $"Record, {set} values";
        PlainHdrHistogramFactory<uint> factory = RecordContender.Factory;
        Contender article32 = new Article<uint>(set, new(RecordContender.BlockSize, 0, ValueSet.MaxTrackableValue));
        Contender article64 = new Article<ulong>(set, new(RecordContender.BlockSize, 0, ValueSet.MaxTrackableValue));
        Contender plain = new Plain<uint>(set, factory.Create());
        Contender plain64 = new Plain<ulong>(set, factory.WithUInt64Storage().Create());
        Contender plainCall = Of("plain, through a call that is not inlined", factory.Create(), histogram => new PlainThroughCall(histogram));
        Contender threadLocal = Of("thread-local", factory.WithThreadLocal().Create(), histogram => new ThreadLocal(histogram));
        Contender threadLocalCall =
            Of("thread-local, through a call that is not inlined", factory.WithThreadLocal().Create(), histogram => new ThreadLocalThroughCall(histogram));
        Contender interlocked = Of("interlocked", factory.WithInterlocked().Create(), histogram => new InterlockedVariant(histogram));
        BareThreadStatic bareThreadStatic = new(set);
        BareInterlocked bareInterlocked = new(set);

        // All of them are recorders, so that they are compiled in the same way.
        LongHistogram peer = new(RecordContender.BlockSize, (long)ValueSet.MaxTrackableValue);
        Contender longLocal = new Records<LongHistogramInLocal>("LongHistogram's algorithm, in a local", set, new(peer), () => peer.Counts);
        Contender longStatic = new Records<LongHistogramInStaticField>(
            "LongHistogram's algorithm, in a static readonly field", set, default, () => LongHistogramInStaticField.Histogram.Counts);
        Contender plainLocal = Of("plain, 32-bit, in a local", factory.Create(), histogram => new PlainInLocal<uint>(histogram));
        Contender plainStatic = Of("plain, 32-bit, in a static readonly field", PlainInStaticField.Histogram, _ => default(PlainInStaticField));
        Contender plain64Local = Of(
            "plain, 64-bit, in a local", factory.WithUInt64Storage().Create(), histogram => new PlainInLocal<ulong>(histogram));
        Contender plain64Static = Of(
            "plain, 64-bit, in a static readonly field", Plain64InStaticField.Histogram, _ => default(Plain64InStaticField));

        yield return new Row(section, new Floor(set));
        yield return new Row(section, article64);
        yield return new Row(section, article32);
        yield return new Row(section, plain64, article64, 0.68);
        yield return new Row(section, plain, article32, 0.72);
        yield return new Row(section, longLocal);
        yield return new Row(section, longStatic);
        yield return new Row(section, plainLocal, longLocal, 0.9);
        yield return new Row(section, plainStatic, longStatic, 0.9);
        yield return new Row(section, plain64Local, longLocal, 0.8);
        yield return new Row(section, plain64Static, longStatic, 0.8);
        yield return new Row(section, plainCall, plain, 1.7);
        yield return new Row(section, ThroughBase("plain", factory.Create()), plain, 2);
        yield return new Row(section, bareThreadStatic);
        yield return new Row(section, ThroughBase("thread-local", factory.WithThreadLocal().Create()), bareThreadStatic);
        yield return new Row(section, ThroughBase("interlocked", factory.WithInterlocked().Create()));
        yield return new Row(section, new PlainSpan(set), plain, 1.1);
        yield return new Row(section, threadLocal, plain, 1.45);
        yield return new Row(section, threadLocalCall, bareThreadStatic);
        yield return new Row(section, new ParallelContender(threadLocal), threadLocal, 1.05);
        yield return new Row(section, bareInterlocked);
        yield return new Row(section, interlocked, bareInterlocked, 1.05);
        yield return new Row(section, new ParallelContender(interlocked), interlocked);
        if (others)
        {
            OpenTelemetryHistogram explicitBuckets = new(set, "explicit buckets", OpenTelemetryHistogram.ExplicitBuckets);
            OpenTelemetryHistogram exponential = new(set, "exponential", OpenTelemetryHistogram.Exponential);
            yield return new Row(section, explicitBuckets, threadLocal);
            yield return new Row(section, new ParallelContender(explicitBuckets), threadLocal);
            yield return new Row(section, exponential, threadLocal);
            yield return new Row(section, new ParallelContender(exponential), threadLocal);
        }

        Records<TRecorder> Of<THistogram, TRecorder>(string name, THistogram histogram, Func<THistogram, TRecorder> recorder)
            where THistogram : HdrHistogram
            where TRecorder : struct, IRecorder =>
            new(name, set, recorder(histogram), () => RecordContender.CountsOf(histogram));

        Records<ThroughBase> ThroughBase(string variant, HdrHistogram histogram) =>
            Of($"{variant}, through the base class HdrHistogram", histogram, any => new ThroughBase(any));
    }

    private static IEnumerable<Row> OfSummary()
    {
        const string Section = "Summary of a histogram from 0 to 1 h in nanoseconds, 0.1 %, 32-bit counters";
        Repeated pass = SummaryWorkload.Pass("one vectorized pass over the counters", VectorPasses.Sum512);
        yield return new Row(Section, pass);
        yield return new Row(Section, SummaryWorkload.Pass("the same pass with Vector<T>", VectorPasses.SumPortable), pass);
        yield return new Row(Section, SummaryWorkload.Summaries(), pass, 1.5);
    }

    private static IEnumerable<Row> OfScopes()
    {
        const string Section = "Empty scopes that record into a plain histogram";
        TwoReads<StopwatchTime> bare = new("two Stopwatch.GetTimestamp()");
        NanoScopes nano = new();
        yield return new Row(Section, bare);
        yield return new Row(Section, nano, bare, 4, IsDifference: true);
        yield return new Row(Section, new TwoReads<CycleTime>("two CycleClock.GetTimestamp()"), bare);
        yield return new Row(Section, new PicoScopes(), nano, 0.5);
    }
}
