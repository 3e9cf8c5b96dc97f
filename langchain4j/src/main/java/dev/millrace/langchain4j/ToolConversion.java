package dev.millrace.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.JsonReadException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.internal.Json;
import dev.langchain4j.internal.JsonSchemaElementUtils;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.millrace.text.ChatTemplate;
import dev.millrace.text.ToolCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Tools between LangChain4j and templates, where schemas and arguments are maps. */
final class ToolConversion {
    private static final String DEFINITIONS = "$defs";

    private ToolConversion() {}

    /** Returns the options of a template that show the tools to the model. */
    static ChatTemplate.Options shown(List<ToolSpecification> tools) {
        return ChatTemplate.Options.builder()
                .tools(tools.stream().map(ToolConversion::shown).toList())
                .build();
    }

    private static Map<String, Object> shown(ToolSpecification tool) {
        var function = new HashMap<String, Object>();
        function.put("name", tool.name());
        function.put("description", tool.description() == null ? "" : tool.description());
        function.put("parameters", parameters(tool));
        return Map.of("type", "function", "function", function);
    }

    private static Map<String, Object> parameters(ToolSpecification tool) {
        return JsonSchemaElementUtils.toMap(
                tool.parameters() == null ? JsonObjectSchema.builder().build() : tool.parameters());
    }

    /** Returns the schema of a call of one of the tools. Definitions of the tools' schemas are those of the whole. */
    static Map<String, Object> call(List<ToolSpecification> tools) {
        var definitions = new LinkedHashMap<String, Object>();
        var calls = new ArrayList<Map<String, Object>>();
        for (ToolSpecification tool : tools) {
            var arguments = new LinkedHashMap<>(parameters(tool));
            if (arguments.remove(DEFINITIONS) instanceof Map<?, ?> own) {
                own.forEach((name, schema) -> {
                    Object other = definitions.putIfAbsent(name.toString(), schema);
                    if (other != null && !other.equals(schema)) {
                        throw new UnsupportedFeatureException(
                                "the tool choice REQUIRED with tools whose schemas define '" + name + "' differently");
                    }
                });
            }
            var call = new LinkedHashMap<String, Object>();
            call.put("name", Map.of("type", "string", "const", tool.name()));
            call.put("arguments", arguments);
            calls.add(Map.of(
                    "type",
                    "object",
                    "properties",
                    call,
                    "required",
                    List.of("name", "arguments"),
                    "additionalProperties",
                    false));
        }
        return definitions.isEmpty() ? Map.of("anyOf", calls) : Map.of("anyOf", calls, DEFINITIONS, definitions);
    }

    /** Returns a call of an earlier answer as a template shows it. */
    static Map<String, @Nullable Object> called(ToolExecutionRequest call) {
        var shown = new HashMap<String, @Nullable Object>(new ToolCall(call.name(), arguments(call)).asMap());
        if (call.id() != null) {
            shown.put("id", call.id());
        }
        return shown;
    }

    private static Map<String, @Nullable Object> arguments(ToolExecutionRequest call) {
        if (call.arguments() == null || call.arguments().isBlank()) {
            return Map.of();
        }
        try {
            Map<String, @Nullable Object> arguments = Json.fromJson(call.arguments(), Map.class);
            return arguments;
        } catch (JsonReadException e) {
            throw new InvalidRequestException(
                    "the arguments of the call of tool '" + call.name() + "' are no JSON object: " + call.arguments(),
                    e);
        }
    }

    /** Returns the requests of an answer that calls tools. */
    static List<ToolExecutionRequest> requests(List<ToolCall> calls) {
        return calls.stream()
                .map(call -> ToolExecutionRequest.builder()
                        .id("call_" + UUID.randomUUID())
                        .name(call.name())
                        .arguments(Json.toJson(call.arguments()))
                        .build())
                .toList();
    }
}
