using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>Records the same pause in four units into one histogram. A histogram does not have a unit.</summary>
public static class Scopes
{
    public static void Run(int milliseconds = 1_000)
    {
        var histogram = HdrHistogram.Factory.WithMaxTrackableValue(NanoScope.OneSecondValue * 2).Create();

        using (histogram.GetTickScope())
        {
            Thread.Sleep(milliseconds);
        }

        using (histogram.GetNanoScope())
        {
            Thread.Sleep(milliseconds);
        }

        using (histogram.GetMicroScope())
        {
            Thread.Sleep(milliseconds);
        }

        using (histogram.GetMilliScope())
        {
            Thread.Sleep(milliseconds);
        }

        histogram.GetSummary().PrettyPrint();
    }
}
