using System.Globalization;

namespace Picollo.Cpu;

/// <summary>
/// How many threads were running, waiting for a CPU, or (on Linux) waiting uninterruptibly, averaged with exponential decay.
/// </summary>
/// <param name="OneMinute">With a time constant of one minute.</param>
/// <param name="FiveMinutes">With a time constant of five minutes.</param>
/// <param name="FifteenMinutes">With a time constant of fifteen minutes.</param>
/// <remarks>Not divided by the number of CPUs. Source: /proc/loadavg on Linux, getloadavg(3) on macOS.</remarks>
public readonly record struct LoadAverage(double OneMinute, double FiveMinutes, double FifteenMinutes)
{
    /// <summary>The three numbers as <c>top</c> and <c>uptime</c> print them; culture-invariant.</summary>
    /// <returns>For example <c>0.65, 0.33, 0.20</c>.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{OneMinute:0.00}, {FiveMinutes:0.00}, {FifteenMinutes:0.00}");
}
