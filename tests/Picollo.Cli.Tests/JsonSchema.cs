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
    public IReadOnlyList<string> ProblemsOf(string lines)
    {
        List<string> problems = [];
        foreach (string line in lines.TrimEnd('\n').Split('\n'))
        {
            using JsonDocument json = JsonDocument.Parse(line);
            Check(json.RootElement, _root, "$", problems);
        }

        return problems;
    }

    private void Check(JsonElement value, JsonElement schema, string path, List<string> problems)
    {
        foreach (JsonProperty keyword in schema.EnumerateObject())
        {
            JsonElement rule = keyword.Value;
            bool isRight = keyword.Name switch
            {
                "type" => rule.ValueKind == JsonValueKind.Array ? rule.EnumerateArray().Any(type => IsOfType(value, type)) : IsOfType(value, rule),
                "const" => JsonElement.DeepEquals(value, rule),
                "enum" => rule.EnumerateArray().Any(one => JsonElement.DeepEquals(value, one)),
                "minimum" => value.ValueKind != JsonValueKind.Number || value.GetDouble() >= rule.GetDouble(),
                "maximum" => value.ValueKind != JsonValueKind.Number || value.GetDouble() <= rule.GetDouble(),
                "minItems" => value.ValueKind != JsonValueKind.Array || value.GetArrayLength() >= rule.GetInt32(),
                "required" => value.ValueKind != JsonValueKind.Object || rule.EnumerateArray().All(name => value.TryGetProperty(name.GetString()!, out _)),
                "oneOf" => rule.EnumerateArray().Count(one => Problems(value, one, path).Count == 0) == 1,
                "$ref" => CheckReference(value, rule.GetString()!, path, problems),
                "properties" => CheckProperties(value, rule, path, problems),
                "additionalProperties" => CheckOthers(value, schema, rule, path, problems),
                "items" => CheckItems(value, rule, path, problems),
                _ => Descriptions.Contains(keyword.Name) ? true : throw new NotSupportedException($"The keyword {keyword.Name}, at {path}."),
            };
            if (!isRight)
            {
                problems.Add($"{path}: {keyword.Name} {rule.GetRawText()}: {value.GetRawText()}");
            }
        }
    }

    private List<string> Problems(JsonElement value, JsonElement schema, string path)
    {
        List<string> problems = [];
        Check(value, schema, path, problems);
        return problems;
    }

    private bool CheckReference(JsonElement value, string reference, string path, List<string> problems)
    {
        const string Start = "#/$defs/";
        Check(value, _root.GetProperty("$defs").GetProperty(reference[Start.Length..]), path, problems);
        return true;
    }

    private bool CheckProperties(JsonElement value, JsonElement properties, string path, List<string> problems)
    {
        foreach (JsonProperty property in properties.EnumerateObject())
        {
            if (value.ValueKind == JsonValueKind.Object && value.TryGetProperty(property.Name, out JsonElement its))
            {
                Check(its, property.Value, $"{path}.{property.Name}", problems);
            }
        }

        return true;
    }

    private bool CheckOthers(JsonElement value, JsonElement schema, JsonElement rule, string path, List<string> problems)
    {
        if (value.ValueKind != JsonValueKind.Object)
        {
            return true;
        }

        JsonProperty[] others = [.. value.EnumerateObject().Where(property => !schema.GetProperty("properties").TryGetProperty(property.Name, out _))];
        if (rule.ValueKind == JsonValueKind.False)
        {
            return others.Length == 0;
        }

        foreach (JsonProperty other in others)
        {
            Check(other.Value, rule, $"{path}.{other.Name}", problems);
        }

        return true;
    }

    private bool CheckItems(JsonElement value, JsonElement rule, string path, List<string> problems)
    {
        if (value.ValueKind == JsonValueKind.Array)
        {
            int i = 0;
            foreach (JsonElement item in value.EnumerateArray())
            {
                Check(item, rule, $"{path}[{i++}]", problems);
            }
        }

        return true;
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
