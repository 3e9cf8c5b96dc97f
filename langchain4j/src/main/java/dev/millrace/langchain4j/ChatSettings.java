package dev.millrace.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.UnsupportedFeatureException;
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
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the two chat models have in common.
 *
 * @param options the options of requests that do not say otherwise
 * @param name the name of the model; null if it has none
 * @param constraints the constraints of answers; null without the tokenizer of the model
 */
record ChatSettings(
        ChatGenerator chats,
        GenerationOptions options,
        @Nullable String name,
        @Nullable AnswerConstraints constraints,
        List<ChatModelListener> listeners) {
    static ChatSettings of(LanguageModel model) {
        return new ChatSettings(
                model.chats(),
                model.defaults(),
                model.session().name(),
                new AnswerConstraints(model.tokenizer()),
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
        return new ChatSettings(chats, options, name, constraints, List.copyOf(others));
    }

    ChatRequestParameters parameters() {
        return ChatConversion.parameters(options, name);
    }

    /** Returns what the model can do besides texts: answers of a JSON schema, if its tokens are pieces of text. */
    Set<Capability> capabilities() {
        try {
            if (constraints != null) {
                constraints.of(ResponseFormat.JSON);
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
        TextConstraint constraint = constraint(parameters, tools);
        if (constraint != null) {
            generation = generation.toBuilder().constraint(constraint).build();
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
        return parameters.toolSpecifications() == null || parameters.toolChoice() == ToolChoice.NONE
                ? List.of()
                : parameters.toolSpecifications();
    }

    /** Returns the constraint of the answer; null if it may be any text. */
    private @Nullable TextConstraint constraint(ChatRequestParameters parameters, List<ToolSpecification> tools) {
        ResponseFormat format = parameters.responseFormat();
        boolean isJson = format != null && format.type() == ResponseFormatType.JSON;
        boolean isCall = parameters.toolChoice() == ToolChoice.REQUIRED;
        if (!isJson && !isCall) {
            return null;
        }
        if (constraints == null) {
            throw new UnsupportedFeatureException(
                    "response formats other than text, and the tool choice REQUIRED, without a tokenizer; create the"
                            + " chat model of a LanguageModel");
        }
        if (isJson && !tools.isEmpty()) {
            throw new UnsupportedFeatureException(
                    "tools and a JSON response format in one request; the format would forbid calls of tools");
        }
        if (isCall && tools.isEmpty()) {
            throw new InvalidRequestException("the tool choice is REQUIRED, and the request has no tools");
        }
        return isJson ? constraints.of(format) : constraints.ofCall(tools);
    }
}
