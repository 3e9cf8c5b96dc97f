package dev.millrace.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.internal.Json;
import dev.langchain4j.internal.JsonSchemaElementUtils;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.LanguageModel;
import dev.millrace.text.TextConstraint;
import dev.millrace.text.Tokenizer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the two chat models have in common.
 *
 * @param options the options of requests that do not say otherwise
 * @param name the name of the model; null if it has none
 * @param formats the constraints of response formats; null without the tokenizer of the model
 */
record ChatSettings(
        ChatGenerator chats,
        GenerationOptions options,
        @Nullable String name,
        @Nullable ResponseFormats formats,
        List<ChatModelListener> listeners) {

    /** The constraints of the response formats that requests asked for last. */
    static final class ResponseFormats {
        private static final int KEPT = 16;
        private static final String ANY = "";

        private final Tokenizer tokenizer;
        private final Map<String, TextConstraint> kept = new LinkedHashMap<>(KEPT, 0.75f, true);

        ResponseFormats(Tokenizer tokenizer) {
            this.tokenizer = tokenizer;
        }

        synchronized TextConstraint constraint(ResponseFormat format) {
            String schema = format.jsonSchema() == null
                    ? ANY
                    : Json.toJson(
                            JsonSchemaElementUtils.toMap(format.jsonSchema().rootElement()));
            TextConstraint known = kept.get(schema);
            if (known == null) {
                known = schema.equals(ANY)
                        ? TextConstraint.json(tokenizer)
                        : TextConstraint.jsonSchema(tokenizer, schema);
                kept.put(schema, known);
                if (kept.size() > KEPT) {
                    kept.remove(kept.keySet().iterator().next());
                }
            }
            return known;
        }
    }

    static ChatSettings of(LanguageModel model) {
        return new ChatSettings(
                model.chats(),
                model.defaults(),
                model.session().name(),
                new ResponseFormats(model.tokenizer()),
                List.of());
    }

    static ChatSettings of(ChatGenerator chats, GenerationOptions options) {
        return new ChatSettings(
                Objects.requireNonNull(chats, "chats"),
                Objects.requireNonNull(options, "options"),
                null,
                null,
                List.of());
    }

    ChatSettings with(List<ChatModelListener> others) {
        return new ChatSettings(chats, options, name, formats, List.copyOf(others));
    }

    ChatRequestParameters parameters() {
        return ChatConversion.parameters(options, name);
    }

    /** Returns what the model can do besides texts: answers of a JSON schema, if its tokens are pieces of text. */
    Set<Capability> capabilities() {
        try {
            if (formats != null) {
                formats.constraint(ResponseFormat.JSON);
                return Set.of(Capability.RESPONSE_FORMAT_JSON_SCHEMA);
            }
        } catch (EngineException e) {
            // the tokenizer has no constraints
        }
        return Set.of();
    }

    /** Returns a request as the engine has it. */
    AskedChat asked(ChatRequest request) {
        ChatRequestParameters parameters = request.parameters();
        requireOwnName(parameters);
        List<ToolSpecification> tools = tools(parameters);
        List<String> stops = parameters.stopSequences();
        ChatGenerator asked = tools.isEmpty() ? chats : chats.with(ToolConversion.shown(tools));
        GenerationOptions generation = ChatConversion.options(parameters, options);
        ResponseFormat format = parameters.responseFormat();
        if (format != null && format.type() == ResponseFormatType.JSON) {
            generation =
                    generation.toBuilder().constraint(constraint(format, tools)).build();
        }
        return new AskedChat(
                stops == null || stops.isEmpty() ? asked : asked.stoppingAt(stops.toArray(String[]::new)),
                ChatConversion.messages(request.messages()),
                generation,
                tools.stream().map(ToolSpecification::name).toList(),
                name);
    }

    private void requireOwnName(ChatRequestParameters parameters) {
        if (parameters.modelName() != null && !parameters.modelName().equals(name)) {
            throw new UnsupportedFeatureException("the model '" + parameters.modelName()
                    + "' in a request: this chat model is " + (name == null ? "without a name" : "'" + name + "'"));
        }
    }

    private static List<ToolSpecification> tools(ChatRequestParameters parameters) {
        if (parameters.toolChoice() == ToolChoice.REQUIRED) {
            throw new UnsupportedFeatureException(
                    "the tool choice REQUIRED; the model decides whether it calls a tool");
        }
        return parameters.toolSpecifications() == null || parameters.toolChoice() == ToolChoice.NONE
                ? List.of()
                : parameters.toolSpecifications();
    }

    private TextConstraint constraint(ResponseFormat format, List<ToolSpecification> tools) {
        if (formats == null) {
            throw new UnsupportedFeatureException(
                    "response formats other than text without a tokenizer; create the chat"
                            + " model of a LanguageModel");
        }
        if (!tools.isEmpty()) {
            throw new UnsupportedFeatureException(
                    "tools and a JSON response format in one request; the format would forbid calls of tools");
        }
        return formats.constraint(format);
    }
}
