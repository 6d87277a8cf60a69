using Picollo.AspNetCore.Profiles;

namespace Picollo.AspNetCore.Tests.Profiles;

/// <summary>Lets profiles take until their end comes, however busy the machine is.</summary>
internal sealed class ProfileEnd : TimeProvider
{
    private readonly List<ITimer> _held = [];

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        bool isHeld = dueTime == CpuProfiles.Duration;
        ITimer timer = base.CreateTimer(callback, state, isHeld ? Timeout.InfiniteTimeSpan : dueTime, period);
        if (isHeld)
        {
            _held.Add(timer);
        }

        return timer;
    }

    public void Come()
    {
        _held.ForEach(timer => timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        _held.Clear();
    }
}
