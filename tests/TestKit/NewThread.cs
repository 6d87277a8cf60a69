using System.Runtime.ExceptionServices;

namespace Picollo.TestKit;

/// <summary>Runs code on new threads and waits for their end. The caller gets a failure, which would otherwise end the process.</summary>
internal static class NewThread
{
    /// <param name="action">The code to run.</param>
    /// <param name="flow">Whether the thread starts in the execution context of the caller.</param>
    public static void Run(Action action, bool flow = true) => Run(
        () =>
        {
            action();
            return 0;
        },
        flow);

    /// <inheritdoc cref="Run(Action, bool)"/>
    public static T Run<T>(Func<T> function, bool flow = true)
    {
        T result = default!;
        ExceptionDispatchInfo? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                result = function();
            }
            catch (Exception e)
            {
                failure = ExceptionDispatchInfo.Capture(e);
            }
        });
        if (flow)
        {
            thread.Start();
        }
        else
        {
            thread.UnsafeStart();
        }

        thread.Join();
        failure?.Throw();
        return result;
    }

    /// <summary>Runs the action on a number of concurrent threads, each with its own number from 0.</summary>
    public static void RunAll(int count, Action<int> action)
    {
        Exception? failure = null;
        Thread[] threads = [.. Enumerable.Range(0, count).Select(i => new Thread(() =>
        {
            try
            {
                action(i);
            }
            catch (Exception e)
            {
                failure = e;
            }
        }) { IsBackground = true })];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        if (failure is not null)
        {
            throw new InvalidOperationException("A thread failed.", failure);
        }
    }

    /// <summary>Repeats the action on a new thread, outside the execution context of the caller, until the result is disposed. The disposal
    /// waits for the end of the thread, and throws if the action failed.</summary>
    public static IDisposable Loop(Action action) => new Repetition(action);

    private sealed class Repetition : IDisposable
    {
        private readonly Thread _thread;
        private volatile bool _isOver;
        private ExceptionDispatchInfo? _failure;

        public Repetition(Action action)
        {
            _thread = new Thread(() =>
            {
                try
                {
                    while (!_isOver)
                    {
                        action();
                    }
                }
                catch (Exception e)
                {
                    _failure = ExceptionDispatchInfo.Capture(e);
                }
            })
            { IsBackground = true };
            _thread.UnsafeStart();
        }

        public void Dispose()
        {
            _isOver = true;
            _thread.Join();
            _failure?.Throw();
        }
    }
}
