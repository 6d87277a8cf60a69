namespace Picollo.TestKit;

/// <summary>Keeps the memory of tests with large histograms below a gigabyte, because the garbage collector collects large arrays late.</summary>
internal static class Garbage
{
    private const long Most = 100_000_000;

    private static long _live; // bytes after the last collection, of all running tests

    public static void CollectIfGrown()
    {
        if (GC.GetTotalMemory(forceFullCollection: false) > Volatile.Read(ref _live) + Most)
        {
            GC.Collect();
            Volatile.Write(ref _live, GC.GetTotalMemory(forceFullCollection: false));
        }
    }
}
