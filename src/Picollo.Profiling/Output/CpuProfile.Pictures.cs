using Picollo.Profiling.Output;

namespace Picollo.Profiling;

/// <content>Graphical output: a flame graph and a page.</content>
public sealed partial class CpuProfile
{
    /// <summary>Writes a flame graph as an SVG file: a box for each function on each call path, with a width proportional to its samples,
    /// above the boxes of its callees.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter file = File.CreateText("profile.svg");
    /// profile.WriteSvg(file);
    /// </code>
    /// <para>Blue marks managed code, green marks native code, vermilion marks the kernel, and purple marks code without a name. Boxes
    /// narrower than 0.1 % of the image are omitted. The tooltip of a box has the whole name and the numbers. The file has no script and no
    /// external resources, and follows the light or dark mode of the system.</para>
    /// <para>Thread-safe. Deterministic: a profile always produces the same text, in any culture.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteSvg(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Write(FlameGraph.Draw(this));
    }

    /// <summary>Writes an HTML page: a flame graph with zoom and search, and tables of functions, callees and callers.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter page = File.CreateText("profile.html");
    /// profile.WriteHtml(page);
    /// </code>
    /// <para>The page is a single file without external resources, which can be opened from a disk. Its content security policy permits
    /// only its own style and script. It follows the light or dark mode of the system.</para>
    /// <para>If a profile has more than 20,000 nodes, the smallest ones are merged into <c>(other)</c>, each below its caller, and a note
    /// on the page describes the limit. Names of more than 1,000 characters are shortened. The size of a page is about 35 KB plus 8 bytes
    /// per node and the names.</para>
    /// <para>Thread-safe. Deterministic: a profile always produces the same page, in any culture.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteHtml(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        ProfilePage.Write(output, this);
    }
}
