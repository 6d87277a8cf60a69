using Picollo.PerfEvent;

namespace Picollo.HelperApp.Faults;

internal static class Tracepoints
{
    public static void Run()
    {
        if (!PerfEventCounterSession.Factory.WithTracepoint("sched:sched_switch").TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure))
        {
            Findings.Print("problem", failure.Message);
            return;
        }

        using (session)
        {
            session.Read();
            for (int i = 0; i < 5; i++)
            {
                Thread.Sleep(1);
            }

            session.Read();
            Findings.Print("name", session.Counters[0].Name);
            Findings.Print("switches", session.Counters[0].Delta.Value);
        }
    }
}
