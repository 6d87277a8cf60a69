using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Picollo.Analyzers;

/// <summary>Reports a <c>CpuUsageAsyncWatcher</c> that is never used, or that an async method returns to a caller, which it does not
/// measure.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class WatcherAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Rules.UnusedWatcher, Rules.EscapingWatcher);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(start =>
        {
            if (start.Compilation.GetTypeByMetadataName("Picollo.Cpu.CpuUsageAsyncWatcher") is { } watcher)
            {
                start.RegisterOperationAction(creation => Check(creation, watcher), OperationKind.ObjectCreation);
            }
        });
    }

    private static void Check(OperationAnalysisContext context, INamedTypeSymbol watcher)
    {
        IOperation creation = context.Operation;
        if (!SymbolEqualityComparer.Default.Equals(creation.Type, watcher))
        {
            return;
        }

        IOperation? receiver = creation.Receiver();
        if (receiver.Local() is not { } local)
        {
            Report(receiver.Ignores() && !receiver.IsBodyOfLambda(), Leaves(receiver));
            return;
        }

        // Each use of the variable calls a member of the watcher, or passes it to a field, to the caller, or elsewhere.
        ILocalReferenceOperation[] uses = [.. creation.Uses(local)];
        Report(uses.Length == 0, uses.Any(use => Leaves(use.Receiver())));

        void Report(bool isUnused, bool leaves)
        {
            if (isUnused)
            {
                context.ReportDiagnostic(Diagnostic.Create(Rules.UnusedWatcher, creation.Syntax.GetLocation()));
            }
            else if (leaves && creation.IsInAsync(context.ContainingSymbol) && !IsCalled())
            {
                context.ReportDiagnostic(Diagnostic.Create(Rules.EscapingWatcher, creation.Syntax.GetLocation()));
            }
        }

        // If the member itself stops or reads the watcher, it measures the member, even if it is stored elsewhere in between.
        bool IsCalled() => creation.WholeMember().Any(use =>
            SymbolEqualityComparer.Default.Equals(
                use switch
                {
                    IInvocationOperation call => call.Instance?.Type,
                    IMemberReferenceOperation member => member.Instance?.Type,
                    _ => null,
                },
                watcher));
    }

    private static bool Leaves(IOperation? receiver) =>
        receiver is IReturnOperation or IAssignmentOperation { Target: IFieldReferenceOperation or IPropertyReferenceOperation };
}
