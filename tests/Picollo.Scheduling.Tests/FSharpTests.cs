using System.Diagnostics;

namespace Picollo.Scheduling.Tests;

/// <summary>F# selects overloads by other rules than C#: it ignores their priority attribute.</summary>
[Trait("Category", "Slow")]
public class FSharpTests
{
    private const string Script = """
        open System
        open System.Threading
        open System.Threading.Tasks
        open Picollo.Scheduling

        let pool = new CpuWorkerPool()
        let options = CpuTaskOptions(Name = "sum", Slice = TimeSpan.FromMilliseconds 5.0)

        let sum (cpu: CpuTaskContext) = task {
            let mutable sum = 0
            for i in 1 .. 1000 do
                sum <- sum + i
                do! cpu.CheckpointAsync()
            return sum }

        let a = pool.RunAsync<int>(fun cpu -> sum cpu)
        let b = pool.RunAsync<int>(sum, options, CancellationToken.None)
        let c = pool.RunAsync<int>(fun (cpu: CpuTaskContext) -> 1)
        let d = pool.RunAsync(fun (cpu: CpuTaskContext) -> cpu.Checkpoint())
        let e = pool.ForEachAsync([ 1; 2; 3 ], fun (item: int) (cpu: CpuTaskContext) -> cpu.Checkpoint())
        let f = pool.ForEachAsync([ 1; 2; 3 ], Func<int, CpuTaskContext, Task>(fun item cpu -> sum cpu), options)

        Task.WaitAll([| a :> Task; b; c; d; e; f |])
        printfn "%d" (a.Result + b.Result + c.Result)
        """;

    [Fact]
    public async Task FSharp_code_resolves_the_overloads()
    {
        string file = Path.Combine(Path.GetTempPath(), $"picollo-{Guid.NewGuid():N}.fsx");
        await File.WriteAllTextAsync(file, Script);
        try
        {
            using Process fsharp = Process.Start(new ProcessStartInfo("dotnet", ["fsi", $"-r:{typeof(CpuWorkerPool).Assembly.Location}", file])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            })!;
            Task<string> output = fsharp.StandardOutput.ReadToEndAsync(), errors = fsharp.StandardError.ReadToEndAsync();

            (await output, await errors).Should().Be(($"1001001{Environment.NewLine}", ""));
        }
        finally
        {
            File.Delete(file);
        }
    }
}
