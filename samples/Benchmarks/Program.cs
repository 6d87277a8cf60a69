using BenchmarkDotNet.Running;
using Picollo.Samples.Benchmarks;

// Without arguments all of it; with arguments what BenchmarkDotNet makes of them: --filter '*Async*', --list flat, --help.
BenchmarkSwitcher.FromAssembly(typeof(Aggregation).Assembly).Run(args is [] ? ["--filter", "*"] : args, ShortConfig.Create());
