using System.Xml.Linq;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>Finds the strips of a plot that have tooltips, in their order.</summary>
internal sealed class SvgStrips(string fragment)
{
    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";

    private readonly string[] _ranks =
        [.. XElement.Parse(fragment).Elements(Svg + "rect").Select(strip => strip.Element(Svg + "title")!.Value.Split('\n')[0])];

    public int IndexOf(string rank) => Array.IndexOf(_ranks, rank);
}
