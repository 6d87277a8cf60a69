using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>Creates the names of the histograms in one table.</summary>
internal static class SeriesNames
{
    /// <summary>Returns the name of each histogram with the labels in which it differs from other histograms of the same name. Labels that
    /// all of them share are omitted to save space. A name that occurs once has all its labels.</summary>
    public static IReadOnlyList<string> Of(IReadOnlyList<HdrHistogramRegistration> all)
    {
        Dictionary<string, HashSet<KeyValuePair<string, string>>> shared = [];
        foreach (IGrouping<string, HdrHistogramRegistration> series in all.GroupBy(one => one.Name))
        {
            HashSet<KeyValuePair<string, string>> common = [.. series.First().Labels];
            foreach (HdrHistogramRegistration one in series)
            {
                common.IntersectWith(one.Labels);
            }

            shared[series.Key] = series.Count() == 1 ? [] : common;
        }

        return
        [
            .. all.Select(one => new HdrHistogramRegistration(
                one.Name, one.Histogram, one.Description, [.. one.Labels.Where(label => !shared[one.Name].Contains(label))]).ToString()),
        ];
    }
}
