using System.Text.Json;

namespace Picollo.Metrics;

/// <summary>Reads JSON objects property by property. Error messages name the property and the error; System.Text.Json adds the
/// path.</summary>
internal static class JsonValues
{
    public static void BeginObject(ref Utf8JsonReader reader, string what) =>
        Expect(ref reader, JsonTokenType.StartObject, what, "an object");

    public static void BeginArray(ref Utf8JsonReader reader, string what) => Expect(ref reader, JsonTokenType.StartArray, what, "an array");

    /// <summary>Advances to the value of the next property. Returns false at the end of the object.</summary>
    public static bool NextProperty(ref Utf8JsonReader reader, out string name)
    {
        reader.Read();
        name = string.Empty;
        if (reader.TokenType == JsonTokenType.EndObject)
        {
            return false;
        }

        name = reader.GetString()!;
        reader.Read();
        return true;
    }

    /// <summary>Advances to the next element. Returns false at the end of the array.</summary>
    public static bool NextElement(ref Utf8JsonReader reader) => reader.Read() && reader.TokenType != JsonTokenType.EndArray;

    public static ulong UInt64(ref Utf8JsonReader reader, string name) =>
        reader.TokenType == JsonTokenType.Number && reader.TryGetUInt64(out ulong value)
            ? value
            : throw new JsonException($"{name} is not a whole number from 0 to 2^64 - 1.");

    public static int Int32(ref Utf8JsonReader reader, string name, int min, int max) =>
        reader.TokenType == JsonTokenType.Number && reader.TryGetInt32(out int value) && value >= min && value <= max
            ? value
            : throw new JsonException($"{name} is not a whole number from {min} to {max}.");

    public static double Double(ref Utf8JsonReader reader, string name) =>
        reader.TokenType == JsonTokenType.Number && reader.TryGetDouble(out double value) && double.IsFinite(value)
            ? value
            : throw new JsonException($"{name} is not a number.");

    public static double NonNegative(ref Utf8JsonReader reader, string name) =>
        Double(ref reader, name) is >= 0 and var value ? value : throw new JsonException($"{name} is negative.");

    /// <summary>Reads the relative error of a histogram, which is rounded down to 0.5 over a power of two.</summary>
    public static double RelativeError(ref Utf8JsonReader reader, string name) =>
        Double(ref reader, name) is > HdrLayout.MinRelativeError / 2 and <= HdrLayout.MaxRelativeError and var value
            ? value
            : throw new JsonException($"{name} must be from 0.000001 to 0.1.");

    public static DateTimeOffset Time(ref Utf8JsonReader reader, string name) =>
        reader.TokenType == JsonTokenType.String && reader.TryGetDateTimeOffset(out DateTimeOffset value)
            ? value.ToUniversalTime()
            : throw new JsonException($"{name} is not an ISO 8601 time.");

    public static T Required<T>(T? value, string name)
        where T : struct => value ?? throw new JsonException($"{name} is missing.");

    private static void Expect(ref Utf8JsonReader reader, JsonTokenType type, string what, string kind)
    {
        if (reader.TokenType != type)
        {
            throw new JsonException($"{what} must be {kind}, not {reader.TokenType}.");
        }
    }
}
