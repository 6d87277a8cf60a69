using Picollo.Interop.Native;

namespace Picollo.Timing;

/// <summary>Why timestamps come from <see cref="System.Diagnostics.Stopwatch"/>: each a cause and a remedy.</summary>
internal static class CycleClockReasons
{
    public static string NotReliable(string reason) =>
        $"This CPU's counter is not reliable: {reason}. {NativeShimReasons.Instead} On a virtual machine, look to the time-stamp "
        + "counter's settings of the hypervisor; on Linux, see /sys/devices/system/clocksource/clocksource0/current_clocksource for what "
        + "the kernel trusts.";
}
