using System.Runtime.Intrinsics.X86;
using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Histogram.Contenders;

namespace Picollo.Benchmarks.Histogram;

/// <summary>Who is compared with whom, and the targets.</summary>
internal static class HistogramRows
{
    /// <summary>Every row; without <paramref name="others"/> only what Picollo itself and its references do.</summary>
    public static List<Row> Create(bool others)
    {
        List<Row> rows = [.. OfValues(ValueSet.Wide, others), .. OfValues(ValueSet.Narrow, others)];
        rows.AddRange(OfSummary());
        rows.AddRange(OfScopes());
        return rows;
    }

    private static IEnumerable<Row> OfValues(ValueSet set, bool others)
    {
        string section = $"Record, {set} values";
        ArticleFormula<uint> article32 = new(set);
        ArticleFormula<ulong> article64 = new(set);
        Plain<uint> plain = new(set, RecordContender.Factory.Create());
        Plain<ulong> plain64 = new(set, RecordContender.Factory.WithUInt64Storage().Create());
        PlainThroughCall plainCall = new(set);
        ThreadLocal threadLocal = new(set);
        InterlockedVariant interlocked = new(set);
        BareInterlocked bareInterlocked = new(set);

        yield return new Row(section, new Floor(set));
        yield return new Row(section, article64);
        yield return new Row(section, article32);
        yield return new Row(section, plain64, article64, 0.68);
        yield return new Row(section, plain, article32, 0.72);
        yield return new Row(section, new PlainInStaticField(set), plain, 1.2);
        yield return new Row(section, plainCall, plain, 1.7);
        yield return new Row(section, new ThroughBase("plain", set, RecordContender.Factory.Create()), plain, 2);
        yield return new Row(section, new ThroughBase("thread-local", set, RecordContender.Factory.WithThreadLocal().Create()));
        yield return new Row(section, new ThroughBase("interlocked", set, RecordContender.Factory.WithInterlocked().Create()));
        yield return new Row(section, new PlainSpan(set), plain, Avx512CD.IsSupported ? 0.8 : 1);
        yield return new Row(section, threadLocal, plain, 1.15);
        yield return new Row(section, new ThreadLocalThroughCall(set), plainCall, 2);
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
    }

    private static IEnumerable<Row> OfSummary()
    {
        const string Section = "Summary of one hour of nanoseconds at 0.1 %, 32-bit";
        VectorPass pass = new();
        yield return new Row(Section, pass);
        yield return new Row(Section, new PortableVectorPass(), pass);
        yield return new Row(Section, new Summary(), pass, 1.5);
    }

    private static IEnumerable<Row> OfScopes()
    {
        const string Section = "Scopes, empty, into a plain histogram";
        TwoTimestamps bare = new();
        NanoScopes nano = new();
        yield return new Row(Section, bare);
        yield return new Row(Section, nano, bare, 4, IsDifference: true);
        yield return new Row(Section, new TwoCounterReads(), bare);
        yield return new Row(Section, new PicoScopes(), nano, 0.5);
    }
}
