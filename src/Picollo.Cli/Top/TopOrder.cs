namespace Picollo.Cli.Top;

/// <summary>Where a row stands in the list: by its number, and of those that are equal the smallest id first, so that a list does not
/// jump.</summary>
/// <param name="Key">Falling numbers are negated.</param>
/// <param name="Id">Of the row.</param>
/// <param name="Index">Of the row, in the sample.</param>
internal readonly record struct TopOrder(double Key, long Id, int Index) : IComparable<TopOrder>
{
    /// <summary>Below all: what is not known comes last of falling numbers.</summary>
    private const double Unknown = -1;

    public static TopOrder Of(in TopRow row, int index, TopSettings settings)
    {
        double number = settings.Sort switch
        {
            TopSort.Memory => row.Process.ResidentBytes ?? Unknown,
            TopSort.Time => row.Usage.TotalNanoseconds,
            TopSort.Pid => row.Id,
            TopSort.Wait => row.WaitShare ?? Unknown,
            _ => row.Share ?? Unknown,
        };
        return new(settings.IsReversed ? number : -number, row.Id, index);
    }

    public int CompareTo(TopOrder other)
    {
        int order = Key.CompareTo(other.Key);
        return order != 0 ? order : Id.CompareTo(other.Id);
    }
}
