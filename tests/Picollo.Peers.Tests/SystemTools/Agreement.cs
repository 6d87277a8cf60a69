namespace Picollo.Peers.Tests.SystemTools;

/// <summary>Compares the values of two samplers of a machine.</summary>
/// <remarks>
/// <para>
/// Both read the same counters at slightly different times. A share may differ by the resolution of the counters, which is 10 ms at each end
/// of the interval, and for processes in each of user and kernel time: 0.01 of a CPU over the two seconds or more that are compared here, 0.02
/// for a process. It may also differ by the time between the two readings, which is the latency of a pipe: about 1 ms, but 50 ms or more while
/// other programs use both CPUs. 0.05 covers a reading that is 100 ms late in an interval of 2 s. (Seen on two CPUs under a load of nine: 0.005 at most.)
/// </para>
/// <para>
/// On a busy machine, readings may be later, so there are several attempts, of which one is enough. A wrong column, unit or divisor exceeds the tolerance in every
/// attempt, because each load uses a whole CPU to which it is pinned.
/// </para>
/// </remarks>
internal static class Agreement
{
    public const double Tolerance = 0.05;

    private const int Attempts = 12;

    /// <summary>Compares until the values agree, for a limited number of attempts.</summary>
    /// <param name="compare">A function that returns the values of the tool and of Picollo by name.</param>
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
