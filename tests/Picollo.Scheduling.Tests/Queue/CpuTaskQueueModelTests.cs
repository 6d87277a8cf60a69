using FsCheck;
using FsCheck.Fluent;

namespace Picollo.Scheduling.Tests.Queue;

/// <summary>Runs random commands on the queue and on the model. FsCheck shrinks them to the shortest sequence with different results, and its
/// message has the seed.</summary>
public class CpuTaskQueueModelTests
{
    private const int Cases = 2_000;
    private const int Slice = 10;

    private static readonly CpuTaskPriority[] Priorities = [CpuTaskPriority.Low, CpuTaskPriority.Normal, CpuTaskPriority.High];

    public enum Action
    {
        Add,
        PutBack,
        Remove,
        Take,
        TakeUnstarted,
    }

    // Choices are taken modulo the number of options, so that every sequence is valid, including shrunk ones.
    public sealed record Command(Action Action, int Choice, int Time);

    private static readonly Gen<Command> AnyCommand =
        from action in Gen.Frequency(
            (6, Gen.Constant(Action.Add)), (2, Gen.Constant(Action.PutBack)), (2, Gen.Constant(Action.Remove)), (5, Gen.Constant(Action.Take)), (1, Gen.Constant(Action.TakeUnstarted)))
        from choice in Gen.Choose(0, 1_000)
        from time in Gen.Choose(0, 2 * Slice)
        select new Command(action, choice, time);

    private static readonly Arbitrary<Command[]> AnyCommands = Arb.From(
        AnyCommand.ArrayOf(), commands => commands.Select((_, cut) => commands.Where((_, i) => i != cut).ToArray()));

    [Fact]
    public void The_queue_behaves_like_the_model_and_loses_no_task() => Prop.ForAll(AnyCommands, commands =>
    {
        var machine = new Machine();
        Array.ForEach(commands, machine.Do);
        machine.ShouldAgree();
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases).WithEndSize(200));

    /// <summary>Both queues, two workers that take tasks from them, and all tasks.</summary>
    private sealed class Machine
    {
        private readonly CpuTaskQueue _queue = new(Slice);
        private readonly QueueModel _model = new(Slice);
        private readonly long[] _overtaken = new long[2];
        private readonly List<CpuTask> _waiting = [];
        private readonly List<CpuTask> _running = [];
        private long _now = 1_000;
        private int _created;

        public void Do(Command command)
        {
            _now += command.Time;
            switch (command.Action)
            {
                case Action.Add: Add(command.Choice); break;
                case Action.PutBack: PutBack(command.Choice); break;
                case Action.Remove: Remove(command.Choice); break;
                case Action.Take: Take(command.Choice % 2, command.Time); break;
                default: TakeUnstarted(); break;
            }

            _queue.Count.Should().Be(_model.Count);
            foreach (CpuTask running in _running)
            {
                long since = _now - command.Choice;
                _queue.AnyInterrupts(running, since).Should().Be(_model.AnyInterrupts(running, since));
            }
        }

        /// <summary>Checks that both queues return the remaining tasks in the same order.</summary>
        public void ShouldAgree()
        {
            while (_queue.Count > 0)
            {
                Take(worker: 0);
            }

            _model.Count.Should().Be(0);
            Take(worker: 0);
        }

        // A task that arrives, or has used up its slice.
        private void Add(int choice)
        {
            CpuTask task;
            if (_running.Count > 0 && choice % 3 == 0)
            {
                task = Pick(_running, choice);
                task.IsShort = false;
            }
            else
            {
                task = QueueTasks.Create($"{_created++}", Priorities[choice % 3], isShort: choice % 2 == 0, hasStarted: choice % 5 == 0);
            }

            task.SliceDueSince = task.WaitingSince = _now;
            _waiting.Add(task);
            _queue.Add(task);
            _model.Add(task);
        }

        private void PutBack(int choice)
        {
            if (_running.Count > 0)
            {
                CpuTask task = Pick(_running, choice);
                task.WaitingSince = _now;
                _waiting.Add(task);
                _queue.PutBack(task);
                _model.PutBack(task);
            }
        }

        private void Remove(int choice)
        {
            if (_waiting.Count > 0)
            {
                CpuTask task = Pick(_waiting, choice);
                _queue.Remove(task);
                _model.Remove(task);
            }
        }

        private void Take(int worker, int time = 0)
        {
            long ofModel = _overtaken[worker];
            (CpuTask? expected, bool expectedOvertaking, bool expectedWhole) = _model.Take(ref ofModel);
            CpuTask? taken = _queue.Take(ref _overtaken[worker], out bool isOvertaking, out bool isWhole);

            taken.Should().BeSameAs(expected);
            (isOvertaking, isWhole).Should().Be((expectedOvertaking, expectedWhole));
            _overtaken[worker].Should().Be(ofModel);
            _overtaken[worker] += isOvertaking ? time : 0;
            if (taken is not null)
            {
                _waiting.Remove(taken).Should().BeTrue();
                _running.Add(taken);
            }
        }

        private void TakeUnstarted()
        {
            List<CpuTask> taken = _queue.TakeUnstarted();

            taken.Exists(task => task.HasStarted).Should().BeFalse();
            taken.ToHashSet().SetEquals(_model.TakeUnstarted()).Should().BeTrue();
            _waiting.RemoveAll(taken.Contains).Should().Be(taken.Count);
        }

        private static CpuTask Pick(List<CpuTask> from, int choice)
        {
            CpuTask task = from[choice % from.Count];
            from.Remove(task);
            return task;
        }
    }
}
