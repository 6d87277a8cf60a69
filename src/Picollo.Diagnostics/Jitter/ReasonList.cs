namespace Picollo.Diagnostics;

/// <summary>What is not as asked, each once however many threads find it. Thread-safe; a list that was read does not change.</summary>
internal sealed class ReasonList
{
    private readonly Lock _gate = new();
    private volatile string[] _all = [];

    public IReadOnlyList<string> All => _all;

    public void Add(string reason)
    {
        lock (_gate)
        {
            if (!_all.Contains(reason))
            {
                _all = [.. _all, reason];
            }
        }
    }
}
