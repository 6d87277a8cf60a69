using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>The same pause, recorded in four units into one histogram: it knows no unit, what goes in comes out.</summary>
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
