using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Timers that many times as fast.</summary>
internal sealed class HastyTimers(double factor) : TimeProvider
{
    /// <summary>Has a server's stream send ten times a second, for six seconds.</summary>
    public static void TenTimes(WebApplicationBuilder builder) => builder.Services.AddSingleton<TimeProvider>(new HastyTimers(10));

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        base.CreateTimer(callback, state, dueTime / factor, period / factor);
}
