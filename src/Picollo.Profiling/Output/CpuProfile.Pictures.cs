using Picollo.Profiling.Output;

namespace Picollo.Profiling;

/// <content>The pictures: a flame graph and a page.</content>
public sealed partial class CpuProfile
{
    /// <summary>Writes a flame graph as an SVG file: a box for each function on each path of calls, as wide as its share of the samples,
    /// above the boxes of what it called.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter file = File.CreateText("profile.svg");
    /// profile.WriteSvg(file);
    /// </code>
    /// <para>Blue is managed code, green native code, vermillion the kernel, and purple code without a name. Boxes narrower than 0.1 % of
    /// the picture are left out. The tooltip of a box has the whole name and the numbers. The file has no script and loads nothing, and is
    /// light or dark as the reader's system is.</para>
    /// <para>Thread-safe. Deterministic: the same profile gives the same text, in any culture.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteSvg(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Write(FlameGraph.Draw(this));
    }

    /// <summary>Writes an HTML page: a flame graph to zoom and to search, and tables of functions, of calls and of callers.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter page = File.CreateText("profile.html");
    /// profile.WriteHtml(page);
    /// </code>
    /// <para>The page is one file, which loads nothing and works from a disk. Its content-security policy allows its own style and script
    /// only. It is light or dark as the reader's system is.</para>
    /// <para>In a profile of more than 20,000 nodes, the smallest ones are merged into <c>(other)</c>, each below its caller, and a note on
    /// the page states which. Names of more than 1,000 letters are shortened. A page has about 35 KB,
    /// 8 bytes for each node, and the names.</para>
    /// <para>Thread-safe. Deterministic: the same profile gives the same page, in any culture.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteHtml(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        ProfilePage.Write(output, this);
    }
}
