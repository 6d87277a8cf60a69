using Picollo.AspNetCore.Usage;
using Picollo.Export;

namespace Picollo.AspNetCore.Page;

/// <summary>A subject's histograms at a moment, as a browser keeps them and sends them back: the server remembers no mark.</summary>
/// <param name="Time">The moment.</param>
/// <param name="Histograms">Each of them, encoded as V2 and compressed.</param>
internal sealed record Mark(DateTimeOffset Time, IReadOnlyList<byte[]> Histograms)
{
    /// <summary>Marks the present state.</summary>
    /// <exception cref="ArgumentException">A histogram has values that the encoding does not hold.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public static Mark Of(Subject subject, DateTimeOffset now) =>
        new(now, [.. subject.Registrations.Select(registration => HdrHistogramEncoding.EncodeCompressed(registration.Histogram))]);

    /// <summary>The histograms of the mark beside those of now.</summary>
    /// <exception cref="FormatException">It is no mark, or one of another subject.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public IReadOnlyList<MarkedPair> Compare(Subject subject)
    {
        // What a JSON text does not name is null here, whatever the types say; a null among them decodes as nothing does.
        if (Histograms is null || Histograms.Count != subject.Registrations.Count)
        {
            throw new FormatException("The mark has not the histograms that this has.");
        }

        return [.. subject.Registrations.Select((registration, i) =>
            MarkedPair.Of(HdrHistogramEncoding.Decode(Histograms[i]), registration.Histogram.GetSnapshot()))];
    }
}
