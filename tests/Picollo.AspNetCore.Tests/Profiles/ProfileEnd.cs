using System.Collections.Concurrent;
using Picollo.AspNetCore.Profiles;

namespace Picollo.AspNetCore.Tests.Profiles;

/// <summary>Lets a test decide when profiles end, so that they cover its work on a busy machine, too.</summary>
internal sealed class ProfileEnd : TimeProvider
{
    private readonly ConcurrentQueue<ITimer> _held = [];

    /// <summary>Whether a profile has started and has not ended.</summary>
    public bool IsAwaited => !_held.IsEmpty;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        bool isHeld = dueTime == CpuProfiles.Duration;
        ITimer timer = base.CreateTimer(callback, state, isHeld ? Timeout.InfiniteTimeSpan : dueTime, period);
        if (isHeld)
        {
            _held.Enqueue(timer);
        }

        return timer;
    }

    public void Fire()
    {
        while (_held.TryDequeue(out ITimer? timer))
        {
            timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        }
    }
}
