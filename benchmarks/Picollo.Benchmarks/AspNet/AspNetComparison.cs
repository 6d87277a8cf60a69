namespace Picollo.Benchmarks.AspNet;

/// <summary><c>compare aspnet</c>: what the middleware takes of a server's throughput and what it allocates, what the list of running
/// requests takes, and what a scrape costs; in
/// under three minutes.</summary>
/// <remarks>Each kind of server is a process of its own, compiled for what it serves, and they are measured in turns, by <c>wrk</c> on the same
/// machine.</remarks>
internal static class AspNetComparison
{
    public const string Name = "aspnet";

    /// <summary>The verb that makes this process one of the servers.</summary>
    public const string Serve = "serve";

    private const string Hello = "/hello", TwoAwaits = "/awaits";

    private const double TotalTarget = 0.92, SplitTarget = 0.85, BytesTarget = 160;

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

        FactTable table = new("Allocated for a request, beyond no middleware");
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
