using System.Reflection;
using System.Text;

namespace Picollo.HelperApp;

/// <summary>Runs all compiled tests one after the other up to the first failure, and prints "passed" or "FAILED" with the name of
/// each.</summary>
internal static class Contracts
{
    public static int Run()
    {
        // The output has the same bytes on all systems: no code page, no carriage returns.
        Console.SetOut(new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true, NewLine = "\n" });

        foreach (MethodInfo test in typeof(Contracts).Assembly.GetTypes().SelectMany(type => type.GetMethods()))
        {
            foreach (object?[] arguments in ArgumentsOf(test))
            {
                // Ends at the first failure, because .NET under Wine 8 sometimes hung some time after an exception had left a test.
                if (!Run(test, arguments))
                {
                    return 1;
                }
            }
        }

        return 0;
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
            Exception cause = (e as TargetInvocationException)?.InnerException ?? e;
            Console.WriteLine($"FAILED {name}: {cause.GetType().Name}: {cause.Message}");
            return false;
        }
    }
}
