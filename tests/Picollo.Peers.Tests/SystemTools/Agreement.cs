namespace Picollo.Peers.Tests.SystemTools;

/// <summary>When two samplers of a machine agree.</summary>
/// <remarks>
/// <para>
/// Both read the same counters, a moment apart. A share may differ by the counters' step, 10 ms at either end of the interval, and
/// for processes in each of user and kernel time: 0.01 of a CPU over the two seconds and more that are compared here, 0.02 for a process. And
/// by what happened between the one's reading and the other's: a pipe's latency, a millisecond or so, but 50 and more while
/// other programs have both CPUs. 0.05 covers a reading that is 100 ms late in an interval of 2 s. (Seen on two CPUs under a load of nine: 0.005 at most.)
/// </para>
/// <para>
/// A machine that is busy with other things may be later than that, so there are a few attempts. A wrong column, unit or
/// divisor is wrong by more than the tolerance in every one of them: the loads are a whole CPU, and pinned.
/// </para>
/// </remarks>
internal static class Agreement
{
    public const double Tolerance = 0.05;

    private const int Attempts = 4;

    /// <summary>Compares until the two agree, at most a few times.</summary>
    /// <param name="compare">What the tool says, and what Picollo says, by name.</param>
    public static void Reach(Func<IEnumerable<(string What, double Theirs, double? Ours)>> compare)
    {
        List<string> disagreements = [];
        for (int attempt = 1; attempt <= Attempts; attempt++)
        {
            (string What, double Theirs, double? Ours)[] shares = [.. compare()];
            shares.Should().NotBeEmpty();
            string[] wrong = [.. shares.Where(each => !(Math.Abs(each.Theirs - each.Ours ?? double.NaN) <= Tolerance))
                .Select(each => $"attempt {attempt}: {each.What} is {each.Ours:0.000} here and {each.Theirs:0.000} there")];
            if (wrong.Length == 0)
            {
                return;
            }

            disagreements.AddRange(wrong);
        }

        disagreements.Should().BeEmpty();
    }
}
