using System.ComponentModel;

namespace Picollo.Metrics;

// Programs for Picollo v0.1 set the selection of the process. Other code should call GetValue with a selection.
public readonly partial record struct Percentile
{
    /// <summary>The selection of the bucket value that <see cref="Value"/> returns. It applies to all reads in the process that start after
    /// it is set. The default is <see cref="EquivalentValueSelection.Midpoint"/>, the only selection with the relative error of the
    /// histogram.</summary>
    /// <remarks>Only applications should set it, once at startup. A library that sets it changes the values for all other code of the
    /// process; it should call <see cref="GetValue"/> instead. Percentiles and summaries keep the selection that applied when they were
    /// read; a summary that is filled again uses the new one. Thread-safe.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is not a defined selection.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static EquivalentValueSelection DefaultEquivalentValueSelection
    {
        get;
        set => field = value == EquivalentValueSelection.Default ? EquivalentValueSelection.Midpoint
            : Enum.IsDefined(value) ? value
            : throw UndefinedSelection(nameof(value), value);
    } = EquivalentValueSelection.Midpoint;
}
