using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Picollo.Analyzers;

/// <summary>Reports discarded results of factories, scopes and checkpoints, which have no effect unless they are used.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DiscardAnalyzer : DiagnosticAnalyzer
{
    private static readonly string[] FactoryNames =
        ["Picollo.Metrics.HdrHistogramFactory", "Picollo.PerfEvent.PerfEventCounterSessionFactory"];

    private static readonly string[] ScopeNames =
    [
        "Picollo.Metrics.TickScope", "Picollo.Metrics.NanoScope", "Picollo.Metrics.MicroScope", "Picollo.Metrics.MilliScope",
        "Picollo.Metrics.PicoScope", "Picollo.PerfEvent.PerfMeasurement",
    ];

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Rules.DiscardedFactory, Rules.DiscardedScope, Rules.BoxedScope, Rules.CheckpointNotAwaited);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(Start);
    }

    private static void Start(CompilationStartAnalysisContext context)
    {
        INamedTypeSymbol[] factories = Find(FactoryNames);
        INamedTypeSymbol[] scopes = Find(ScopeNames);
        INamedTypeSymbol[] checkpoints = Find(["Picollo.Scheduling.CpuCheckpoint"]);
        INamedTypeSymbol? pool = context.Compilation.GetTypeByMetadataName("Picollo.Scheduling.CpuWorkerPool");
        if (factories.Length == 0)
        {
            return;
        }

        context.RegisterOperationAction(
            call =>
            {
                var invocation = (IInvocationOperation)call.Operation;
                if (Contains(checkpoints, invocation.Type))
                {
                    // If a lambda returns its last checkpoint, the checkpoint is the result, which is not awaited.
                    ReportUnused(call, Rules.CheckpointNotAwaited, "", invocation.Receiver().ReturnsTo(pool));
                }
                else if (Contains(scopes, invocation.Type) && !invocation.Receiver().IsBodyOfLambda())
                {
                    ReportUnused(call, Rules.DiscardedScope, invocation.Type!.Name);
                }
                else if (invocation.TargetMethod.Name.StartsWith("With", StringComparison.Ordinal)
                    && IsFactory(factories, invocation.Type)
                    && invocation.Receiver() is IExpressionStatementOperation statement
                    && !statement.IsBodyOfLambda())
                {
                    call.ReportDiagnostic(Diagnostic.Create(
                        Rules.DiscardedFactory, invocation.Syntax.GetLocation(), invocation.TargetMethod.Name));
                }
            },
            OperationKind.Invocation);
        context.RegisterOperationAction(
            conversion =>
            {
                var boxing = (IConversionOperation)conversion.Operation;
                if (boxing is { Type.IsReferenceType: true } && Contains(scopes, boxing.Operand.Type))
                {
                    conversion.ReportDiagnostic(Diagnostic.Create(
                        Rules.BoxedScope, boxing.Syntax.GetLocation(), boxing.Operand.Type!.Name, boxing.Type.Name));
                }
            },
            OperationKind.Conversion);

        INamedTypeSymbol[] Find(string[] names) =>
            [.. names.Select(context.Compilation.GetTypeByMetadataName).OfType<INamedTypeSymbol>()];
    }

    // Reports a value that is ignored or assigned to an unused local variable.
    private static void ReportUnused(OperationAnalysisContext context, DiagnosticDescriptor rule, string name, bool isLost = false)
    {
        IOperation? receiver = context.Operation.Receiver();
        if (isLost || receiver.Ignores() || (receiver.Local() is { } local && !context.Operation.Uses(local).Any()))
        {
            context.ReportDiagnostic(Diagnostic.Create(rule, context.Operation.Syntax.GetLocation(), name));
        }
    }

    private static bool IsFactory(INamedTypeSymbol[] factories, ITypeSymbol? type)
    {
        while (type is not null && !Contains(factories, type))
        {
            type = type.BaseType;
        }

        return type is not null;
    }

    private static bool Contains(INamedTypeSymbol[] types, ITypeSymbol? type) =>
        types.Any(candidate => SymbolEqualityComparer.Default.Equals(candidate, type));
}
