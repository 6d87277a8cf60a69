using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>A time provider whose timers are faster by a factor.</summary>
internal sealed class FastTimers(double factor) : TimeProvider
{
    /// <summary>Makes the stream of a server send events ten times per second, for six seconds.</summary>
    public static void TenTimes(WebApplicationBuilder builder) => builder.Services.AddSingleton<TimeProvider>(new FastTimers(10));

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        base.CreateTimer(callback, state, Faster(dueTime), Faster(period));

    private TimeSpan Faster(TimeSpan time) => time == Timeout.InfiniteTimeSpan ? time : time / factor;
}
