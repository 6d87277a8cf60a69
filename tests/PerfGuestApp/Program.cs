// Prints facts as "name=value", for the tests that boot a machine with this program on it.
using System.Globalization;
using Picollo.Cpu;
using Picollo.PerfEvent;

static void Fact(string name, object? value) => Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name}={value}"));

using (var clock = new ThreadCpuClock())
{
    Fact("reads-in-user-space", clock.ReadsInUserSpace);
    Fact("clock-problem", clock.UnavailableReason);
}

var software = PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults);
using (PerfEventCounterSession session = software.Create())
{
    session.Read();
    ThreadClocks.Touch(new byte[1 << 20]);
    session.Read();
    Fact("page-faults", session.Counters[0].Delta);
}

var hardware = PerfEventCounterSession.Factory.WithHardwareCounter(PerfHardwareCounterId.CpuCycles);
bool isCreated = hardware.TryCreate(out PerfEventCounterSession? counted, out string? problem);
counted?.Dispose();
Fact("hardware-problem", isCreated ? "none" : problem);

Fact("thread-clock-errors", ThreadClocks.Follow(threads: 3, rounds: 2000, out long furthest));
Fact("thread-clock-furthest-nanoseconds", furthest);
