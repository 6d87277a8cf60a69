using BenchmarkDotNet.Running;
using Picollo.Benchmarks;

if (args is ["compare", .. var names])
{
    return CompareCommand.Run(names);
}

BenchmarkSwitcher.FromAssembly(typeof(CompareCommand).Assembly).Run(args);
return 0;
