using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Encoding.Contenders;

namespace Picollo.Benchmarks.Encoding;

/// <summary><c>compare encode</c>: encoded histograms against the HdrHistogram family's Java library, in half a minute.</summary>
internal static class EncodingComparison
{
    public const string Name = "encode";

    private const int Repetitions = 401;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        EncodingWorkload workload = EncodingWorkload.Create();
        Dictionary<string, Figures>? javas = JavaLibrary.Measure(workload, out string? reason);
        if (javas is null)
        {
            output.WriteLine();
            output.WriteLine($"not measured: the Java library: {reason}");
        }

        List<Row> rows = [.. EncodingRows.Create(workload, with: javas is not null)];
        Dictionary<Contender, Figures> figures = Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions);
        foreach (JavaFigure java in rows.Select(row => row.Against).OfType<JavaFigure>())
        {
            figures[java] = javas![java.Key];
        }

        TimeReport.Print(output, rows, figures);
        PrintJavas(output, rows, figures);
        PrintBytes(output, workload);
        return 0;
    }

    private static void PrintJavas(TextWriter output, List<Row> rows, Dictionary<Contender, Figures> figures)
    {
        TextTable table = new("The Java library, in a JVM of its own, warmed", "median ns", "min ns");
        foreach (Contender java in rows.Select(row => row.Against).OfType<JavaFigure>().Distinct())
        {
            table.Add(java.Name, TimeReport.Number(figures[java].Median), TimeReport.Number(figures[java].Minimum));
        }

        table.Print(output);
    }

    private static void PrintBytes(TextWriter output, EncodingWorkload workload)
    {
        long histogram = workload.Decoded.FootprintInBytes;
        FactTable table = new("Sizes and what a call allocates");
        table.Add("the histogram decoded", histogram);
        table.Add("encoded", workload.Encoded.Length);
        table.Add("encoded, compressed", workload.Compressed.Length);
        table.Add("allocated by Encode into a writer", AllocatedBytes(new EncodeIntoWriter(workload)), 100);
        table.Add("allocated by Decode", AllocatedBytes(new Decode("Decode", workload.Encoded, workload)), histogram + 1_000);
        table.Add("allocated by Decode, compressed", AllocatedBytes(new Decode("Decode", workload.Compressed, workload)), histogram + 100_000);
        table.Print(output);
    }

    private static double AllocatedBytes(Contender contender)
    {
        const int Operations = 100;
        contender.Run(Operations);
        long before = GC.GetAllocatedBytesForCurrentThread();
        contender.Run(Operations);
        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Operations;
    }
}
