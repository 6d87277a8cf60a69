namespace Picollo.TestKit;

/// <summary>Keeps tests of large histograms below a gigabyte: the collector leaves garbage of large arrays for long.</summary>
internal static class Garbage
{
    private const long Most = 100_000_000;

    private static long _live; // after the last collection, of all tests that run

    public static void CollectIfMuch()
    {
        if (GC.GetTotalMemory(forceFullCollection: false) > Volatile.Read(ref _live) + Most)
        {
            GC.Collect();
            Volatile.Write(ref _live, GC.GetTotalMemory(forceFullCollection: false));
        }
    }
}
