namespace Picollo.TestKit;

/// <summary>This user's name as top(1) and <c>picollo top</c> show it: truncated if it is longer than the column.</summary>
internal static class TopUser
{
    private const int Width = 8;

    public static string Shown { get; } = Environment.UserName.Length <= Width ? Environment.UserName : Environment.UserName[..(Width - 1)] + '+';
}
