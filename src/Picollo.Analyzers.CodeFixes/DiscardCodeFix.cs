using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;
using Microsoft.CodeAnalysis.Text;

namespace Picollo.Analyzers;

/// <summary>Fixes the discarded values that <see cref="DiscardAnalyzer"/> reports: assigns the factory, disposes the scope, or awaits the
/// checkpoint. Does not support fixing all occurrences, because each fix chooses a variable name that is unused before it.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class DiscardCodeFix : CodeFixProvider
{
    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } =
        ImmutableArray.Create(Rules.DiscardedFactory.Id, Rules.DiscardedScope.Id, Rules.CheckpointNotAwaited.Id);

    /// <inheritdoc/>
    public override FixAllProvider? GetFixAllProvider() => null;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        SyntaxNode? root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        SemanticModel? model = await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false);
        Diagnostic diagnostic = context.Diagnostics[0];
        if (model is null
            || root?.FindNode(context.Span, getInnermostNodeForTie: true).FirstAncestorOrSelf<StatementSyntax>() is not { } statement
            || Fix(diagnostic, statement, model) is not { } fix)
        {
            return;
        }

        StatementSyntax replacement = fix.Statement.WithTriviaFrom(statement).WithAdditionalAnnotations(Formatter.Annotation);
        context.RegisterCodeFix(
            CodeAction.Create(
                fix.Title,
                _ => Task.FromResult(context.Document.WithSyntaxRoot(root.ReplaceNode(statement, replacement))),
                equivalenceKey: diagnostic.Id),
            diagnostic);
    }

    private static (string Title, StatementSyntax Statement)? Fix(Diagnostic diagnostic, StatementSyntax statement, SemanticModel model)
    {
        bool canDeclare = statement.Parent is BlockSyntax or GlobalStatementSyntax && !Rules.BoxedScope.Equals(diagnostic.Descriptor);
        return (diagnostic.Id, statement, Discarded(statement, diagnostic.Location.SourceSpan)) switch
        {
            ("PIC0001", ExpressionStatementSyntax call, { } value) when Variable(value, model) is { } variable =>
                ("Assign the new factory", call.WithExpression(Assign(variable, value.WithoutTrivia()))),
            ("PIC0002", LocalDeclarationStatementSyntax { Declaration.Variables: { Count: 1 } variables } declaration, _)
                when canDeclare && !IsAssigned(variables[0]) =>
                ("Dispose the scope at the end of the block", declaration.WithUsingKeyword(Using())),
            ("PIC0002", ExpressionStatementSyntax, { } value) when canDeclare =>
                ("Dispose the scope at the end of the block", Declare(FreeName(statement), value.WithoutTrivia())),
            ("PIC0003", ExpressionStatementSyntax call, { } value) when CanAwait(statement) =>
                ("Await the checkpoint", call.WithExpression(SyntaxFactory.AwaitExpression(value.WithoutTrivia()))),
            _ => null,
        };
    }

    // Returns the expression of a statement, without `_ =`, if the whole expression was reported and not only a part of it.
    private static ExpressionSyntax? Discarded(StatementSyntax statement, TextSpan reported) => statement switch
    {
        ExpressionStatementSyntax { Expression: AssignmentExpressionSyntax { Right: { } value } } when value.Span == reported => value,
        ExpressionStatementSyntax { Expression: { } value } when value.Span == reported => value,
        _ => null,
    };

    // Returns the variable at the start of a chain of With… calls if the new factory can be assigned to it. WithInterlocked() returns
    // another type.
    private static IdentifierNameSyntax? Variable(ExpressionSyntax value, SemanticModel model)
    {
        ExpressionSyntax start = value;
        while (start is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member }
            && member.Name.Identifier.Text.StartsWith("With", StringComparison.Ordinal))
        {
            start = member.Expression;
        }

        ITypeSymbol? type = start is not IdentifierNameSyntax ? null : model.GetSymbolInfo(start).Symbol switch
        {
            ILocalSymbol { IsForEach: false, IsUsing: false, RefKind: RefKind.None } local => local.Type,
            IParameterSymbol { RefKind: RefKind.None } parameter => parameter.Type,
            _ => null,
        };
        return type is not null && model.ClassifyConversion(value, type) is { IsImplicit: true, IsUserDefined: false }
            ? (IdentifierNameSyntax)start
            : null;
    }

    private static AssignmentExpressionSyntax Assign(IdentifierNameSyntax variable, ExpressionSyntax value) =>
        SyntaxFactory.AssignmentExpression(SyntaxKind.SimpleAssignmentExpression, variable.WithoutTrivia(), value);

    private static LocalDeclarationStatementSyntax Declare(string name, ExpressionSyntax value) =>
        SyntaxFactory.LocalDeclarationStatement(SyntaxFactory
            .VariableDeclaration(SyntaxFactory.IdentifierName("var"))
            .AddVariables(SyntaxFactory.VariableDeclarator(name).WithInitializer(SyntaxFactory.EqualsValueClause(value))))
            .WithUsingKeyword(Using())
            .NormalizeWhitespace();

    private static SyntaxToken Using() => SyntaxFactory.Token(SyntaxKind.UsingKeyword).WithTrailingTrivia(SyntaxFactory.Space);

    private static string FreeName(SyntaxNode statement)
    {
        HashSet<string> taken = [.. statement.SyntaxTree.GetRoot().DescendantTokens()
            .Where(token => token.IsKind(SyntaxKind.IdentifierToken)).Select(token => token.Text)];
        return Enumerable.Range(1, int.MaxValue)
            .Select(number => number == 1 ? "scope" : $"scope{number}")
            .First(name => !taken.Contains(name));
    }

    // Returns whether a variable is reassigned, which a using declaration does not permit.
    private static bool IsAssigned(VariableDeclaratorSyntax variable) =>
        variable.SyntaxTree.GetRoot().DescendantNodes().OfType<AssignmentExpressionSyntax>().Any(assignment =>
            assignment.Left is IdentifierNameSyntax name && name.Identifier.Text == variable.Identifier.Text);

    // Returns whether a statement can use await: it is in an async function or a top-level statement, and not in a lock.
    private static bool CanAwait(SyntaxNode statement) =>
        statement.Ancestors().FirstOrDefault(node => node is LockStatementSyntax || IsAsync(node) is not null) is not { } around
        || IsAsync(around) == true;

    // Returns null if the node is not a function.
    private static bool? IsAsync(SyntaxNode node) => node switch
    {
        AnonymousFunctionExpressionSyntax function => function.AsyncKeyword.IsKind(SyntaxKind.AsyncKeyword),
        LocalFunctionStatementSyntax function => function.Modifiers.Any(SyntaxKind.AsyncKeyword),
        MethodDeclarationSyntax method => method.Modifiers.Any(SyntaxKind.AsyncKeyword),
        BaseMethodDeclarationSyntax or AccessorDeclarationSyntax => false,
        _ => null,
    };
}
