namespace Picollo.TestKit;

/// <summary>Keeps tests of large histograms below a gigabyte: the collector leaves garbage of large arrays for long.</summary>
internal static class Garbage
{
    private const long Most = 100_000_000;

    public static void CollectIfMuch()
    {
        if (GC.GetTotalMemory(forceFullCollection: false) > Most)
        {
            GC.Collect();
        }
    }
}
