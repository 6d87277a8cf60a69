namespace Picollo.Export.Plots;

/// <summary>A line of a chart.</summary>
/// <param name="Name">For the legend.</param>
/// <param name="Levels">A level for each column of the chart; NaN where there is none.</param>
/// <param name="Look">The line's number in <see cref="PlotPalette"/>.</param>
/// <param name="IsFilled">Whether the area between it and the axis is tinted.</param>
internal sealed record PlotLine(string Name, double[] Levels, int Look, bool IsFilled = false);

/// <summary>What many lines lie between, where there are more than can be told apart.</summary>
/// <param name="Count">How many lines.</param>
/// <param name="Low">The lowest level of each column; NaN where there is none.</param>
/// <param name="High">The highest.</param>
internal sealed record PlotBand(int Count, double[] Low, double[] High);

/// <summary>A vertical strip of a chart and what it says when it is pointed at.</summary>
internal readonly record struct PlotStrip(double From, double To, string Text);
