namespace Picollo.Cpu;

/// <summary>The processes or the threads of a sample, in the order in which they were found, and to be found by id.</summary>
internal sealed class TaskTable
{
    private readonly Dictionary<long, int> _indexes = [];
    private readonly SampleList<TaskSample> _tasks = new();

    public ReadOnlySpan<TaskSample> Tasks => _tasks.AsSpan();

    public int Count => _tasks.Count;

    public void Clear()
    {
        _indexes.Clear();
        _tasks.Clear();
    }

    /// <summary>Adds a task, unless there is one with its id: a listing that changes while it is read may name one twice.</summary>
    public void Add(in TaskSample task)
    {
        if (_indexes.TryAdd(task.Id, _tasks.Count))
        {
            _tasks.Add(task);
        }
    }

    public bool TryFind(long id, out TaskSample task)
    {
        bool known = _indexes.TryGetValue(id, out int index);
        task = known ? _tasks.AsSpan()[index] : default;
        return known;
    }
}
