using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;

namespace Picollo.Tests.Conventions;

/// <summary>An exception in a static initializer breaks its type until the end of the process. So no static initializer waits, which throws
/// in an interrupted thread, starts a thread, accesses files or processes, or calls code of the application.</summary>
public class StaticInitializerTests
{
    private static readonly Type[] Forbidden =
    [
        typeof(Thread), typeof(ThreadPool), typeof(Monitor), typeof(Lock), typeof(WaitHandle), typeof(SemaphoreSlim), typeof(Barrier),
        typeof(ManualResetEventSlim), typeof(CountdownEvent), typeof(ReaderWriterLockSlim), typeof(SpinWait), typeof(Task), typeof(Timer),
        typeof(Parallel), typeof(Process), typeof(File), typeof(Directory), typeof(FileStream), typeof(ActivitySource),
    ];

    /// <summary>Calls that cannot wait or throw.</summary>
    private static readonly string[] Permitted =
    [
        "Thread.get_CurrentThread", "Lock..ctor", "SemaphoreSlim..ctor",
        "ManualResetEvent..ctor", "Lock.EnterScope", "Lock.Exit", "Monitor.Exit",
    ];

    private static readonly Assembly[] Assemblies =
        [.. PublicSurface.Assemblies.Where(assembly => !assembly.GetName().Name!.Contains("Analyzers", StringComparison.Ordinal))];

    [Fact]
    public void Static_initializers_do_not_wait_and_do_not_call_code_of_the_application()
    {
        ConstructorInfo[] initializers =
            [.. Assemblies.SelectMany(assembly => assembly.GetTypes()).Select(type => type.TypeInitializer).OfType<ConstructorInfo>()];
        initializers.Should().HaveCountGreaterThan(100);
        initializers.SelectMany(initializer => FaultsOf(initializer, [initializer])).Distinct().Should().BeEmpty();
    }

    /// <summary>Searches the methods that an initializer calls, too. Delegates and virtual calls are not followed.</summary>
    private static IEnumerable<string> FaultsOf(ConstructorInfo initializer, List<MethodBase> reached)
    {
        for (int i = 0; i < reached.Count; i++)
        {
            MethodBase method = reached[i];
            foreach ((OpCode instruction, MemberInfo member) in CallsIn(method))
            {
                MethodBase called = (MethodBase)member;
                Type declaring = called.DeclaringType!;
                string name = $"{declaring.Name}.{called.Name}";
                if (Forbidden.Any(type => type.IsAssignableFrom(declaring)) && !Permitted.Contains(name))
                {
                    yield return $"The initializer of {initializer.DeclaringType}: {method.DeclaringType}.{method.Name} calls {name}";
                }

                if (Assemblies.Contains(declaring.Assembly) && !reached.Contains(called))
                {
                    reached.Add(called);
                }
            }
        }
    }

    private static IEnumerable<(OpCode Instruction, MemberInfo Member)> CallsIn(MethodBase method) =>
        method.GetMethodBody()?.GetILAsByteArray() is { } code
            ? DependencyTests.MembersIn(code, method).Where(use => use.Instruction.Name is "call" or "callvirt" or "newobj" && use.Member is MethodBase)
            : [];
}
