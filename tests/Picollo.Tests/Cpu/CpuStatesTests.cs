using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

public class CpuStatesTests
{
    private static readonly CpuState[] All = Enum.GetValues<CpuState>();

    [Fact]
    public void Each_state_has_its_own_property()
    {
        CpuStateTimes before = default, after = default;
        foreach (CpuState state in All)
        {
            before = before.With(state, 0);
            after = after.With(state, 1_000_000 << (int)state);
        }

        CpuStates states = CpuStates.Between(null, before, after);

        const double Sum = 1_023;
        double?[] shares = Shares(states);
        shares.Should().Equal(All.Select(state => (double?)((1 << (int)state) / Sum)));
        All.Select(state => after[state]).Should().Equal(All.Select(state => (TimeSpan?)TimeSpan.FromMilliseconds(1 << (int)state)));
    }

    [Fact]
    public void A_state_that_the_system_does_not_distinguish_is_absent()
    {
        CpuStates states = CpuStates.Between(null, Times((CpuState.User, 1), (CpuState.Idle, 1)), Times((CpuState.User, 2), (CpuState.Idle, 2), (CpuState.Steal, 9)));

        states.Steal.Should().BeNull("the first sample did not have it");
        states.IOWait.Should().BeNull();
        states.Should().NotBe(
            CpuStates.Between(null, Times((CpuState.User, 1), (CpuState.Idle, 1)), Times((CpuState.User, 2), (CpuState.Idle, 3))));
        (states.User + states.Idle).Should().Be(1);
    }

    [Fact]
    public void Without_a_tick_between_the_samples_there_are_counters_but_no_shares()
    {
        CpuStateTimes times = Times((CpuState.User, 100), (CpuState.Idle, 5_000));

        CpuStates states = CpuStates.Between(1, times, times);

        states.HasShares.Should().BeFalse();
        states.User.Should().BeNull();
        states.Idle.Should().BeNull();
        states.ToString().Should().Be("no time passed");
        default(CpuStates).HasShares.Should().BeFalse();
        default(CpuStateTimes)[CpuState.User].Should().BeNull();
    }

    [Fact]
    public void Shares_add_up_to_1_for_any_counters() => Seeded.Run(500, random =>
    {
        CpuStates states = CpuStates.Between(null, AnyTimes(random), AnyTimes(random));
        double?[] shares = Shares(states);

        shares.OfType<double>().Should().NotContain(share => !(share >= 0 && share <= 1));
        shares.Any(share => share is not null).Should().Be(states.HasShares);
        if (states.HasShares)
        {
            shares.Sum().Should().BeApproximately(1, 1e-9);
        }
    });

    [FactNeeding(Need.Cultures)]
    public void The_line_has_the_format_of_top_in_every_culture()
    {
        Cultures.RunInGerman(() =>
        {
            Shown(505, 5, 0, 490, 0, 0, 0, 0, 0, 0)
                .Should().Be("50.5 us,  0.5 sy,  0.0 ni, 49.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st");
            Shown(1_000, 0, 0, 0, 0, 0, 0, 0, 0, 0)
                .Should().Be("100.0 us,  0.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st");
            Shown(0, 100, 0, 300, 0, 0, 0, 0, 500, 100)
                .Should().Be(" 0.0 us, 10.0 sy,  0.0 ni, 30.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st, 50.0 gu, 10.0 gn");
            CpuStates.Between(null, Times((CpuState.User, 0), (CpuState.Idle, 0)), Times((CpuState.User, 1), (CpuState.Idle, 3))).ToString()
                .Should().Be("25.0 us, 75.0 id");
        });

        static string Shown(int us, int sy, int ni, int id, int wa, int hi, int si, int st, int gu, int gn)
        {
            (CpuState, long)[] after =
            [
                (CpuState.User, us), (CpuState.System, sy), (CpuState.Nice, ni), (CpuState.Idle, id), (CpuState.IOWait, wa),
                (CpuState.HardIrq, hi), (CpuState.SoftIrq, si), (CpuState.Steal, st), (CpuState.Guest, gu), (CpuState.GuestNice, gn),
            ];
            return CpuStates.Between(null, Times([.. after.Select(each => (each.Item1, 0L))]), Times(after)).ToString();
        }
    }

    private static double?[] Shares(CpuStates states) =>
    [
        states.User, states.Nice, states.System, states.Idle, states.IOWait, states.HardIrq, states.SoftIrq, states.Steal,
        states.Guest, states.GuestNice,
    ];

    /// <summary>Times in milliseconds.</summary>
    internal static CpuStateTimes Times(params (CpuState State, long Milliseconds)[] times) =>
        times.Aggregate(default(CpuStateTimes), (all, each) => all.With(each.State, each.Milliseconds * 1_000_000));

    private static CpuStateTimes AnyTimes(Random random)
    {
        CpuStateTimes times = default;
        foreach (CpuState state in All)
        {
            if (random.Next(4) > 0)
            {
                times = times.With(state, random.NextInt64() >> random.Next(64));
            }
        }

        return times;
    }
}
