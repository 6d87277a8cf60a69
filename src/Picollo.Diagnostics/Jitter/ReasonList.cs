namespace Picollo.Diagnostics;

/// <summary>What is not as asked, each once however many threads find it. Thread-safe; a list that was read does not change.</summary>
internal sealed class JitterLimits
{
    private readonly Lock _gate = new();
    private volatile string[] _all = [];

    public IReadOnlyList<string> All => _all;

    public void Add(string limit)
    {
        lock (_gate)
        {
            if (!_all.Contains(limit))
            {
                _all = [.. _all, limit];
            }
        }
    }
}
