namespace Picollo.Cli.Top;

/// <summary>How a line stands out.</summary>
internal enum TopStyle
{
    Plain,
    Bold,
    Reverse,
}

/// <summary>A line of a page.</summary>
/// <param name="Text">Without control characters, no wider than the page.</param>
/// <param name="Style">Of the whole line.</param>
internal readonly record struct TopLine(string Text, TopStyle Style = TopStyle.Plain);
