namespace Picollo.TestKit;

/// <summary>Keeps tests of large histograms below a gigabyte: the collector collects large arrays late.</summary>
internal static class Garbage
{
    private const long Most = 100_000_000;

    private static long _live; // bytes after the last collection, of all running tests

    public static void CollectIfMuch()
    {
        if (GC.GetTotalMemory(forceFullCollection: false) > Volatile.Read(ref _live) + Most)
        {
            GC.Collect();
            Volatile.Write(ref _live, GC.GetTotalMemory(forceFullCollection: false));
        }
    }
}
