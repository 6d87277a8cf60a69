namespace Picollo.Benchmarks.AspNet;

/// <summary><c>compare aspnet</c>: measures the effect of the middleware on the throughput of a server, its allocations, the cost of the list of
/// running requests, and the cost of a scrape. Takes less than three minutes.</summary>
/// <remarks>Each kind of server runs in a separate process. The servers are measured alternately, with <c>wrk</c> on the same
/// machine.</remarks>
internal static class AspNetComparison
{
    public const string Name = "aspnet";

    /// <summary>The argument with which this program runs one of the servers.</summary>
    public const string Serve = "serve";

    private const string Hello = "/hello", TwoAwaits = "/awaits";

    private const double TotalTarget = 0.92, SplitTarget = 0.85, BytesTarget = 328;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        PrintRequests(output);
        RunningRows.Print(output);
        ScrapeRows.Print(output);
        return 0;
    }

    private static void PrintRequests(TextWriter output)
    {
        using HelloProcess none = new("none"), noOp = new("no-op"), total = new("total"), split = new("split");
        RatePairs pairs = new();
        pairs.Add("no-op middleware", noOp, none, Hello);
        pairs.Add("total CPU", total, none, Hello, TotalTarget);
        pairs.Add("user and kernel", split, none, Hello, SplitTarget);
        pairs.Add("total CPU, two awaits", total, none, TwoAwaits);
        pairs.Print(output);

        FactTable table = new("Allocations of a request, compared with no middleware");
        AddAllocations(table, "total CPU", total, none, Hello, BytesTarget);
        AddAllocations(table, "user and kernel", split, none, Hello, BytesTarget);
        AddAllocations(table, "total CPU, two awaits", total, none, TwoAwaits);
        table.Print(output);
    }

    private static void AddAllocations(FactTable table, string name, HelloProcess with, HelloProcess without, string path, double? target = null)
    {
        double bytes = Math.Round(with.Measure(path, 1).AllocatedBytes - without.Measure(path, 1).AllocatedBytes);
        table.Add(name, bytes, target);
    }
}
