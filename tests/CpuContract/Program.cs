using System.Reflection;
using System.Text;

namespace Picollo.CpuContract;

/// <summary>Runs every test that was compiled in, one after the other, and prints "passed" or "FAILED" with its name.</summary>
internal static class Program
{
    private static int Main()
    {
        // The same bytes everywhere: no code page, no carriage returns.
        Console.SetOut(new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true, NewLine = "\n" });

        int failures = 0;
        foreach (MethodInfo test in typeof(Program).Assembly.GetTypes().SelectMany(type => type.GetMethods()))
        {
            foreach (object?[] arguments in ArgumentsOf(test))
            {
                failures += Run(test, arguments) ? 0 : 1;
            }
        }

        return failures;
    }

    private static IEnumerable<object?[]> ArgumentsOf(MethodInfo test) =>
        test.GetCustomAttribute<TheoryAttribute>() is not null
            ? test.GetCustomAttributes<InlineDataAttribute>().SelectMany(data => data.GetData(test))
            : test.GetCustomAttribute<FactAttribute>() is not null ? [[]] : [];

    private static bool Run(MethodInfo test, object?[] arguments)
    {
        string name = $"{test.DeclaringType!.Name}.{test.Name}({string.Join(", ", arguments)})";
        try
        {
            object? result = test.Invoke(Activator.CreateInstance(test.DeclaringType), arguments);
            (result as Task)?.GetAwaiter().GetResult();
            Console.WriteLine($"passed {name}");
            return true;
        }
        catch (Exception e)
        {
            Console.WriteLine($"FAILED {name}: {(e as TargetInvocationException)?.InnerException ?? e}");
            return false;
        }
    }
}
