using System.Text.Json;

namespace Picollo.Cli.Tests;

/// <summary>Validates JSON with the subset of JSON Schema that our schemas use: type, enum, const, properties, required,
/// additionalProperties, items, minItems, minimum, maximum, oneOf and references to $defs. Any other keyword is an error, so that none is
/// ignored.</summary>
internal sealed class JsonSchema
{
    private static readonly string[] Descriptions = ["$schema", "$id", "$defs", "title", "description"];

    private readonly JsonElement _root;

    private JsonSchema(JsonElement root) => _root = root;

    /// <summary>Reads the published schema of the output of a command.</summary>
    public static JsonSchema OfCommand(string command)
    {
        string path = Path.Combine(Repository.Root, "docs", "schemas", $"picollo-{command}.schema.json");
        return new(JsonDocument.Parse(File.ReadAllText(path)).RootElement);
    }

    /// <summary>Returns the problems of each line of an output; empty if all lines are valid.</summary>
    public IReadOnlyList<string> ProblemsOf(string lines) =>
        [.. lines.TrimEnd('\n').Split('\n').SelectMany(line => Problems(JsonDocument.Parse(line).RootElement, _root, "$"))];

    private IEnumerable<string> Problems(JsonElement value, JsonElement schema, string path)
    {
        bool isObject = value.ValueKind == JsonValueKind.Object, isArray = value.ValueKind == JsonValueKind.Array, isNumber = value.ValueKind == JsonValueKind.Number;
        JsonProperty[] others = isObject && schema.TryGetProperty("properties", out JsonElement known)
            ? [.. value.EnumerateObject().Where(property => !known.TryGetProperty(property.Name, out _))] : [];
        return schema.EnumerateObject().SelectMany(keyword =>
        {
            JsonElement rule = keyword.Value;
            return keyword.Name switch
            {
                "$ref" => Problems(value, _root.GetProperty("$defs").GetProperty(rule.GetString()!["#/$defs/".Length..]), path),
                "properties" => isObject
                    ? rule.EnumerateObject().Where(property => value.TryGetProperty(property.Name, out _))
                        .SelectMany(property => Problems(value.GetProperty(property.Name), property.Value, $"{path}.{property.Name}"))
                    : [],
                "additionalProperties" when rule.ValueKind != JsonValueKind.False => others.SelectMany(other => Problems(other.Value, rule, $"{path}.{other.Name}")),
                "items" => isArray ? value.EnumerateArray().SelectMany((item, i) => Problems(item, rule, $"{path}[{i}]")) : [],
                _ => IsMet(keyword.Name, rule) ? [] : [$"{path}: {keyword.Name} {rule.GetRawText()}: {value.GetRawText()}"],
            };
        });

        bool IsMet(string keyword, JsonElement rule) => keyword switch
        {
            "type" => rule.ValueKind == JsonValueKind.Array ? rule.EnumerateArray().Any(type => IsOfType(value, type)) : IsOfType(value, rule),
            "const" => JsonElement.DeepEquals(value, rule),
            "enum" => rule.EnumerateArray().Any(one => JsonElement.DeepEquals(value, one)),
            "minimum" => !isNumber || value.GetDouble() >= rule.GetDouble(),
            "maximum" => !isNumber || value.GetDouble() <= rule.GetDouble(),
            "minItems" => !isArray || value.GetArrayLength() >= rule.GetInt32(),
            "required" => !isObject || rule.EnumerateArray().All(name => value.TryGetProperty(name.GetString()!, out _)),
            "additionalProperties" => others.Length == 0,
            "oneOf" => rule.EnumerateArray().Count(one => !Problems(value, one, path).Any()) == 1,
            _ => Descriptions.Contains(keyword) ? true : throw new NotSupportedException($"The keyword {keyword}, at {path}."),
        };
    }

    private static bool IsOfType(JsonElement value, JsonElement type) => type.GetString() switch
    {
        "object" => value.ValueKind == JsonValueKind.Object,
        "array" => value.ValueKind == JsonValueKind.Array,
        "string" => value.ValueKind == JsonValueKind.String,
        "boolean" => value.ValueKind is JsonValueKind.True or JsonValueKind.False,
        "null" => value.ValueKind == JsonValueKind.Null,
        "number" => value.ValueKind == JsonValueKind.Number,
        "integer" => value.ValueKind == JsonValueKind.Number && !value.GetRawText().AsSpan().ContainsAny('.', 'e', 'E'),
        _ => throw new NotSupportedException($"The type {type.GetRawText()}."),
    };
}
