using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Picollo.Analyzers;

/// <summary>Extension methods that determine how the value of an operation is used.</summary>
internal static class OperationExtensions
{
    /// <summary>Returns the operation that receives this value, skipping conversions, <c>?.</c>, <c>??</c> and <c>?:</c>.</summary>
    public static IOperation? Receiver(this IOperation value)
    {
        IOperation? receiver = value.Parent;
        while (receiver is IConversionOperation or IConditionalAccessOperation or ICoalesceOperation
            or IConditionalOperation { Type: not null })
        {
            receiver = receiver.Parent;
        }

        return receiver;
    }

    /// <summary>Returns whether a receiver ignores the value: it is an expression statement or an assignment to a discard.</summary>
    public static bool Ignores(this IOperation? receiver) =>
        receiver is IExpressionStatementOperation || receiver.IsDiscard();

    /// <summary>Returns whether this operation is an assignment to <c>_</c>.</summary>
    public static bool IsDiscard(this IOperation? receiver) =>
        receiver is ISimpleAssignmentOperation { Target: IDiscardOperation, Parent: IExpressionStatementOperation };

    /// <summary>Returns whether this operation is the body of a lambda expression. Tests use these for calls that throw.</summary>
    public static bool IsBodyOfLambda(this IOperation? receiver) => receiver?.Syntax.Parent is LambdaExpressionSyntax;

    /// <summary>Returns the local variable that this receiver initializes or assigns, unless a <see langword="using"/> disposes it, or the
    /// assignment itself is used as a value.</summary>
    public static ILocalSymbol? Local(this IOperation? receiver) => receiver switch
    {
        ISimpleAssignmentOperation { Target: ILocalReferenceOperation target, Parent: IExpressionStatementOperation } => target.Local,
        IVariableInitializerOperation { Parent: IVariableDeclaratorOperation declarator } when !declarator.IsInUsing() => declarator.Symbol,
        _ => null,
    };

    /// <summary>Returns the uses of a local variable in the whole member, except assignments to it.</summary>
    public static IEnumerable<ILocalReferenceOperation> Uses(this IOperation operation, ILocalSymbol local) =>
        operation.WholeMember().OfType<ILocalReferenceOperation>().Where(use =>
            SymbolEqualityComparer.Default.Equals(use.Local, local)
            && !(use.Parent is ISimpleAssignmentOperation assignment && assignment.Target == use));

    public static IEnumerable<IOperation> WholeMember(this IOperation operation)
    {
        IOperation root = operation;
        while (root.Parent is not null)
        {
            root = root.Parent;
        }

        return root.Descendants();
    }

    /// <summary>Returns whether this operation returns a value from a lambda expression that is passed to a method of the specified
    /// type.</summary>
    public static bool ReturnsTo(this IOperation? receiver, ITypeSymbol? type)
    {
        IOperation? around = receiver as IReturnOperation;
        while (around is not (null or IAnonymousFunctionOperation or ILocalFunctionOperation))
        {
            around = around.Parent;
        }

        return around is IAnonymousFunctionOperation
        {
            Parent: IDelegateCreationOperation { Parent: IArgumentOperation { Parent: IInvocationOperation call } },
        }
            && SymbolEqualityComparer.Default.Equals(call.TargetMethod.ContainingType, type);
    }

    /// <summary>Returns whether the method, local function or lambda expression that contains this operation is async.</summary>
    public static bool IsInAsync(this IOperation operation, ISymbol member)
    {
        for (IOperation? around = operation.Parent; around is not null; around = around.Parent)
        {
            switch (around)
            {
                case IAnonymousFunctionOperation function:
                    return function.Symbol.IsAsync;
                case ILocalFunctionOperation function:
                    return function.Symbol.IsAsync;
            }
        }

        return member is IMethodSymbol { IsAsync: true };
    }

    private static bool IsInUsing(this IVariableDeclaratorOperation declarator)
    {
        IOperation? group = declarator.Parent?.Parent;
        return group is IUsingOperation || group?.Parent is IUsingDeclarationOperation or IUsingOperation;
    }
}
