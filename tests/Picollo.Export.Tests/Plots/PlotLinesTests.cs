using Picollo.Export.Plots;

namespace Picollo.Export.Tests.Plots;

public class PlotLinesTests
{
    [Fact]
    public void A_series_without_levels_does_not_change_the_band()
    {
        PlotLines lines = new();
        PlotSeries any = PlotSeries.ReadAll([new("any", PercentilePlotTests.One(1))])[0];
        for (int i = 0; i < PlotPalette.Count; i++)
        {
            lines.Add(any, [0, 0, 0], isFilled: false);
        }

        lines.Add(any, [1, double.NaN, double.NaN], isFilled: false);
        lines.Add(any, [double.NaN, 2, double.NaN], isFilled: false);
        lines.Add(any, [3, 1, double.NaN], isFilled: false);

        lines.Band!.Count.Should().Be(3);
        lines.Band.Low.Should().Equal(1, 1, double.NaN);
        lines.Band.High.Should().Equal(3, 2, double.NaN);
    }
}
